/**
 * Activity as callers see it: where the turn and the step are, and how the newest tool calls ended.
 *
 * This file promises that of a call nothing is shown but its printable name, its outcome, a time and a fingerprint of
 * its id, and that a call is only called running when turn and session both say so.
 */
import { createHash } from "node:crypto";
import type { PeerContextActivity, RuntimeStatus } from "../contract/peer-context.ts";
import type { CapturedActivity, CapturedCall, StepState, TurnState } from "./events.ts";
import { printableLine } from "./printable.ts";

/** Code points of a tool's name. */
const TOOL_NAME_CODE_POINTS = 64;
/** Hex digits that tell calls apart. */
const CALL_FINGERPRINT_DIGITS = 12;

/** The activity part of a peer context: at most `maxTools` of the newest calls, oldest first. */
export function projectActivity(
	activity: CapturedActivity,
	runtimeStatus: RuntimeStatus,
	maxTools: number,
): PeerContextActivity {
	const newest = activity.calls.slice(Math.max(0, activity.calls.length - maxTools));
	return {
		turn: copyTurn(activity.turn),
		step: copyStep(activity.step),
		tools: newest.map((call) => ({
			name: printableLine(call.name, TOOL_NAME_CODE_POINTS),
			status: callStatus(call, runtimeStatus),
			time: call.time,
			call: callFingerprint(call.callId),
		})),
	};
}

/** A call without a result can only still end in an open turn of a session that runs; everywhere else it failed. */
function callStatus(call: CapturedCall, runtimeStatus: RuntimeStatus): "running" | "completed" | "error" {
	if (call.outcome !== "pending") return call.outcome;
	return call.turnOpen && runtimeStatus === "running" ? "running" : "error";
}

/** Tells calls apart without showing an id, which providers may fill with anything. */
export function callFingerprint(callId: string): string {
	return createHash("sha256").update(callId, "utf8").digest("hex").slice(0, CALL_FINGERPRINT_DIGITS);
}

function copyTurn({ state, number, endReason }: TurnState): PeerContextActivity["turn"] {
	return { state, ...(number !== undefined && { number }), ...(endReason !== undefined && { endReason }) };
}

function copyStep({ state, number }: StepState): PeerContextActivity["step"] {
	return { state, ...(number !== undefined && { number }) };
}
