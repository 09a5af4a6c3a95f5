/**
 * fast-check arbitraries for single entries, still without a place in a tree: references are numbers that
 * random-tree.ts turns into ids.
 */
import fc from "fast-check";
import type { JsonObject } from "./pi-entries.ts";
import {
	assistantContent,
	forbiddenPayload,
	forbiddenText,
	hardText,
	skillPrompt,
	textBlockLike,
	toolResultContent,
	userContent,
} from "./random-content.ts";

/** Another entry, by how far it is from this one: `back` 1 is the entry before. */
export type Reference =
	| { readonly kind: "back"; readonly distance: number }
	| { readonly kind: "forward"; readonly distance: number }
	| { readonly kind: "self" }
	| { readonly kind: "absent" };

export type ParentReference = Reference | { readonly kind: "root" | "keyMissing" };

/** An entry without its place. `target` and `firstKept` become ids (an index in version 1). */
export interface EntryDraft {
	readonly type: string;
	/** As pi writes it: extension entries have their payload before their ids. */
	readonly payloadFirst: boolean;
	readonly payload: JsonObject;
	readonly target?: Reference;
	readonly firstKept?: Reference | { readonly kind: "keyMissing" };
}

const back = (max: number): fc.Arbitrary<Reference> =>
	fc.integer({ min: 1, max }).map((distance) => ({ kind: "back", distance }));

const forward: fc.Arbitrary<Reference> = fc
	.integer({ min: 1, max: 4 })
	.map((distance) => ({ kind: "forward", distance }));

function message(fields: fc.Arbitrary<JsonObject>): fc.Arbitrary<EntryDraft> {
	return fields.map((value) => ({ type: "message", payloadFirst: false, payload: { message: value } }));
}

function plain(type: string, fields: fc.Arbitrary<JsonObject>, payloadFirst = false): fc.Arbitrary<EntryDraft> {
	return fields.map((payload) => ({ type, payloadFirst, payload }));
}

const timestamp = fc.constantFrom(1772355600000, 0);

const user = message(
	fc.record({
		role: fc.constant("user"),
		content: fc.oneof({ arbitrary: userContent, weight: 12 }, { arbitrary: fc.constant(null), weight: 1 }),
		timestamp,
	}),
);

const skillUser = message(
	fc
		.tuple(skillPrompt, fc.boolean())
		.map(([text, asString]) => ({ role: "user", content: asString ? text : [{ type: "text", text }], timestamp: 1 })),
);

const assistant = message(
	fc.record(
		{
			role: fc.constant("assistant"),
			content: assistantContent,
			api: fc.constant("anthropic-messages"),
			provider: fc.constant("anthropic"),
			model: fc.constant("some-model"),
			usage: fc.constant({ input: 1, output: 2, cost: { total: 0.1 } }),
			stopReason: fc.oneof(
				{ arbitrary: fc.constantFrom("stop", "length", "toolUse"), weight: 6 },
				{ arbitrary: fc.constantFrom("error", "aborted", "pending", "deferred"), weight: 2 },
				{ arbitrary: fc.constantFrom("", "unheard of"), weight: 1 },
			),
			timestamp,
			responseId: forbiddenText,
			errorMessage: forbiddenText,
			diagnostics: fc.array(forbiddenPayload, { maxLength: 1 }),
		},
		{ requiredKeys: ["role", "content", "stopReason", "timestamp"] },
	),
);

const toolResult = message(
	fc.record(
		{
			role: fc.constant("toolResult"),
			toolCallId: fc.constantFrom("call_1", "call_2", 'call"3'),
			toolName: fc.constantFrom("bash", "read"),
			content: toolResultContent,
			details: forbiddenPayload,
			isError: fc.boolean(),
			timestamp,
		},
		{ requiredKeys: ["role", "toolCallId", "toolName", "content", "isError", "timestamp"] },
	),
);

/** Roles that are never shown. `hookMessage` is what version 2 called `custom`. */
const otherMessage = message(
	fc.record({
		role: fc.constantFrom("system", "custom", "hookMessage", "bashExecution", "developer"),
		content: fc.oneof(forbiddenText, fc.constant([{ type: "text", text: "FORBIDDEN" }])),
		command: forbiddenText,
		output: forbiddenText,
		sections: forbiddenPayload,
		timestamp,
	}),
);

const compaction: fc.Arbitrary<EntryDraft> = fc
	.tuple(
		hardText,
		fc.oneof(
			{ arbitrary: back(8), weight: 8 },
			{ arbitrary: fc.constantFrom({ kind: "self" } as const, { kind: "absent" } as const), weight: 3 },
			{ arbitrary: fc.constant({ kind: "keyMissing" } as const), weight: 1 },
			{ arbitrary: forward, weight: 1 },
		),
		fc.record(
			{ details: forbiddenPayload, fromHook: fc.boolean(), systemMessage: forbiddenPayload },
			{ requiredKeys: [] },
		),
	)
	.map(([summary, firstKept, rest]) => ({
		type: "compaction",
		payloadFirst: false,
		payload: { summary, firstKeptEntryId: undefined, tokensBefore: 100, ...rest },
		firstKept,
	}));

/** Version 1 has no ids, so that an edit there can only name an entry that isn't there. */
const contextEdit: fc.Arbitrary<EntryDraft> = fc
	.tuple(
		fc.oneof(
			{ arbitrary: back(5), weight: 12 },
			{ arbitrary: fc.constantFrom({ kind: "self" } as const, { kind: "absent" } as const), weight: 1 },
			{ arbitrary: forward, weight: 1 },
		),
		fc.oneof(
			fc.constant(null),
			hardText.map((content) => ({ content })),
			fc.array(textBlockLike, { maxLength: 3 }).map((content) => ({ content })),
		),
	)
	.map(([target, replacement]) => ({
		type: "context_edit",
		payloadFirst: false,
		payload: { targetId: undefined, replacement },
		target,
	}));

const label: fc.Arbitrary<EntryDraft> = back(5).map((target) => ({
	type: "label",
	payloadFirst: false,
	payload: { targetId: undefined, label: "FORBIDDEN label" },
	target,
}));

const customMessage = plain(
	"custom_message",
	fc.record(
		{
			customType: fc.constant("reminder"),
			content: fc.oneof(forbiddenText, toolResultContent),
			display: fc.boolean(),
			details: forbiddenPayload,
		},
		{ requiredKeys: ["customType", "content", "display"] },
	),
	true,
);

/** How much a log's writers and its history got up to. Calm logs have long surfaces, wild ones everything else. */
export type Temper = "calm" | "wild";

/** Any entry, with the kinds that decide what is shown more often than the others. */
export function entryDraft(temper: Temper): fc.Arbitrary<EntryDraft> {
	return fc.oneof(
		{ arbitrary: user, weight: 8 },
		{ arbitrary: skillUser, weight: 1 },
		{ arbitrary: assistant, weight: 10 },
		{ arbitrary: toolResult, weight: 4 },
		{ arbitrary: otherMessage, weight: 2 },
		{ arbitrary: compaction, weight: temper === "wild" ? 4 : 1 },
		{ arbitrary: contextEdit, weight: temper === "wild" ? 6 : 2 },
		{ arbitrary: customMessage, weight: 2 },
		...neverShown.map((arbitrary) => ({ arbitrary, weight: 1 })),
	);
}

const neverShown: readonly fc.Arbitrary<EntryDraft>[] = [
	plain("custom", fc.record({ customType: fc.constant("state"), data: forbiddenPayload }), true),
	plain("branch_summary", fc.record({ fromId: fc.constant("00000000"), summary: forbiddenText })),
	label,
	plain("session_info", fc.record({ name: hardText }, { requiredKeys: [] })),
	plain("model_change", fc.record({ provider: forbiddenText, modelId: forbiddenText })),
	plain("thinking_level_change", fc.constant({ thinkingLevel: "high" })),
	plain("usage", fc.record({ kind: forbiddenText, usage: fc.constant({ input: 1 }) })),
	plain("future_entry", fc.record({ payload: forbiddenPayload, text: forbiddenText })),
];

const previous: fc.Arbitrary<Reference> = fc.constant({ kind: "back", distance: 1 });

/** The entry that this one continues: nearly always the one before it. */
export function parentReference(temper: Temper): fc.Arbitrary<ParentReference> {
	if (temper === "calm") {
		return fc.oneof({ arbitrary: previous, weight: 30 }, { arbitrary: back(6), weight: 1 });
	}
	return fc.oneof(
		{ arbitrary: previous, weight: 70 },
		{ arbitrary: back(10), weight: 5 },
		{ arbitrary: fc.constantFrom({ kind: "root" } as const, { kind: "absent" } as const), weight: 2 },
		{ arbitrary: fc.constantFrom({ kind: "keyMissing" } as const, { kind: "self" } as const), weight: 1 },
		{ arbitrary: forward, weight: 1 },
	);
}
