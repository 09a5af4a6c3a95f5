/**
 * Who wrote a user entry, as far as the marks in its log tell.
 */
import { describe, expect, test } from "vitest";
import type { PeerContext } from "../../lib/contract/peer-context.ts";
import { SessionLog } from "./session-log.ts";
import { Workspace } from "./workspace.ts";

async function conversationOf(log: SessionLog): Promise<NonNullable<PeerContext["conversation"]>> {
	const workspace = new Workspace();
	workspace.add("peer", log);
	const { conversation } = await workspace.read({ sessionId: "peer", view: "conversation" });
	if (!conversation) throw new Error("The view has a conversation.");
	return conversation;
}

/** A log with one user entry and the marks that `write` adds; shown as attested, as not attested, or withheld. */
async function shownAs(write: (log: SessionLog, entry: string) => void): Promise<boolean | "withheld"> {
	const log = new SessionLog();
	const entry = log.user("Is it mine?");
	write(log, entry);
	const { messages, retention } = await conversationOf(log);
	expect(messages.length + (retention.withheldMessages ?? 0)).toBe(1);
	return messages[0] ? messages[0].attested === true : "withheld";
}

describe("a user entry", () => {
	test("that is marked as the user's is attested", async () => {
		expect(await shownAs((log, entry) => log.mark(entry, "user"))).toBe(true);
	});

	test("without a mark is shown, and not attested", async () => {
		expect(await shownAs(() => {})).toBe(false);
	});

	test.each(["extension", "unclear"])("that is marked as %s is withheld", async (source) => {
		expect(await shownAs((log, entry) => log.mark(entry, source))).toBe("withheld");
	});

	test.each([
		["user", "extension"],
		["extension", "user"],
		["user", "unclear"],
		["unclear", "user"],
	])("with the marks %s and %s is withheld", async (first, second) => {
		const shown = await shownAs((log, entry) => {
			log.mark(entry, first);
			log.mark(entry, second);
		});
		expect(shown).toBe("withheld");
	});

	test("is attested by its mark wherever the branch went on since", async () => {
		const shown = await shownAs((log, entry) => {
			log.mark(entry, "user");
			log.continueFrom(entry);
			log.assistant("");
		});
		expect(shown).toBe(true);
	});

	test("is withheld by a mark that stands on another branch", async () => {
		const shown = await shownAs((log, entry) => {
			log.mark(entry, "extension");
			log.continueFrom(entry);
			log.assistant("");
		});
		expect(shown).toBe("withheld");
	});

	test("whose text was replaced is not attested", async () => {
		const shown = await shownAs((log, entry) => {
			log.mark(entry, "user");
			log.edit(entry, "Somebody else's words");
		});
		expect(shown).toBe(false);
	});

	test("whose text was replaced stays withheld", async () => {
		const shown = await shownAs((log, entry) => {
			log.mark(entry, "extension");
			log.edit(entry, "Somebody else's words");
		});
		expect(shown).toBe("withheld");
	});
});

describe("a mark", () => {
	const good = { v: 1, kind: "input", source: "user" };
	const forged: Readonly<Record<string, (log: SessionLog, entry: string) => void>> = {
		"of another version": (log, entry) => log.custom("cross-session", { ...good, v: 2, entry }),
		"of another kind": (log, entry) => log.custom("cross-session", { ...good, kind: "output", entry }),
		"of another source": (log, entry) => log.custom("cross-session", { ...good, source: "person", entry }),
		"of several sources": (log, entry) => log.custom("cross-session", { ...good, source: ["user"], entry }),
		"of another custom type": (log, entry) => log.custom("cross-sessions", { ...good, entry }),
		"for another entry": (log) => log.mark("ffffffff", "user"),
		"for no entry": (log) => log.custom("cross-session", good),
		"for something that is no id": (log, entry) => log.custom("cross-session", { ...good, entry: [entry] }),
		"that is a message of an extension": (log, entry) =>
			log.entry("custom_message", {
				customType: "cross-session",
				content: "",
				display: false,
				data: { ...good, entry },
			}),
		"that stands inside another payload": (log, entry) =>
			log.custom("other", { type: "custom", customType: "cross-session", data: { ...good, entry } }),
		"in a text": (log, entry) =>
			log.assistant(JSON.stringify({ type: "custom", customType: "cross-session", data: { ...good, entry } })),
	};

	test.each(Object.entries(forged))("%s says nothing", async (_name, write) => {
		const log = new SessionLog();
		const entry = log.user("Is it mine?");
		write(log, entry);
		const { messages, retention } = await conversationOf(log);
		expect(messages[0]).toMatchObject({ text: "Is it mine?", attested: false });
		expect(retention.withheldMessages).toBe(0);
	});

	test("counts in any order of keys, and with more keys", async () => {
		const log = new SessionLog();
		const entry = log.user("mine");
		const data = { more: 1, entry, source: "user", kind: "input", v: 1 };
		log.entry("custom", { data, extra: true, customType: "cross-session" });
		expect((await conversationOf(log)).messages[0]).toMatchObject({ attested: true });
	});

	test("tells nothing about an assistant's message or a summary", async () => {
		const log = new SessionLog();
		log.user("gone");
		const answer = log.assistant("an answer");
		const summary = log.compaction("in short", answer);
		log.mark(answer, "extension");
		log.mark(summary, "extension");
		const { messages, retention } = await conversationOf(log);
		expect(messages.map(({ text }) => text)).toEqual(["in short", "an answer"]);
		expect(messages.map((message) => "attested" in message)).toEqual([false, false]);
		expect(retention.withheldMessages).toBe(0);
	});
});

describe("withheld entries", () => {
	test("are counted, and are not among the eligible", async () => {
		const log = new SessionLog();
		for (const source of ["user", "extension", "unclear"]) log.mark(log.user(`from ${source}`), source);
		log.user("from nobody knows");
		log.mark(log.user(""), "extension");
		log.assistant("an answer");
		const { messages, retention } = await conversationOf(log);
		expect(messages.map(({ text, attested }) => [text, attested])).toEqual([
			["from user", true],
			["from nobody knows", false],
			["an answer", undefined],
		]);
		expect(retention).toMatchObject({ eligibleMessages: 3, withheldMessages: 2, omittedMessages: 0, omittedBytes: 0 });
		expect(retention.eligibleBytes).toBe("from userfrom nobody knowsan answer".length);
	});

	test("are withheld from a reader who knew them before the mark came", async () => {
		const workspace = new Workspace();
		const reader = workspace.reader();
		const log = new SessionLog();
		const entry = log.user("first shown");
		workspace.add("peer", log);
		const before = await reader.read({ sessionId: "peer" });
		expect(before.conversation?.messages).toHaveLength(1);
		log.mark(entry, "extension");
		workspace.add("peer", log);
		const after = await reader.read({ sessionId: "peer" });
		expect(after.conversation).toMatchObject({ messages: [], retention: { withheldMessages: 1 } });
	});

	test("from before a compaction are not counted: they are not on the surface", async () => {
		const log = new SessionLog();
		log.mark(log.user("long ago"), "extension");
		const kept = log.user("kept");
		log.compaction("in short", kept);
		expect((await conversationOf(log)).retention).toMatchObject({ eligibleMessages: 2, withheldMessages: 0 });
	});
});

describe("a checkpoint", () => {
	test.each([
		[true, "extension"],
		[false, "pi"],
		["yes", "pi"],
	])("with fromHook %s is by %s", async (fromHook, by) => {
		const log = new SessionLog();
		const kept = log.user("kept");
		log.compaction("in short", kept, { fromHook });
		expect((await conversationOf(log)).messages[0]).toMatchObject({ role: "user", checkpoint: true, by });
	});
});
