/**
 * A host that drops its session without announcing it, in a process of its own: prints how many files the session had,
 * and then has to end by itself.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { InProcessPi } from "../support/pi/in-process-pi.ts";
import { presenceFiles } from "../support/pi/workspaces.ts";

const pi = await InProcessPi.start({ cwd: mkdtempSync(path.join(tmpdir(), "workspace-")) });
const registered = presenceFiles(process.env.PI_CODING_AGENT_DIR ?? "").length;
pi.session.dispose();
process.stdout.write(JSON.stringify({ registered }));
