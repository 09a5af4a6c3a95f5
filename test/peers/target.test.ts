/** Which peer a written target means. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Addressable, exactInstanceId, isTarget, matchTarget } from "../../lib/peers/target.ts";

const ada: Addressable = { id: "0199-ada", instanceId: `abcdef12${"0".repeat(24)}`, name: "ada" };
const bob: Addressable = { id: "0199-bob", instanceId: `abcdef99${"1".repeat(24)}`, name: "bob [the second]" };
const twin: Addressable = { id: "0199-ada", instanceId: `123456aa${"2".repeat(24)}`, name: "ada" };
const peers = [ada, bob, twin];

describe("a target", () => {
	it.each<[string, string, Addressable[]]>([
		["an exact name", "bob [the second]", [bob]],
		["a name that two peers have", "ada", [ada, twin]],
		["a session id that two processes have open", "0199-ada", [ada, twin]],
		["a session id", "0199-bob", [bob]],
		["an instance id", ada.instanceId, [ada]],
		["an instance id in capitals", ada.instanceId.toUpperCase(), [ada]],
		["a hex prefix of six", "123456", [twin]],
		["a hex prefix that two share", "abcdef", [ada, bob]],
		["a hex prefix of five", "12345", []],
		["a name with a ref", "ada [abcdef12]", [ada]],
		["a name with a shorter ref", "ada [123456]", [twin]],
		["a name with another's ref", "bob [abcdef12]", []],
		["a name with brackets and a ref", "bob [the second] [abcdef99]", [bob]],
		["part of a name", "ad", []],
		["a name in other letters", "ADA", []],
		["nobody", "carol", []],
		["32 hex digits of nobody", "f".repeat(32), []],
	])("that is %s", (_, target, expected) => {
		expect(matchTarget(target, peers)).toEqual(expected);
		expect(matchTarget(`@${target}`, peers)).toEqual(expected);
		expect(matchTarget(` @${target} `, peers)).toEqual(expected);
	});

	it("of 32 hex digits is never a name", () => {
		const named = { ...bob, name: ada.instanceId };
		expect(matchTarget(ada.instanceId, [ada, named])).toEqual([ada]);
		expect(matchTarget(ada.instanceId, [named])).toEqual([]);
	});

	it("that another peer took for its name is ambiguous, not that peer's", () => {
		const named = { ...twin, name: "abcdef12" };
		expect(matchTarget("abcdef12", [ada, named])).toEqual([ada, named]);
		expect(matchTarget("0199-bob", [bob, { ...ada, name: "0199-bob" }])).toHaveLength(2);
	});

	it("may be a name that begins with @ itself", () => {
		const named = { ...ada, name: "@ada" };
		expect(matchTarget("@ada", [named, twin])).toEqual([named, twin]);
		expect(matchTarget("@@ada", [named])).toEqual([named]);
	});

	it("is nothing when it is blank or endless", () => {
		for (const target of ["", " ", "@", " @ ", "a".repeat(1025)]) {
			expect(isTarget(target)).toBe(false);
			expect(matchTarget(target, peers)).toEqual([]);
		}
	});

	it("that is a label always finds its peer among peers of any names", () => {
		const names = fc.array(
			fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name.trim() === name),
			{
				minLength: 1,
				maxLength: 5,
			},
		);
		fc.assert(
			fc.property(names, (given) => {
				const named = given.map((name, index) => ({
					id: `s${index}`,
					instanceId: `${index}`.repeat(8) + "e".repeat(24),
					name,
				}));
				for (const peer of named) {
					expect(matchTarget(`@${peer.name} [${peer.instanceId.slice(0, 8)}]`, named)).toContain(peer);
				}
			}),
		);
	});

	it("is an exact instance id only as a whole", () => {
		expect(exactInstanceId(`@${ada.instanceId}`)).toBe(ada.instanceId);
		expect(exactInstanceId(ada.instanceId.slice(1))).toBeNull();
	});
});
