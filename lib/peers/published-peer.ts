/**
 * Making a `PublicPeer` of a registration: field by field, so that the secret and unknown fields stay behind.
 */
import { INSTANCE_REF_LENGTH } from "../contract/peer-identifiers.ts";
import type { GitContext, PublicPeer } from "../contract/public-peer.ts";
import type { Registration } from "./registration.ts";

export interface ListingFacts {
	readonly git: GitContext | null;
	readonly readable: boolean;
}

/** The first digits of an instance id, which people see and type. */
export function instanceRef(instanceId: string): string {
	return instanceId.slice(0, INSTANCE_REF_LENGTH);
}

/** How a peer is named where names may repeat. */
export function peerLabel(peer: Pick<Registration, "name" | "instanceId">): string {
	return `${peer.name} [${instanceRef(peer.instanceId)}]`;
}

/** A frozen public view of a registration. */
export function publishPeer(registration: Registration, listing?: ListingFacts): PublicPeer {
	const { sessionFile, pidNamespace } = registration;
	return Object.freeze({
		version: registration.version,
		protocol: registration.protocol,
		id: registration.id,
		instanceId: registration.instanceId,
		ref: instanceRef(registration.instanceId),
		name: registration.name,
		cwd: registration.cwd,
		pid: registration.pid,
		startedAt: registration.startedAt,
		updatedAt: registration.updatedAt,
		status: registration.status,
		inbound: registration.inbound,
		socketPath: registration.socketPath,
		...(sessionFile === undefined ? {} : { sessionFile }),
		...(pidNamespace === undefined ? {} : { pidNamespace }),
		...(listing === undefined ? {} : { git: listing.git && Object.freeze(listing.git), readable: listing.readable }),
	});
}
