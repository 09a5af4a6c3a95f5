/**
 * The numbers that both ends of the wire keep to.
 */
import { MAX_MESSAGE_TEXT_UNITS, MAX_SUMMARY_CODE_POINTS } from "../contract/limits.ts";

export const WIRE_LIMITS = Object.freeze({
	/** Raw bytes of one frame: its line feed, a byte order mark and every unfinished byte counted. */
	frameBytes: 1_048_576,
	/** UTF-16 units of a message's text. */
	textUnits: MAX_MESSAGE_TEXT_UNITS,
	/** Code points of a message's summary. */
	summaryCodePoints: MAX_SUMMARY_CODE_POINTS,
	/** Frames that a connection may carry: a hello and one question. */
	framesPerConnection: 2,
	/** Connections that a receiver holds at the same time. */
	connections: 64,
	/** Milliseconds that a connection lives at most. */
	connectionMilliseconds: 30_000,
	/** Milliseconds that a connection may be idle after its hello. */
	idleMilliseconds: 5_000,
	/** Milliseconds of one whole exchange, from before the socket is looked at. */
	exchangeMilliseconds: 5_000,
	/** Milliseconds of one probe. */
	probeMilliseconds: 350,
});
