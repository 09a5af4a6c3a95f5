/**
 * What a fuzz target is: one parser, inputs that it likes, and a check that throws when it breaks a promise.
 */

/** A target that is in use. */
export interface OpenTarget {
	/**
	 * Has the parser read `bytes` and judges what comes of it. An error of the kind that the parser documents is a good
	 * end and stays inside; whatever is thrown out of here is a finding. It must depend on the bytes alone, so that every
	 * finding can be seen again.
	 */
	check(bytes: Buffer): void | Promise<void>;
	/** Gives back what the target holds. */
	close(): void;
}

export interface FuzzTarget {
	/** Names its directory in the corpus too. */
	readonly name: string;
	/** Well-formed inputs that mutations begin with, beside the files of the corpus. */
	readonly samples: readonly Buffer[];
	/** Words of the format. */
	readonly tokens: readonly string[];
	/** Lengths and counts at which the parser decides differently. */
	readonly bounds: readonly number[];
	/** Longest input, in bytes. */
	readonly maxBytes: number;
	open(): OpenTarget;
}

/** For targets that hold nothing. */
export const holdsNothing = (check: OpenTarget["check"]): OpenTarget => ({ check, close() {} });

/** Samples out of texts and of values, one JSON line each. */
export function samplesOf(...samples: readonly (string | object)[]): Buffer[] {
	return samples.map((sample) => Buffer.from(typeof sample === "string" ? sample : JSON.stringify(sample)));
}
