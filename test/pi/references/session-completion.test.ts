/** Sessions in the editor: among what others offer, never in their place, never late, never for a text that is gone. */
import { setTimeout as wait } from "node:timers/promises";
import type { AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { describe, expect, test, vi } from "vitest";
import { SessionCompletion, type SessionCompletionOptions } from "../../../lib/pi/references/session-completion.ts";
import { formatSessionReferenceMention, type ReferenceCandidate } from "../../../lib/references/index.ts";

const session = (label: string): ReferenceCandidate => ({
	sessionId: `id of ${label}`,
	label,
	cwd: "/home/\u001b[2Jplace",
	changedAt: 0,
	live: false,
});
const sessions = ["Retry work", "Parser] notes", "日本語"].map(session);

const item = (value: string) => ({ value, label: value });

/** What another completion offers, whatever is asked. */
function others(suggestions: AutocompleteSuggestions | null = null): AutocompleteProvider {
	return {
		getSuggestions: async () => suggestions,
		applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
	};
}

const listCandidates: SessionCompletionOptions["listCandidates"] = async (search) =>
	sessions.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));

function completion(beside = others(), options: Partial<SessionCompletionOptions> = {}): SessionCompletion {
	const fence = new AbortController().signal;
	return new SessionCompletion(beside, { listCandidates, fence, now: () => 60_000, ...options });
}

/** What is offered at the end of a line. */
function at(provider: AutocompleteProvider, text: string, signal = new AbortController().signal) {
	return provider.getSuggestions([text], 0, text.length, { signal });
}

const labels = (suggestions: AutocompleteSuggestions | null) => suggestions?.items.map(({ label }) => label);

describe("after an @", () => {
	test("offers the sessions that match; choosing one inserts its mention", async () => {
		expect(await at(completion(), "go on with @retry")).toEqual({
			prefix: "@retry",
			items: [
				{
					value: formatSessionReferenceMention({ sessionId: "id of Retry work", label: "Retry work" }),
					label: "@Retry work",
					description: "session · 1m ago · /home/place",
				},
			],
		});
	});

	test.each(["@", "see @", "(@", "請看@", "これ@", "「@", "看！@"])("begins at %s", async (text) => {
		expect(labels(await at(completion(), text))).toHaveLength(3);
	});

	test.each(["mail me@", "a/@", "x_@", '@"', "see @ x", "@Retry work"])("does not begin at %s", async (text) => {
		expect(await at(completion(), text)).toBeNull();
	});

	test("keeps the first of what others offer above, and the rest below", async () => {
		const files = ["@a.ts", "@b.ts", "@c.ts", "@d.ts"].map(item);
		const offered = await at(completion(others({ prefix: "@", items: files })), "@");
		expect(labels(offered)).toEqual([
			...["@a.ts", "@b.ts", "@c.ts"],
			...["@Retry work", "@Parser] notes", "@日本語"],
			"@d.ts",
		]);
	});

	test("stands alone where others would replace more than what was typed after it", async () => {
		const path = others({ prefix: "請看@", items: [item("請看@.txt")] });
		expect(labels(await at(completion(path), "請看@retry"))).toEqual(["@Retry work"]);
	});
});

describe("others are not disturbed", () => {
	const files = { prefix: "@zz", items: [item("@zz.ts")] };

	test("when no session matches, when they can't be listed, and after the end", async () => {
		expect(await at(completion(others(files)), "@zz")).toBe(files);
		const failing = { listCandidates: () => Promise.reject(new Error("no catalogue")) };
		expect(await at(completion(others(files), failing), "@zz")).toBe(files);
		expect(await at(completion(others(files), { fence: AbortSignal.abort() }), "@")).toBe(files);
		expect(await at(completion(others(files)), "zz")).toBe(files);
	});

	test("when the sessions take too long: then only they are missing", async () => {
		const slow: SessionCompletionOptions["listCandidates"] = (_search, signal) =>
			new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
		const started = performance.now();
		expect(await at(completion(others(files), { listCandidates: slow }), "@zz")).toBe(files);
		expect(performance.now() - started).toBeLessThan(2000);
	});

	test("by an answer for a text that is no longer there", async () => {
		const gone = new AbortController();
		const late: SessionCompletionOptions["listCandidates"] = async () => {
			gone.abort();
			await wait(1);
			return sessions;
		};
		expect(await at(completion(others(files), { listCandidates: late }), "@", gone.signal)).toBeNull();
	});

	test("in what they apply and when they are asked", () => {
		const beside = { ...others(), triggerCharacters: ["#"], shouldTriggerFileCompletion: vi.fn(() => false) };
		const provider = completion(beside);
		expect(provider.triggerCharacters).toEqual(["#"]);
		expect(provider.shouldTriggerFileCompletion(["a"], 0, 1)).toBe(false);
		expect(completion().shouldTriggerFileCompletion(["a"], 0, 1)).toBe(true);
		expect(provider.applyCompletion(["a"], 0, 1, item("b"), "a")).toEqual({
			lines: ["a"],
			cursorLine: 0,
			cursorCol: 1,
		});
	});
});
