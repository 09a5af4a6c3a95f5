import { describe, expect, it } from "vitest";
import { PEER_CONTEXT_LIMITS } from "../../lib/contract/peer-context.ts";
import { boundLimits, captureWantFor, retentionLimitsFor } from "../../lib/projection/limits.ts";

describe("limits", () => {
	it("are the fixed ones unless lowered", () => {
		expect(boundLimits()).toEqual(PEER_CONTEXT_LIMITS);
		expect(boundLimits({ messages: undefined, tools: Number.NaN })).toEqual(PEER_CONTEXT_LIMITS);
	});

	it("can be lowered, never raised, and are whole numbers of at least 0", () => {
		expect(boundLimits({ messages: 3, messageBytes: 1e9, totalBytes: -5, tools: 2.9 })).toEqual({
			...PEER_CONTEXT_LIMITS,
			messages: 3,
			totalBytes: 0,
			tools: 2,
		});
	});

	it("of the overview hold beside the general ones", () => {
		expect(retentionLimitsFor("overview")).toEqual({ messages: 3, messageBytes: 1024, totalBytes: 16384 });
		expect(retentionLimitsFor("overview", { messages: 2, messageBytes: 500, totalBytes: 700 })).toEqual({
			messages: 2,
			messageBytes: 500,
			totalBytes: 700,
		});
		expect(retentionLimitsFor("overview", { overviewMessages: 1, overviewMessageBytes: 300 })).toMatchObject({
			messages: 1,
			messageBytes: 300,
		});
	});

	it("of a conversation take the caller's number of messages, within what is configured", () => {
		const messages = (configured?: number, asked?: number) =>
			retentionLimitsFor("conversation", { messages: configured }, asked).messages;
		expect([messages(), messages(undefined, 1), messages(4, 8), messages(4, 2), messages(undefined, 99)]).toEqual([
			8, 1, 4, 2, 8,
		]);
		expect(retentionLimitsFor("overview", {}, 1).messages).toBe(3);
	});

	it("tell a reader what to hold, and only for the parts of the view", () => {
		expect(captureWantFor("overview")).toEqual({
			surface: { messages: 3, textBytes: 1024, totalBytes: 16384, checkpoint: false },
			activity: { calls: 8 },
		});
		expect(captureWantFor("conversation", {}, 2)).toEqual({
			surface: { messages: 2, textBytes: 4096, totalBytes: 16384, checkpoint: false },
		});
		expect(captureWantFor("activity", { tools: 5 })).toEqual({ activity: { calls: 5 } });
	});
});
