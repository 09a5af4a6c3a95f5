/**
 * Trees of plain data from elsewhere: whether one is harmless to hold, and how it is made unchangeable.
 *
 * Promise: neither walk recurses, so that no nesting can exhaust the stack, and neither runs what the data might bring.
 */

type Branch = { readonly value: object; readonly depth: number };

/**
 * Whether a value is plain JSON data of at most `maxDepth` levels, without a key that could reach a prototype. A list
 * or an object that stands in two places, or in itself, is none.
 */
export function isHarmlessTree(root: unknown, maxDepth: number): boolean {
	const open: Branch[] = [];
	const seen = new Set<object>();
	const enter = (value: unknown, depth: number): boolean => {
		if (typeof value !== "object" || value === null) return isJsonLeaf(value);
		if (depth > maxDepth || seen.has(value) || !isPlain(value)) return false;
		seen.add(value);
		open.push({ value, depth });
		return true;
	};
	if (!enter(root, 1)) return false;
	for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
		const { value, depth } = branch;
		if (!everyField(value, (field) => enter(field, depth + 1))) return false;
	}
	return true;
}

/** Freezes a tree of plain data in place, all of it, and returns it. */
export function freezeTree<Tree>(root: Tree): Tree {
	const open: unknown[] = [root];
	while (open.length > 0) {
		const value = open.pop();
		if (typeof value !== "object" || value === null) continue;
		Object.freeze(value);
		for (const key of Object.keys(value)) open.push(Reflect.get(value, key));
	}
	return root;
}

function isJsonLeaf(value: unknown): boolean {
	if (typeof value === "number") return Number.isFinite(value);
	return value === null || typeof value === "string" || typeof value === "boolean";
}

function isPlain(value: object): boolean {
	if (Array.isArray(value)) return true;
	const prototype = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

/** Looks at own fields by their descriptors: a getter is no data. */
function everyField(value: object, accept: (field: unknown) => boolean): boolean {
	for (const key of Object.keys(value)) {
		const descriptor = Object.getOwnPropertyDescriptor(value, key);
		if (key === "__proto__" || descriptor === undefined || !("value" in descriptor)) return false;
		if (!accept(descriptor.value)) return false;
	}
	return true;
}
