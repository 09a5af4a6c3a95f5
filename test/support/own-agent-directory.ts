// Gives every test file an agent directory of its own, so that files that run side by side never see each other's peers,
// and a developer's plain `vitest` never sees the developer's sessions. Removed with its peers directory at the end.
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll } from "vitest";

const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "agent-")));
process.env.PI_CODING_AGENT_DIR = directory;

afterAll(() => {
	const namespace = createHash("sha256").update(directory).digest("hex").slice(0, 12);
	for (const mine of [directory, `/tmp/pi-peers-${process.getuid?.()}-${namespace}`]) {
		rmSync(mine, { recursive: true, force: true });
	}
});
