// Which room may import which: the plan of the house as rules. `./run-clean.sh check` applies them to every kind of import,
// types included. A new room needs a line in this table before anything in it can import another room.
const { dependencies, peerDependencies } = require("./package.json");

/** A room's own files are always open to it; nothing else is, but what stands here. */
const imports = {
	contract: [],
	projection: ["contract"],
	sessions: ["contract", "projection"],
	references: ["contract", "projection", "sessions"],
	wire: ["contract", "peers"],
	peers: ["contract", "projection"],
	inbox: ["contract", "projection", "peers", "wire"],
	authority: ["contract"],
	rpc: ["contract", "projection", "sessions", "references", "peers", "wire", "inbox", "authority"],
	pi: ["contract", "projection", "sessions", "references", "peers", "wire", "inbox", "authority"],
};

const withoutSdk = ["contract", "projection", "references", "wire"];
const sdk = "@earendil-works/pi-|typebox/|typebox$";

const anyOf = (words) => `(${words.join("|")})`;
const published = Object.keys({ ...dependencies, ...peerDependencies });
const typeOnly = ["type-only"];

const rooms = Object.entries(imports).map(([room, others]) => ({
	name: `${room}-imports-only-its-own-rooms`,
	severity: "error",
	comment: others.length > 0 ? `lib/${room} may import ${others.join(", ")}` : `lib/${room} imports no other room`,
	from: { path: `^lib/${room}/` },
	to: { path: "^(lib/|extension\\.ts$)", pathNot: `^lib/${anyOf([room, ...others])}/` },
}));

module.exports = {
	forbidden: [
		...rooms,
		{
			name: "every-room-has-its-rule",
			severity: "error",
			comment: "a file of lib/ that is in no known room",
			from: { path: "^lib/", pathNot: `^lib/${anyOf(Object.keys(imports))}/` },
			to: {},
		},
		{
			name: "nobody-imports-the-extension-or-the-tests",
			severity: "error",
			comment: "extension.ts wires the rooms together; the product knows nothing of its tests",
			from: { path: "^(lib/|extension\\.ts$)" },
			to: { path: "^(extension\\.ts$|test/|docs/)" },
		},
		{
			name: "rooms-without-the-sdk",
			severity: "error",
			comment: `no pi SDK in ${withoutSdk.join(", ")}`,
			from: { path: `^lib/${anyOf(withoutSdk)}/` },
			to: { path: `(^|node_modules/)(${sdk})` },
		},
		{
			name: "contract-imports-zod-and-mitt",
			severity: "error",
			comment: "adapter authors get a door without I/O: zod, and mitt for the bus",
			from: { path: "^lib/contract/" },
			to: { pathNot: "^lib/|(^|node_modules/)(zod|mitt)(/|$)" },
		},
		{
			name: "projection-is-pure",
			severity: "error",
			comment: "no I/O in lib/projection; bytes and hashes are arithmetic",
			from: { path: "^lib/projection/" },
			to: { dependencyTypes: ["core"], pathNot: "^(node:)?(buffer|crypto)$" },
		},
		{
			name: "only-declared-packages",
			severity: "error",
			comment: "a published file may import a dependency or a peer, never a tool of this repository",
			from: { path: "^(lib/|extension\\.ts$)" },
			to: {
				dependencyTypesNot: ["core", "local", "localmodule"],
				pathNot: `^lib/|^extension\\.ts$|(^|node_modules/)${anyOf(published)}(/|$)`,
			},
		},
		{
			name: "no-unresolved-import",
			severity: "error",
			comment: "an import that leads nowhere is one that no rule can judge",
			from: {},
			to: { couldNotResolve: true },
		},
		{
			name: "no-cycle",
			severity: "error",
			comment: "files that load each other in a circle see each other half-made",
			from: { path: "^(lib/|extension\\.ts$)" },
			to: { circular: true, viaOnly: { dependencyTypesNot: typeOnly } },
		},
	],
	options: {
		doNotFollow: { path: "node_modules" },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: "tsconfig.json" },
		enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
	},
};
