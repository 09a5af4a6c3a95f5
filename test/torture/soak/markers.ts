/**
 * Markers in places that nobody else may see: each names the seat whose session it was put into.
 */

/** The seats of a soak: one process after the other sits on each. */
export const SEATS = ["a", "b", "c", "d"] as const;
export type Seat = (typeof SEATS)[number];

const MARKER = /CANARY-([a-z])-[a-z-]+/g;

/** A marker for a place of a seat's session. */
export function marker(seat: string, place: string): string {
	return `CANARY-${seat}-${place}`;
}

/** Markers of other seats in a text that `seat` could see. */
export function foreignMarkers(seat: Seat, text: string): string[] {
	if (!text.includes("CANARY-")) return [];
	return [...text.matchAll(MARKER)].filter(([, owner]) => owner !== seat).map(([found]) => found);
}
