/**
 * The adapter's facts as lines for a person. What other sessions wrote is stripped of everything a terminal obeys.
 */
import type { PeerContextReply } from "pi-cross-session-rpc/contract";
import type { HandOff } from "./hand-off.ts";
import type { Mail } from "./mailbox.ts";

const LINE_LENGTH = 120;

/** What a peer is at, or why that can't be seen. */
export function describeLook(reply: PeerContextReply): string[] {
	if (!reply.ok) return [`It can't be looked at (${reply.code}).`];
	const { target, runtimeStatus, activity, conversation } = reply.context;
	const said = (conversation?.messages ?? []).map(({ role, text }) => `  ${role}: ${printable(text)}`);
	const turn = activity?.turn.state ?? "unknown";
	return [`${printable(target.title ?? "(no name)")}: ${runtimeStatus}, turn ${turn}. It said of itself:`, ...said];
}

/** The three facts, each by itself. */
export function describeHandOff({ id, title, accepted, stored, answer, next }: HandOff): string[] {
	const facts = [
		`accepted by the other adapter: ${accepted}`,
		`stored there: ${stored ? "yes, it says" : "not known"}`,
		`answered: ${answer === null ? "not yet" : printable(answer)}`,
	];
	return [
		`${id} "${printable(title)}"`,
		...facts.map((fact) => `  ${fact}`),
		...(accepted === "yes" ? [] : [`  ${next}`]),
	];
}

export function describeMail({ from, handOff, title }: Mail): string {
	return `${handOff} from ${from.slice(0, 8)}: ${printable(title)}`;
}

function printable(text: string): string {
	return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, LINE_LENGTH);
}
