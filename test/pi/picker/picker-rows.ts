/** Sessions for the picker, as the registry and the list of candidates give them. */
import type { PublicPeer } from "../../../lib/contract/public-peer.ts";
import { type PickerListing, type PickerRow, pickerRows } from "../../../lib/pi/picker/rows.ts";
import type { ReferenceCandidate } from "../../../lib/references/index.ts";

export const NOW = 1_800_000_000_000;
export const HERE = "/code/here";
export const CALLER = Object.freeze({ sessionId: "own", cwd: HERE, isHost: true });

/** A live peer whose ids are made of its name. */
export function peer(name: string, more: Partial<PublicPeer> = {}): PublicPeer {
	const cwd = more.cwd ?? HERE;
	return {
		version: 2,
		protocol: 1,
		id: `id-of-${name}`,
		instanceId: Buffer.from(name).toString("hex").padEnd(32, "0").slice(0, 32),
		ref: "",
		name,
		cwd,
		pid: 1,
		startedAt: NOW - 60_000,
		updatedAt: NOW,
		status: "idle",
		inbound: "accept",
		socketPath: "/tmp/socket",
		git: null,
		readable: cwd === HERE,
		...more,
	};
}

/** A session that may be cited. */
export function candidate(label: string, more: Partial<ReferenceCandidate> = {}): ReferenceCandidate {
	return { sessionId: `id-of-${label}`, label, cwd: HERE, changedAt: NOW - 5000, live: false, ...more };
}

/** The rows of a listing in which nobody is private unless it says so. */
export function rowsOf(listing: Partial<PickerListing>): PickerRow[] {
	return pickerRows({ peers: [], candidates: [], isPrivate: () => false, ...listing }, CALLER);
}
