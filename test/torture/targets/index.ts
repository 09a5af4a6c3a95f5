/**
 * All targets, one for each parser. A new one is a file beside this, a line here, and a few inputs in the corpus.
 */
import type { FuzzTarget } from "../fuzz/target.ts";
import { configTarget } from "./config.ts";
import { envelopeTarget } from "./envelopes.ts";
import { frameTarget } from "./frames.ts";
import { logTarget } from "./log-lines.ts";
import { mentionTarget } from "./mentions.ts";
import { registrationTarget } from "./registrations.ts";

export const targets: readonly FuzzTarget[] = [
	frameTarget,
	registrationTarget,
	logTarget,
	mentionTarget,
	envelopeTarget,
	configTarget,
];
