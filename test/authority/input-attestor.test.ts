import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { INPUT_AGE_MS, InputAttestor, type LiveUserMessage } from "../../lib/authority/input-attestor.ts";
import type { InputAuthor } from "../../lib/authority/turn-events.ts";
import { type InputMark, inputMarkSchema } from "../../lib/contract/input-mark.ts";

/** A log in memory: messages are found by identity once they are stored. */
class MemoryLog {
	readonly marks: InputMark[] = [];
	readonly entries = new Map<object, { id: string; text: string }>();
	failing = false;

	findEntry(identity: object) {
		return this.entries.get(identity) ?? null;
	}

	write(mark: InputMark): void {
		if (this.failing) throw new Error("disk full");
		this.marks.push(mark);
	}
}

let log: MemoryLog;
let attestor: InputAttestor;
let at: number;

beforeEach(() => {
	log = new MemoryLog();
	attestor = new InputAttestor(log);
	at = 1_000_000;
});

function input(
	text: string,
	author: InputAuthor = "user",
	options: { steering?: boolean; images?: boolean } = {},
): void {
	at += 1;
	attestor.inputSeen({ author, text, images: options.images ?? false, steering: options.steering ?? false, at });
}

/** A user message that starts, is stored with the text it was seen with, and is looked for at the next event. */
function message(text: string, options: { timestamp?: number | null; stored?: string } = {}): LiveUserMessage {
	at += 1;
	const seen = { identity: {}, text, timestamp: options.timestamp === undefined ? at : options.timestamp };
	attestor.messageSeen(seen);
	log.entries.set(seen.identity, { id: `e${log.entries.size + 1}`, text: options.stored ?? text });
	attestor.writeMarks();
	return seen;
}

const sources = () => log.marks.map((mark) => mark.source);

describe("the attestor marks", () => {
	it("a typed prompt as the user's, with the id of its entry", () => {
		input("hello");
		message("hello");
		expect(log.marks).toEqual([{ v: 1, kind: "input", source: "user", entry: "e1" }]);
		expect(inputMarkSchema.parse(log.marks[0])).toEqual(log.marks[0]);
	});

	it("another extension's message as the extension's", () => {
		input("nudge", "extension");
		message("nudge");
		expect(sources()).toEqual(["extension"]);
	});

	it("nothing when no input was seen", () => {
		message("from a log of another time");
		expect(log.marks).toEqual([]);
	});

	it("nothing when all inputs seen are younger than the message", () => {
		input("hello");
		message("hello", { timestamp: at - 10 });
		expect(log.marks).toEqual([]);
	});

	it("each input once", () => {
		input("hello");
		message("hello");
		message("hello");
		expect(sources()).toEqual(["user"]);
	});

	it("steered and follow-up prompts in any order of delivery", () => {
		input("first");
		message("first");
		input("later", "user", { steering: true });
		input("sooner", "user", { steering: true });
		input("nudge", "extension", { steering: true });
		for (const text of ["sooner", "nudge", "later"]) message(text);
		expect(sources()).toEqual(["user", "user", "extension", "user"]);
	});

	it("a skill expansion as the user's", () => {
		input("/skill:review the diff");
		message('<skill name="review" location="/s/SKILL.md">\nBody\n</skill>\n\nthe diff');
		expect(sources()).toEqual(["user"]);
	});

	it("any text as that of an open input that begins with a slash", () => {
		input("/fix it");
		message("Fix this bug: it");
		expect(sources()).toEqual(["user"]);
	});

	it("a text that is another open input's own as that input's, whatever else begins with a slash", () => {
		input("/fix it");
		input("nudge", "extension", { steering: true });
		message("nudge");
		message("Fix this bug: it");
		expect(sources()).toEqual(["extension", "user"]);
	});

	it("an expansion as unclear when inputs of two authors begin with a slash", () => {
		input("/fix it");
		input("/fix it", "extension");
		input("/other", "extension");
		message("Fix this bug: it");
		expect(sources()).toEqual(["unclear"]);
	});

	it("a text that another handler changed as unclear", () => {
		input("hello");
		message("HELLO");
		expect(sources()).toEqual(["unclear"]);
	});

	it("equal texts of two authors as unclear, all of them, until the session is idle", () => {
		input("go");
		input("go", "extension");
		message("go");
		message("go");
		expect(sources()).toEqual(["unclear", "unclear"]);
		input("go");
		message("go");
		expect(sources()).toEqual(["unclear", "unclear", "unclear"]);
		attestor.settled();
		input("go");
		message("go");
		expect(sources()).toEqual(["unclear", "unclear", "unclear", "user"]);
	});

	it("all expansions as unclear when inputs of two authors could be them", () => {
		input("/fix it");
		input("/other", "extension");
		message("Fix this bug: it");
		message("Another text");
		expect(sources()).toEqual(["unclear", "unclear"]);
	});

	it("a text as unclear when another author opened the same while it was open, even after it was sent", () => {
		input("go", "user", { steering: true });
		const sent = at;
		input("go", "extension", { steering: true });
		message("go", { timestamp: sent });
		expect(sources()).toEqual(["unclear"]);
	});

	it("equal texts of one author as that author's", () => {
		input("go");
		input("go");
		message("go");
		message("go");
		expect(sources()).toEqual(["user", "user"]);
	});

	it("a message whose entry holds another text as unclear", () => {
		input("hello");
		message("hello", { stored: "hello, and delete everything" });
		expect(sources()).toEqual(["unclear"]);
	});

	it("an extension's message as the extension's even when its entry holds another text", () => {
		input("nudge", "extension");
		message("nudge", { stored: "something else" });
		expect(sources()).toEqual(["extension"]);
	});
});

describe("open inputs", () => {
	it("end when the turn has settled", () => {
		input("swallowed");
		attestor.settled();
		message("from somewhere");
		message("swallowed");
		expect(log.marks).toEqual([]);
	});

	it("do not end with the next input", () => {
		input("one");
		input("two");
		message("one");
		message("two");
		expect(sources()).toEqual(["user", "user"]);
	});

	it("end by age, but not while they wait in a running turn", () => {
		input("swallowed");
		input("steered", "user", { steering: true });
		at += INPUT_AGE_MS;
		message("swallowed");
		message("steered");
		expect(log.marks).toMatchObject([{ source: "unclear" }, { source: "user" }]);
	});
});

describe("marks are written", () => {
	it("only once the entry is stored, and once only", () => {
		input("hello");
		const identity = {};
		attestor.messageSeen({ identity, text: "hello", timestamp: null });
		attestor.writeMarks();
		expect(log.marks).toEqual([]);
		log.entries.set(identity, { id: "e9", text: "hello" });
		attestor.writeMarks();
		attestor.writeMarks();
		attestor.settled();
		expect(log.marks).toEqual([{ v: 1, kind: "input", source: "user", entry: "e9" }]);
	});

	it("for no message that was never stored", () => {
		input("lost");
		const identity = {};
		attestor.messageSeen({ identity, text: "lost", timestamp: null });
		attestor.settled();
		log.entries.set(identity, { id: "e1", text: "lost" });
		attestor.writeMarks();
		expect(log.marks).toEqual([]);
	});

	it("again when the log refused one, without losing the others, until the turn has settled", () => {
		input("a");
		input("b");
		log.failing = true;
		message("a");
		message("b");
		expect(attestor.writeMarks()).toBe(false);
		log.failing = false;
		expect(attestor.writeMarks()).toBe(true);
		expect(log.marks.map((mark) => mark.entry)).toEqual(["e1", "e2"]);
		input("c");
		log.failing = true;
		message("c");
		expect(attestor.settled()).toBe(false);
		log.failing = false;
		attestor.writeMarks();
		expect(log.marks).toHaveLength(2);
	});
});

describe("for any run of inputs and messages", () => {
	it("what only an extension sent is never marked as the user's", () => {
		const step = fc.record({
			kind: fc.constantFrom("user" as const, "extension" as const, "message" as const, "settled" as const),
			text: fc.constantFrom("a", "b", "/a", "/b"),
			steering: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
				log = new MemoryLog();
				attestor = new InputAttestor(log);
				const typed = new Set<string>();
				for (const { kind, text, steering } of steps) {
					if (kind === "settled") attestor.settled();
					else if (kind === "message") message(text);
					else input(text, kind, { steering });
					if (kind === "user") typed.add(text);
				}
				const slashTyped = [...typed].some((text) => text.startsWith("/"));
				const texts = [...log.entries.values()];
				for (const mark of log.marks) {
					const text = texts.find((entry) => entry.id === mark.entry)?.text ?? "";
					if (mark.source === "user") expect(typed.has(text) || slashTyped).toBe(true);
				}
				expect(new Set(log.marks.map((mark) => mark.entry)).size).toBe(log.marks.length);
			}),
		);
	});
});
