/**
 * A host that ends its session without announcing it, in a process of its own: prints what is left, and then has to end
 * by itself.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { infoOf, lookAt, SHORT_PATIENCE_MS } from "../support/pi/ask.ts";
import { InProcessPi } from "../support/pi/in-process-pi.ts";
import { presenceFiles } from "../support/pi/workspaces.ts";

const cwd = mkdtempSync(path.join(tmpdir(), "workspace-"));
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

const timersBefore = timers();
const pi = await InProcessPi.start({ cwd, flags: ["cross-session-rpc", "cross-session-tool"] });
const { local } = await infoOf(pi.bus);
const reply = await lookAt(pi.bus, "nobody", { local });
const registered = presenceFiles(process.env.PI_CODING_AGENT_DIR ?? "").length;
pi.session.dispose();

const answerAfter = await lookAt(pi.bus, "nobody", { local }, SHORT_PATIENCE_MS).then(
	() => "answered",
	(error: { code: string }) => error.code,
);
// Not before: 0.83 leaves it to the extension to find out, and a request is where it does.
const listenersAfter = pi.bus.listeners();
const timersAfter = timers() - timersBefore;
process.stdout.write(
	JSON.stringify({ registered, looked: reply.ok || reply.code, listenersAfter, answerAfter, timersAfter }),
);
