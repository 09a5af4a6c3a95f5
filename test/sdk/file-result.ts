// What the processes of the matrix tell each other.

/** What one test file came to on one SDK. */
export interface FileResult {
	/** Relative to the project. */
	readonly file: string;
	readonly passed: number;
	readonly failed: number;
	/** What the SDK that was loaded calls itself; null when the file ended before it could be asked. */
	readonly loaded: string | null;
}
