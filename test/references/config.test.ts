import { describe, expect, test } from "vitest";
import {
	resolveSessionReferenceConfig,
	type SessionReferenceConfig,
	SessionReferenceError,
	SessionReferences,
} from "../../lib/references/index.ts";
import { InMemorySessions } from "./in-memory-sessions.ts";

describe("the configuration of references", () => {
	test("is complete without any setting", () => {
		expect(resolveSessionReferenceConfig()).toEqual({
			maxReferences: 3,
			candidateLimit: 50,
			maxReferenceBytes: 65_536,
		});
	});

	test("may lower each limit", () => {
		const lowered = { maxReferences: 1, candidateLimit: 7, maxReferenceBytes: 2_048 };
		expect(resolveSessionReferenceConfig(lowered)).toEqual(lowered);
	});

	test.each([
		[{ maxReferences: 4 }, "references.maxReferences must be a whole number from 1 to 3."],
		[{ maxReferences: 0 }, "references.maxReferences must be a whole number from 1 to 3."],
		[{ maxReferenceBytes: 65_537 }, "references.maxReferenceBytes must be a whole number from 1 to 65536."],
		[{ maxReferenceBytes: 1.5 }, "references.maxReferenceBytes must be a whole number from 1 to 65536."],
		[{ candidateLimit: "50" }, "references.candidateLimit must be a whole number from 1 to 1000."],
		[{ candidateLimit: null }, "references.candidateLimit must be a whole number from 1 to 1000."],
		[{ maxReference: 2 }, "Known settings: maxReferences, candidateLimit, maxReferenceBytes."],
		[[], "Known settings: maxReferences, candidateLimit, maxReferenceBytes."],
		[null, "Known settings: maxReferences, candidateLimit, maxReferenceBytes."],
	])("%j is refused with what was expected", (config, expected) => {
		expect(() => resolveSessionReferenceConfig(config)).toThrow(
			expect.objectContaining({ code: "SESSION_REFERENCE_INVALID_CONFIG", message: expect.stringContaining(expected) }),
		);
	});

	test("is checked before anything is done with it", () => {
		const wrong: SessionReferenceConfig = { maxReferences: 9 };
		expect(() => new SessionReferences(new InMemorySessions(), wrong)).toThrow(SessionReferenceError);
	});
});

describe("an error", () => {
	test("shows a label as one short printable line", () => {
		const label = `a\u001b[2J\n\u202e${"x".repeat(500)}`;
		const { message } = new SessionReferenceError("SESSION_REFERENCE_READ_FAILED", label);
		expect(message).toMatch(/^@a x{78}: The cited session/);
	});
});
