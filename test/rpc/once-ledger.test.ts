import fc from "fast-check";
import { expect, it } from "vitest";
import { OnceLedger } from "../../lib/rpc/once-ledger.ts";

it("an id can be claimed once", () => {
	const ledger = new OnceLedger();
	expect(ledger.claimOnce("a")).toBe(true);
	expect(ledger.claimOnce("a")).toBe(false);
	expect(ledger.claimOnce("__proto__")).toBe(true);
	expect(ledger.claimOnce("__proto__")).toBe(false);
});

it("holds 256 ids unless configured otherwise, and then takes no more", () => {
	const ledger = new OnceLedger();
	for (let index = 0; index < 256; index += 1) expect(ledger.claimOnce(`id-${index}`)).toBe(true);
	expect(ledger.remaining).toBe(0);
	expect(ledger.claimOnce("one-more")).toBe(false);
	expect(ledger.claimOnce("id-0")).toBe(false);
});

it.each([0, -1, 1.5, 4097, Number.NaN])("a capacity of %s is refused", (capacity) => {
	expect(() => new OnceLedger(capacity)).toThrow(RangeError);
});

it.each([1, 4096])("a capacity of %s is possible", (capacity) => {
	expect(new OnceLedger(capacity).remaining).toBe(capacity);
});

it("grants each id once, never more than its capacity, and remaining only falls", () => {
	const id = fc.constantFrom("a", "b", "c", "d", "e");
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 4 }), fc.array(id, { maxLength: 20 }), (capacity, ids) => {
			const ledger = new OnceLedger(capacity);
			const granted = ids.filter((candidate) => ledger.claimOnce(candidate));
			expect(granted).toEqual([...new Set(ids)].slice(0, capacity));
			expect(ledger.remaining).toBe(capacity - granted.length);
		}),
	);
});
