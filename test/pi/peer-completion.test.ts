/** `@name [ref]` in the editor: beside what others offer, never in their place, and never for a text that is gone. */
import type { AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { PeerCompletion } from "../../lib/pi/peer-completion.ts";

const peer = (name: string, digit: string) => ({
	name,
	instanceId: digit.repeat(32),
	cwd: "/home/\u001b[2Jplace",
	status: "idle" as const,
});
const peers = [peer("parser", "a"), peer("Printer", "b"), peer("日本", "c")];

/** The file completion of an editor. */
function files(suggestions: AutocompleteSuggestions | null = null): AutocompleteProvider & { asked: number } {
	const provider = {
		asked: 0,
		getSuggestions: async () => {
			provider.asked += 1;
			return suggestions;
		},
		applyCompletion: (lines: string[], cursorLine: number, cursorCol: number) => ({ lines, cursorLine, cursorCol }),
	};
	return provider;
}

interface Setting {
	readonly others?: AutocompleteProvider;
	readonly readPeers?: () => Promise<typeof peers>;
	readonly fence?: AbortSignal;
	readonly now?: () => number;
}

function completion({ others = files(), fence = new AbortController().signal, ...rest }: Setting = {}): PeerCompletion {
	return new PeerCompletion(others, { readPeers: async () => peers, fence, ...rest });
}

/** What is offered at the end of a line. */
function at(provider: AutocompleteProvider, text: string, signal = new AbortController().signal) {
	return provider.getSuggestions([text], 0, text.length, { signal });
}

const valuesOf = (suggestions: AutocompleteSuggestions | null) => suggestions?.items.map(({ value }) => value);

describe("after an @ at the beginning of a word", () => {
	test("offers the peers whose name or ref fits, with their ref and nothing that moves the cursor", async () => {
		expect(await at(completion(), "ask @par")).toEqual({
			prefix: "@par",
			items: [{ value: "@parser [aaaaaaaa]", label: "@parser [aaaaaaaa]", description: "idle · /home/place" }],
		});
		expect(valuesOf(await at(completion(), "@P"))).toEqual(["@parser [aaaaaaaa]", "@Printer [bbbbbbbb]"]);
		expect(valuesOf(await at(completion(), "@日"))).toEqual(["@日本 [cccccccc]"]);
		expect(valuesOf(await at(completion(), "(@bbb"))).toEqual(["@Printer [bbbbbbbb]"]);
		expect(valuesOf(await at(completion(), "@"))).toHaveLength(3);
	});

	test("puts them before what others offer for the same stretch of text", async () => {
		const others = files({ prefix: "@pa", items: [{ value: "@package.json", label: "package.json" }] });
		expect(valuesOf(await at(completion({ others }), "@pa"))).toEqual(["@parser [aaaaaaaa]", "@package.json"]);
	});

	test("leaves others alone where they mean another stretch of text, or no peer fits", async () => {
		const wider = { prefix: '@"pa', items: [{ value: '@"pa th"', label: "pa th" }] };
		expect(await at(completion({ others: files(wider) }), "@pa")).toEqual(wider);
		const file = { prefix: "@zzz", items: [{ value: "@zzz.ts", label: "zzz.ts" }] };
		expect(await at(completion({ others: files(file) }), "@zzz")).toEqual(file);
	});

	test.each(["mail me@par", "par", "@one two", '@"par'])("but not in %s", async (text) => {
		const others = files();
		const readPeers = () => Promise.reject(new Error("Nobody asked."));
		expect(await at(completion({ others, readPeers }), text)).toBeNull();
		expect(others.asked).toBe(1);
	});
});

describe("an answer that comes late", () => {
	test("is no answer when the text has changed meanwhile", async () => {
		const looked = Promise.withResolvers<typeof peers>();
		const provider = completion({ readPeers: () => looked.promise });
		const typing = new AbortController();
		const stale = at(provider, "@par", typing.signal);
		typing.abort();
		const fresh = at(provider, "@pri");
		looked.resolve(peers);
		expect(await stale).toBeNull();
		expect(valuesOf(await fresh)).toEqual(["@Printer [bbbbbbbb]"]);
	});

	test("holds no peers when the session is over", async () => {
		const looked = Promise.withResolvers<typeof peers>();
		const end = new AbortController();
		const file = { prefix: "@pa", items: [{ value: "@package.json", label: "package.json" }] };
		const provider = completion({ others: files(file), readPeers: () => looked.promise, fence: end.signal });
		const offered = at(provider, "@pa");
		end.abort();
		looked.resolve(peers);
		expect(await offered).toEqual(file);
		expect(await at(provider, "@pa")).toEqual(file);
	});
});

test("one look at the peers serves the keys of a second", async () => {
	let looks = 0;
	let now = 0;
	const readPeers = async () => {
		looks += 1;
		return peers;
	};
	const provider = completion({ readPeers, now: () => now });
	for (const text of ["@", "@p", "@pa"]) await at(provider, text);
	expect(looks).toBe(1);
	now = 1000;
	await at(provider, "@par");
	expect(looks).toBe(2);
});

test("everything but the list of suggestions is as it was", () => {
	const others = { ...files(), triggerCharacters: ["#"], shouldTriggerFileCompletion: () => false };
	const provider = completion({ others });
	expect(provider.triggerCharacters).toEqual(["#"]);
	expect(provider.shouldTriggerFileCompletion(["@"], 0, 1)).toBe(false);
	expect(completion().shouldTriggerFileCompletion(["@"], 0, 1)).toBe(true);
	const item = { value: "@parser [aaaaaaaa]", label: "" };
	expect(provider.applyCompletion(["@p"], 0, 2, item, "@p")).toEqual({ lines: ["@p"], cursorLine: 0, cursorCol: 2 });
});
