/**
 * What the picker lists: live sessions first, then the earlier ones of the workspace, as rows of printable text.
 *
 * Which sessions may be cited is not decided here: a row has a mention only if the session is among the candidates, so
 * that private sessions and subagents' are left out as they are everywhere. A live session that is private stays in the
 * list, as what its registration says of it and no more.
 */
import path from "node:path";
import { fuzzyMatch } from "@earendil-works/pi-tui";
import type { PublicPeer } from "../../contract/public-peer.ts";
import { instanceRef, peerLabel } from "../../peers/published-peer.ts";
import { printableLine } from "../../projection/printable.ts";
import { formatSessionReferenceMention, type ReferenceCandidate } from "../../references/index.ts";
import type { Caller } from "../../sessions/authorization.ts";

const TITLE_CODE_POINTS = 200;
const BRANCH_CODE_POINTS = 120;
const PLACE_CODE_POINTS = 240;
const ID_CODE_POINTS = 80;

/** Digits of an id that a search has to have before it finds sessions by their ids. */
const LEAST_ID_DIGITS = 4;

/** Better than pi's score of any match of words. */
const MEANT_BY_ID = -1_000_000;

export type RowStatus = PublicPeer["status"] | "offline";

/** One session in the list. All texts but `sessionId`, `mention` and `recipient` are one printable line each. */
export interface PickerRow {
	/** Tells rows apart from one listing to the next. */
	readonly key: string;
	/** As it is written in the log: for questions, and never for the screen. */
	readonly sessionId: string;
	/** The session's id for the screen. */
	readonly shownId: string;
	readonly title: string;
	readonly status: RowStatus;
	/** Epoch milliseconds of the log's last change; null when nothing is stored, or nothing that may be cited. */
	readonly changedAt: number | null;
	/** Git branch of a live session's directory. */
	readonly branch: string | null;
	/** The directory of a session that works elsewhere than the caller. */
	readonly elsewhere: string | null;
	readonly isPrivate: boolean;
	/** Whether it answers that it takes no messages. */
	readonly refusesMessages: boolean;
	/** First digits of a live session's instance id. */
	readonly ref: string | null;
	/** What cites the session in a prompt; null when it can't be cited. */
	readonly mention: string | null;
	/** What names the session as the target of a message; null when it is not live. */
	readonly recipient: string | null;
}

/** What one look around found. */
export interface PickerListing {
	readonly peers: readonly PublicPeer[];
	/** Of all workspaces. */
	readonly candidates: readonly ReferenceCandidate[];
	readonly isPrivate: (sessionId: string) => boolean;
}

/**
 * The rows of a listing: live sessions of the caller's workspace, live ones elsewhere, earlier ones of the workspace; each
 * in the listing's order.
 */
export function pickerRows({ peers, candidates, isPrivate }: PickerListing, caller: Caller): PickerRow[] {
	const byId = new Map(candidates.map((candidate) => [candidate.sessionId, candidate]));
	const live = new Set(peers.map(({ id }) => id));
	const earlier = candidates.filter(({ sessionId, cwd }) => cwd === caller.cwd && !live.has(sessionId));
	return [
		...peers.toSorted(nearFirst).map((peer) => liveRow(peer, byId.get(peer.id), isPrivate(peer.id))),
		...earlier.map((candidate) => earlierRow(candidate)),
	];
}

function nearFirst(left: PublicPeer, right: PublicPeer): number {
	return Number(right.readable === true) - Number(left.readable === true);
}

function liveRow(peer: PublicPeer, candidate: ReferenceCandidate | undefined, isPrivate: boolean): PickerRow {
	const { id, instanceId, name, status, inbound, git, readable, cwd } = peer;
	return {
		key: `live ${instanceId}`,
		sessionId: id,
		shownId: printableLine(id, ID_CODE_POINTS),
		title: printableLine(name, TITLE_CODE_POINTS),
		status,
		changedAt: candidate?.changedAt ?? null,
		branch: printableLine(git?.branch ?? "", BRANCH_CODE_POINTS) || null,
		elsewhere: readable ? null : printableLine(cwd, PLACE_CODE_POINTS),
		isPrivate,
		refusesMessages: inbound === "refuse",
		ref: instanceRef(instanceId),
		mention: candidate && !isPrivate ? formatSessionReferenceMention(candidate) : null,
		recipient: `@${peerLabel(peer)}`,
	};
}

function earlierRow(candidate: ReferenceCandidate): PickerRow {
	const { sessionId, label, changedAt } = candidate;
	return {
		key: `stored ${sessionId}`,
		sessionId,
		shownId: printableLine(sessionId, ID_CODE_POINTS),
		title: printableLine(label, TITLE_CODE_POINTS),
		status: "offline",
		changedAt,
		branch: null,
		elsewhere: null,
		isPrivate: false,
		refusesMessages: false,
		ref: null,
		mention: formatSessionReferenceMention(candidate),
		recipient: null,
	};
}

/**
 * The rows that fit what was typed, best first, live ones before the others. Each word has to fit something that a person
 * reads of a row; ids, in which almost any letters can be found in some order, count only by how they begin.
 */
export function filterRows(rows: readonly PickerRow[], query: string): readonly PickerRow[] {
	const typed = query.trim().toLowerCase();
	if (typed === "") return rows;
	const words = typed.split(/\s+/);
	const scored = rows.map((row) => ({ row, score: scoreOf(row, typed, words) }));
	const found = scored.filter(({ score }) => score !== null);
	const isEarlier = ({ status }: PickerRow) => Number(status === "offline");
	found.sort((a, b) => isEarlier(a.row) - isEarlier(b.row) || (a.score ?? 0) - (b.score ?? 0));
	return found.map(({ row }) => row);
}

/** How badly a row fits, in pi's own numbers; null when it doesn't. */
function scoreOf(row: PickerRow, typed: string, words: readonly string[]): number | null {
	if (typed.length >= LEAST_ID_DIGITS && hasId(row, typed)) return MEANT_BY_ID;
	const texts = textsOf(row);
	let score = 0;
	for (const word of words) {
		const matches = texts.map((text) => fuzzyMatch(word, text)).filter((match) => match.matches);
		if (matches.length === 0) return null;
		score += Math.min(...matches.map((match) => match.score));
	}
	return score;
}

function hasId({ sessionId, ref }: PickerRow, typed: string): boolean {
	return sessionId.toLowerCase().startsWith(typed) || (ref ?? "").startsWith(typed);
}

function textsOf({ title, branch, elsewhere, status }: PickerRow): string[] {
	return [title, branch ?? "", elsewhere === null ? "" : path.basename(elsewhere), status];
}
