/** The public door without pi and without a loader for TypeScript: compiled, then run by plain Node. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "contract-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = `
import { createBus, INFO_TOPIC, replyTopic, requestRpc } from "./out/index.js";
const bus = createBus();
bus.on(INFO_TOPIC, ({ requestId }) => bus.emit(replyTopic(INFO_TOPIC, requestId), {
	version: 1, requestId, ok: true, local: null, capability: "none", stopped: true,
	remainingBudget: 1, remainingRpcRequests: 2, states: [],
}));
const reply = await requestRpc(bus, INFO_TOPIC, { version: 1, requestId: "r" });
const error = await requestRpc(createBus(), INFO_TOPIC, { version: 1, requestId: "r" }, 1).catch((reason) => reason);
console.log(JSON.stringify([reply.remainingRpcRequests, error.code]));
`;

it("asks and gives up as it does inside pi", { timeout: 60_000 }, () => {
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
	writeFileSync(join(folder, "program.js"), program);
	const config = {
		extends: join(repository, "tsconfig.json"),
		compilerOptions: {
			noEmit: false,
			outDir: join(folder, "out"),
			rootDir: join(repository, "lib/contract"),
			typeRoots: [join(repository, "node_modules/@types")],
		},
		include: [],
		files: [join(repository, "lib/contract/index.ts")],
	};
	writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
	execFileSync(join(repository, "node_modules/.bin/tsc"), ["-p", folder], { stdio: "pipe" });
	const output = execFileSync(process.execPath, ["program.js"], { cwd: folder, encoding: "utf8" });
	expect(JSON.parse(output)).toEqual([2, "receipt_unknown"]);
});
