/**
 * Which tool calls a turn may make that the local user did not begin.
 *
 * One table says which doors are known and what closes them; config can only add rows. It is a gate at known doors, not
 * a judge of what a shell command does.
 */
import type { TurnSource } from "./turn-events.ts";

/** When a row holds: in every turn that is not the person's (or was cancelled), or in turns that a peer began. */
type GateScope = "not_user" | "peer";

/** What of a tool's calls a row blocks. */
type GateRule =
	| { readonly blocks: "every_call" }
	/** Calls whose `action` is none of these. */
	| { readonly blocks: "other_actions"; readonly allowed: readonly string[] }
	| { readonly blocks: "action"; readonly action: string }
	/** Calls that give this argument. */
	| { readonly blocks: "argument"; readonly argument: string }
	/** Calls that don't answer the sender of this turn's message, and answers beyond {@link MAX_REPLIES}. */
	| { readonly blocks: "all_but_replies" };

export interface GateRow {
	readonly tool: string;
	readonly scope: GateScope;
	readonly rule: GateRule;
}

/** Messages that a turn which a peer began may send back to that peer. */
export const MAX_REPLIES = 3;

const everyCall: GateRule = { blocks: "every_call" };
const readingMeshActions = [
	"list_agents",
	"status",
	"list",
	"handoff_list",
	"message_inbox",
	"message_ack",
	"growth_list",
];

/** The doors that are known without any config. */
export const GATE_TABLE: readonly GateRow[] = Object.freeze([
	{ tool: "Agent", scope: "not_user", rule: everyCall },
	{ tool: "agent", scope: "not_user", rule: everyCall },
	{ tool: "subagent", scope: "not_user", rule: everyCall },
	{ tool: "steer_subagent", scope: "not_user", rule: everyCall },
	{ tool: "send_subagent", scope: "not_user", rule: everyCall },
	{ tool: "send_user_message", scope: "not_user", rule: everyCall },
	{ tool: "set_active_tools", scope: "not_user", rule: everyCall },
	{ tool: "set_config", scope: "not_user", rule: everyCall },
	{ tool: "mesh", scope: "not_user", rule: { blocks: "other_actions", allowed: readingMeshActions } },
	{ tool: "mesh_control", scope: "not_user", rule: { blocks: "action", action: "grow" } },
	{ tool: "get_peer_context", scope: "peer", rule: everyCall },
	{ tool: "list_pi", scope: "peer", rule: { blocks: "argument", argument: "include" } },
	{ tool: "send_pi_message", scope: "peer", rule: { blocks: "all_but_replies" } },
]);

/** What config may say about the gate. */
export interface GateConfig {
	/** Further tools that are blocked in every turn that is not the person's. */
	readonly extraTools?: readonly string[] | undefined;
	/** Turns that other extensions start: gated like any other (the default), or trusted like the person's. */
	readonly extensionTurns?: "gated" | "trusted" | undefined;
}

/** The turn that a call belongs to. {@link TurnView} is one. */
export interface GatedTurn {
	readonly number: number;
	readonly observed: boolean;
	readonly source: TurnSource;
	readonly cancelled: boolean;
}

export interface GatedCall {
	readonly tool: string;
	/** The call's arguments as the model gave them; anything. */
	readonly input: unknown;
	/** Whether a target as `send_pi_message` takes it names the sender of this turn's message, and nobody else. */
	readonly namesSender: (target: unknown) => boolean;
}

export class ToolGate {
	readonly #rows: ReadonlyMap<string, readonly GateRow[]>;
	readonly #trustsExtensions: boolean;
	#replies = { turn: 0, count: 0 };

	constructor(config: GateConfig = {}) {
		const extra = (config.extraTools ?? []).map((tool): GateRow => ({ tool, scope: "not_user", rule: everyCall }));
		this.#rows = Map.groupBy([...GATE_TABLE, ...extra], (row) => row.tool);
		this.#trustsExtensions = config.extensionTurns === "trusted";
	}

	/**
	 * Why this call is blocked, in words for the model; null when it may run.
	 *
	 * An allowed reply counts, so a call is asked about once.
	 */
	decide(call: GatedCall, turn: GatedTurn): string | null {
		const scopes = this.#scopes(turn);
		const rows = (this.#rows.get(call.tool) ?? []).filter((row) => scopes.includes(row.scope));
		const blocking = rows.find((row) => this.#blocks(row.rule, call, turn));
		return blocking === undefined ? null : blockReason(blocking, turn);
	}

	#scopes(turn: GatedTurn): readonly GateScope[] {
		if (!turn.observed) return [];
		if (turn.source === "peer") return ["not_user", "peer"];
		const trusted = turn.source === "user" || this.#trustsExtensions;
		return trusted && !turn.cancelled ? [] : ["not_user"];
	}

	#blocks(rule: GateRule, call: GatedCall, turn: GatedTurn): boolean {
		switch (rule.blocks) {
			case "every_call":
				return true;
			case "other_actions":
				return !rule.allowed.some((action) => action === argumentOf(call, "action"));
			case "action":
				return argumentOf(call, "action") === rule.action;
			case "argument":
				return argumentOf(call, rule.argument) !== undefined;
			case "all_but_replies":
				return !call.namesSender(argumentOf(call, "target")) || !this.#takeReply(turn.number);
		}
	}

	/** Counts one reply of this turn; false when none is left. */
	#takeReply(turn: number): boolean {
		if (this.#replies.turn !== turn) this.#replies = { turn, count: 0 };
		if (this.#replies.count >= MAX_REPLIES) return false;
		this.#replies.count += 1;
		return true;
	}
}

function argumentOf(call: GatedCall, name: string): unknown {
	if (typeof call.input !== "object" || call.input === null) return undefined;
	return Object.hasOwn(call.input, name) ? (call.input as Record<string, unknown>)[name] : undefined;
}

function blockReason(row: GateRow, turn: GatedTurn): string {
	const next = "Don't try another way; tell the local user what you wanted to do and ask them to request it.";
	return `${row.tool} is blocked here: ${turnInWords(turn)}, ${limitInWords(row.rule)}. ${next}`;
}

function turnInWords(turn: GatedTurn): string {
	if (turn.cancelled) return "this turn was cancelled";
	if (turn.source === "peer") return "a message of another session began this turn";
	return "it is not known that the local user began this turn";
}

function limitInWords(rule: GateRule): string {
	if (rule.blocks === "all_but_replies") {
		return `so it may only answer that message's sender, at most ${MAX_REPLIES} times`;
	}
	if (rule.blocks === "argument") return `so the argument ${rule.argument} is not available`;
	return rule.blocks === "every_call" ? "so this tool is not available" : "so this action is not available";
}
