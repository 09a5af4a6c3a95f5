import { describe, expect, it } from "vitest";
import { ResentPrompts } from "../../lib/authority/resent-prompts.ts";

describe("the author of an input", () => {
	it("is a person for typed and RPC inputs", () => {
		const resent = new ResentPrompts();
		expect(resent.authorOf("interactive", "hello")).toBe("user");
		expect(resent.authorOf("rpc", "hello")).toBe("user");
	});

	it("is an extension for anything that an extension sends", () => {
		expect(new ResentPrompts().authorOf("extension", "hello")).toBe("extension");
	});

	it("is the person whose held prompt is handed to pi again, once", () => {
		const resent = new ResentPrompts();
		resent.announce("hello");
		expect(resent.authorOf("extension", "other")).toBe("extension");
		expect(resent.authorOf("extension", "hello")).toBe("user");
		expect(resent.authorOf("extension", "hello")).toBe("extension");
	});

	it("is an extension when the announcement was taken back or forgotten", () => {
		const resent = new ResentPrompts();
		resent.announce("a");
		resent.withdraw("a");
		resent.announce("b");
		resent.clear();
		expect(resent.authorOf("extension", "a")).toBe("extension");
		expect(resent.authorOf("extension", "b")).toBe("extension");
	});

	it("does not use up an announcement for a typed input", () => {
		const resent = new ResentPrompts();
		resent.announce("hello");
		resent.authorOf("interactive", "hello");
		expect(resent.authorOf("extension", "hello")).toBe("user");
	});
});
