// For tests that are only true inside of a clean run: where its private files are, or a clear word that there is none.
import process from "node:process";

/** The private root of the clean run that this process belongs to; throws in a plain `vitest`. */
export function cleanRunRoot(): string {
	const root = process.env.CROSS_PRIVATE_ROOT;
	if (root === undefined) throw new Error("This test is about the clean environment: run it by ./run-clean.sh test");
	return root;
}
