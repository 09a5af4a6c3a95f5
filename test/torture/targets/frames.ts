/**
 * Frames of the wire: cutting bytes into them, their schemas, and both sides' conversations about whatever they say.
 */
import assert from "node:assert/strict";
import { REQUEST_ID_PATTERN } from "../../../lib/contract/identifiers.ts";
import { CANCEL_SAFE_QUEUE } from "../../../lib/contract/info.ts";
import { parseJson } from "../../../lib/contract/parse-json.ts";
import { type FrameItem, FrameReader } from "../../../lib/wire/frame-reader.ts";
import {
	encodeFrame,
	frameFits,
	type HelloFrame,
	helloFrameSchema,
	messageFrameSchema,
	responseFrameSchema,
	statusFrameSchema,
} from "../../../lib/wire/frames.ts";
import { WIRE_LIMITS } from "../../../lib/wire/limits.ts";
import { type AuthenticatedSender, ReceiverConversation } from "../../../lib/wire/receiver-conversation.ts";
import { SenderConversation } from "../../../lib/wire/sender-conversation.ts";
import { SeededRandom } from "../../support/logs/seeded-random.ts";
import { type FuzzTarget, holdsNothing, samplesOf } from "../fuzz/target.ts";

const receiver = { id: "receiver", instanceId: "a".repeat(32), pid: 7, token: "a1".repeat(32) };
const sender = { id: "sender", instanceId: "b".repeat(32), token: "b2".repeat(32) };

const hello: HelloFrame = {
	v: 1,
	type: "hello",
	requestId: "hello-1",
	token: receiver.token,
	target: { id: receiver.id, instanceId: receiver.instanceId },
	from: sender,
	capabilities: [CANCEL_SAFE_QUEUE],
};
const { from: _, ...probe } = hello;
const message = {
	v: 1,
	type: "message",
	requestId: "message-1",
	messageId: "m-1",
	text: "Who has the parser? 🧭",
	summary: "Who has the parser?",
	sentAt: 1_790_000_000_000,
} as const;
const status = { v: 1, type: "status", requestId: "status-1", messageId: "m-1" } as const;
const ready = {
	v: 1,
	type: "response",
	requestId: hello.requestId,
	ok: true,
	status: "ready",
	capabilities: [CANCEL_SAFE_QUEUE],
	code: "ready",
	state: "ready",
	retryable: false,
	next: "Send one message or status frame.",
	peer: { id: receiver.id, instanceId: receiver.instanceId, pid: 7 },
} as const;
const receipt = { ...ready, requestId: message.requestId, status: "queued", code: "queued", state: "queued" } as const;

const frames = (...values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Bounds at which the same bytes are cut: small ones are met often. */
const FRAME_BOUNDS = [1, 16, 64, 300, WIRE_LIMITS.frameBytes];

export const frameTarget: FuzzTarget = {
	name: "frames",
	samples: samplesOf(
		frames(hello, message),
		frames(hello, status),
		frames(probe),
		frames(ready, receipt),
		`\ufeff${frames(hello, message, status)}`,
		frames({
			...ready,
			ok: false,
			status: "busy",
			code: "busy",
			state: "refused",
			retryable: true,
			error: "It works.",
		}),
		"one\ntwo\n\ngrüße 🧭\n",
	),
	tokens: [
		"\n",
		'"v":1',
		'"type":"hello"',
		'"type":"message"',
		'"requestId":"unknown"',
		`"${CANCEL_SAFE_QUEUE}"`,
		receiver.token,
		sender.token,
		'"capabilities":"x"',
		"invalid_frame",
		"submitted",
	],
	bounds: [8, 16, 64, 128, 200, 300, 400, 512, 2048, 4096],
	// Each input is cut fifteen times. What a frame's own bound does is a test of its own.
	maxBytes: 8 * 1024,
	open: () => holdsNothing(checkFrames),
};

async function checkFrames(bytes: Buffer): Promise<void> {
	const random = new SeededRandom(bytes.reduce((sum, byte) => Math.imul(sum, 31) + byte, bytes.length));
	for (const bound of FRAME_BOUNDS) {
		const whole = cut(bytes, bound, () => bytes.length + 1);
		assert.deepEqual(whole, expectedItems(bytes, bound), `frames of at most ${bound} bytes`);
		assert.deepEqual(
			cut(bytes, bound, () => 1),
			whole,
			"byte by byte",
		);
		assert.deepEqual(
			cut(bytes, bound, () => random.integer(1, 9)),
			whole,
			"in small pieces",
		);
	}
	const items = cut(bytes, WIRE_LIMITS.frameBytes, () => bytes.length + 1);
	for (const item of items) if (item.type === "frame") checkSchemas(parseJson(item.text));
	await checkReceiver(items);
	for (const question of [null, message, status]) checkSender(items, new SenderConversation(hello, question));
}

function cut(bytes: Buffer, bound: number, size: () => number): FrameItem[] {
	const reader = new FrameReader(bound);
	const items: FrameItem[] = [];
	for (let start = 0; start < bytes.length; ) {
		const end = start + size();
		items.push(...reader.push(bytes.subarray(start, end)));
		start = end;
	}
	return [...items, ...reader.end()];
}

/** The same in plain words: lines, one after the other, the first of which may begin with a byte order mark. */
function expectedItems(bytes: Buffer, bound: number): FrameItem[] {
	const items: FrameItem[] = [];
	for (let start = 0; start < bytes.length; ) {
		const feed = bytes.indexOf(0x0a, start);
		const end = feed < 0 ? bytes.length : feed;
		const fits = end - start <= bound - 1;
		const isWhole = fits && feed >= 0;
		const text = decode(bytes.subarray(start, fits ? end : start + bound - 1), start === 0, isWhole);
		if (text === null) return [...items, { type: "fault", fault: "bad_utf8" }];
		if (!isWhole) return [...items, { type: "fault", fault: fits ? "unfinished" : "too_large" }];
		items.push({ type: "frame", text });
		start = end + 1;
	}
	return items;
}

/** @param isWhole false: the last character may be unfinished */
function decode(bytes: Buffer, isFirst: boolean, isWhole: boolean): string | null {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: !isFirst }).decode(bytes, { stream: !isWhole });
	} catch {
		return null;
	}
}

const schemas = [helloFrameSchema, messageFrameSchema, statusFrameSchema, responseFrameSchema];

/** What a schema lets in is within every bound, and survives being sent on. */
function checkSchemas(value: unknown): void {
	for (const schema of schemas) {
		const parsed = schema.safeParse(value);
		if (!parsed.success) continue;
		const frame = parsed.data;
		assert.match(frame.requestId, REQUEST_ID_PATTERN);
		// As JSON: it has no minus zero.
		assert.equal(encodeFrame(schema.parse(JSON.parse(encodeFrame(frame)))), encodeFrame(frame));
		if ("capabilities" in frame && frame.capabilities !== undefined) {
			assert.ok(Array.isArray(frame.capabilities) && frame.capabilities.length <= 8);
			assert.ok(frame.capabilities.every((name) => typeof name === "string" && name.length <= 64));
		}
		if (frame.type === "message") {
			assert.ok(frame.text.isWellFormed() && frame.text.trim() !== "" && frame.text.length <= 1_000_000);
			assert.ok(frame.summary.isWellFormed() && frame.summary.trim() !== "" && [...frame.summary].length <= 200);
			assert.ok(Number.isSafeInteger(frame.sentAt));
		}
	}
}

/** Whatever comes in, the answers are proper frames in our own words, and only a proven sender is heard. */
async function checkReceiver(items: readonly FrameItem[]): Promise<void> {
	const heard: AuthenticatedSender<typeof sender>[] = [];
	let asked = 0;
	const conversation = new ReceiverConversation<typeof sender>({
		identity: receiver,
		isReady: () => true,
		readSenderRegistration: async (instanceId) => (instanceId === sender.instanceId ? sender : null),
		takeMessage(_message, from) {
			heard.push(from);
			return "submitted";
		},
		messageState(_messageId, from) {
			asked += 1;
			heard.push(from);
			return "unknown";
		},
	});
	for (const item of items) {
		const { response, close } = await conversation.answer(item);
		assert.ok(responseFrameSchema.safeParse(JSON.parse(encodeFrame(response))).success);
		assert.ok(frameFits(response));
		// A request's own id comes back, whatever it is.
		const line = encodeFrame({ ...response, requestId: "unknown" });
		assert.ok(!line.includes(receiver.token) && !line.includes(sender.token), "an answer tells a secret");
		if (response.ok && response.status !== "ready") assert.ok(heard.length > 0, "an answer without a question");
		if (close) break;
	}
	assert.ok(heard.length <= 1 && asked <= 1, "one question a connection");
	assert.ok(heard.every(({ registration }) => registration === sender));
}

/** Whatever comes back, an exchange asks its question once at most, and ends in an outcome of the table. */
function checkSender(items: readonly FrameItem[], conversation: SenderConversation): void {
	let asked = 0;
	for (const item of items) {
		const step = conversation.take(item);
		if (step.type === "send") {
			asked += 1;
			continue;
		}
		const { settlement } = step;
		if ("outcome" in settlement) assert.match(settlement.outcome.code, /^[a-z_]+$/);
		break;
	}
	assert.ok(asked <= 1, "a question was asked twice");
}
