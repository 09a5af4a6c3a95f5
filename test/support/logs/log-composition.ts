/**
 * Keeps a generated log close to the asked-for mixture while it grows: how large the next entries should be.
 */
export interface CompositionOptions {
	readonly assistantShare?: number;
	readonly imageShare?: number;
	readonly imageBytes?: number;
}

/** An assistant message and the tool result after it are about this large together; 9,000 messages are 128 MB. */
const STEP_BYTES = 28 * 1024;
const LARGE_RESULT_PROBABILITY = 0.0024;
const DEFAULT_ASSISTANT_SHARE = 0.15;
const DEFAULT_IMAGE_SHARE = 0.05;
const TYPICAL_IMAGE_BYTES = 300 * 1024;
const LARGEST_IMAGE_BYTES = 1024 * 1024;

export class LogComposition {
	readonly #assistantShare: number;
	readonly #imageShare: number;
	readonly #fixedImageBytes: number | undefined;
	#total = 0;
	#assistant = 0;
	#image = 0;

	constructor(options: CompositionOptions) {
		this.#assistantShare = options.assistantShare ?? DEFAULT_ASSISTANT_SHARE;
		this.#imageShare = options.imageShare ?? DEFAULT_IMAGE_SHARE;
		this.#fixedImageBytes = options.imageBytes;
	}

	get assistantBytes(): number {
		return this.#assistant;
	}

	get imageBytes(): number {
		return this.#image;
	}

	note(part: "assistant" | "image" | "other", bytes: number): void {
		this.#total += bytes;
		if (part === "assistant") this.#assistant += bytes;
		if (part === "image") this.#image += bytes;
	}

	wantsImage(): boolean {
		return this.#image < this.#imageShare * this.#total;
	}

	/** Base64 characters of the next image, given an exponential size with the mean that is asked for. */
	imageLength(sizeOfMean: (mean: number) => number): number {
		return this.#fixedImageBytes ?? Math.min(LARGEST_IMAGE_BYTES, sizeOfMean(TYPICAL_IMAGE_BYTES));
	}

	/** Mean payload of the next assistant messages. */
	assistantMean(): number {
		const share = this.#total === 0 ? this.#assistantShare : this.#assistant / this.#total;
		// Steep, so that a share that was missed early is made up for soon.
		const correction = Math.min(3, Math.max(0.3, (this.#assistantShare / Math.max(share, 0.01)) ** 8));
		return STEP_BYTES * this.#assistantShare * 1.2 * correction;
	}

	/** How often a tool result has several megabytes. */
	largeResultProbability(): number {
		return LARGE_RESULT_PROBABILITY * (1 - this.#assistantShare);
	}

	/** Mean payload of the next tool results. */
	toolResultMean(): number {
		return STEP_BYTES * (1 - this.#assistantShare);
	}
}
