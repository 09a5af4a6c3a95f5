/**
 * The sessions that a session can look at or talk to: for its model as JSON, for its person as lines.
 *
 * Names, directories and branches are what other sessions say of themselves, so for the screen all of them pass through
 * the printable forms.
 */
import * as z from "zod";
import { type RecentSession, recentSessionSchema } from "../contract/peers-rpc.ts";
import { type PublicPeer, publicPeerSchema } from "../contract/public-peer.ts";
import { printableLine } from "../projection/printable.ts";
import { listRecentSessions } from "../sessions/recent-sessions.ts";
import { formatAge } from "./foreign-text.ts";
import type { HostParts } from "./incarnation.ts";

/** Live peers of one listing; the newest sessions come first. */
const MAX_LISTED_PEERS = 50;

const NAME_CODE_POINTS = 60;
const PLACE_CODE_POINTS = 120;

/** A live peer as a model needs it: what it is called, where and on what it works, whether it can be read or written. */
const listedPeerSchema = z.object(publicPeerSchema.shape).pick({
	name: true,
	ref: true,
	id: true,
	instanceId: true,
	cwd: true,
	status: true,
	inbound: true,
	git: true,
	readable: true,
});
type ListedPeer = z.infer<typeof listedPeerSchema>;

export const peerListingSchema = z.object({
	peers: z.array(listedPeerSchema),
	/** Live peers that had no room here. */
	omittedPeers: z.number(),
	/** Present when asked for. */
	recent: z.array(z.object(recentSessionSchema.shape)).optional(),
});
export type PeerListing = z.infer<typeof peerListingSchema>;

type Listed = Pick<HostParts, "presence" | "sessions" | "caller">;

/**
 * Who is live, and with `recent` also which readable sessions of the workspace are not.
 * @throws the signal's reason when it is aborted
 */
export async function listPeers(
	{ presence, sessions, caller }: Listed,
	include: { readonly recent: boolean },
	signal?: AbortSignal,
): Promise<PeerListing> {
	const [live, recent] = await Promise.all([
		presence.directory.list(caller.cwd, signal),
		include.recent ? listRecentSessions(sessions, caller, signal) : undefined,
	]);
	signal?.throwIfAborted();
	return {
		peers: live.slice(0, MAX_LISTED_PEERS).map(toListedPeer),
		omittedPeers: Math.max(0, live.length - MAX_LISTED_PEERS),
		...(recent !== undefined && { recent }),
	};
}

function toListedPeer(peer: PublicPeer): ListedPeer {
	const { name, ref, id, instanceId, cwd, status, inbound, git = null, readable = false } = peer;
	return { name, ref, id, instanceId, cwd, status, inbound, git, readable };
}

/** The listing for a person. `now`: epoch milliseconds; `isPrivate` marks what may be written to but not read. */
export function listingLines(
	{ peers, omittedPeers, recent = [] }: PeerListing,
	now: number,
	isPrivate: (sessionId: string) => boolean = () => false,
): string[] {
	const live = peers.length === 0 ? ["No other session is live."] : ["Live sessions:"];
	live.push(...peers.map((peer) => `  ${peerText(peer, isPrivate(peer.id))}`));
	if (omittedPeers > 0) live.push(`  … and ${omittedPeers} more`);
	if (recent.length === 0) return live;
	return [...live, "Earlier sessions of this directory:", ...recent.map((session) => `  ${recentText(session, now)}`)];
}

function peerText(peer: ListedPeer, isPrivate: boolean): string {
	const facts = [
		`@${printableLine(peer.name, NAME_CODE_POINTS)} [${peer.ref}]`,
		peer.status,
		peer.inbound === "refuse" ? "takes no messages" : "",
		isPrivate ? "private" : "",
		peer.readable ? "this directory" : printableLine(peer.cwd, PLACE_CODE_POINTS),
		peer.git?.branch ? `on ${printableLine(peer.git.branch, NAME_CODE_POINTS)}` : "",
		`session ${printableLine(peer.id, NAME_CODE_POINTS)}`,
	];
	return facts.filter((fact) => fact !== "").join(" · ");
}

function recentText({ sessionId, title, changedAt }: RecentSession, now: number): string {
	return `${title ?? "(no name)"} · ${formatAge(now - changedAt)} · session ${printableLine(sessionId, NAME_CODE_POINTS)}`;
}
