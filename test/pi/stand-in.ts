/**
 * This package with its boundary open to the test: what a start acquires, and a fault in one of its steps.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { openDoors } from "../../extension.ts";
import { type FileOperations, systemFiles } from "../../lib/peers/private-files.ts";
import { registerFlags } from "../../lib/pi/flags.ts";
import { HostSession } from "../../lib/pi/host-session.ts";
import type { HostParts, IncarnationOptions } from "../../lib/pi/incarnation.ts";

/** What the extension does at the start and the end of a session. */
export function standIn(pi: ExtensionAPI, options: Partial<IncarnationOptions> = {}): HostSession {
	const host = new HostSession({ pi, openDoors: (parts: HostParts) => openDoors(pi, parts), ...options });
	registerFlags(pi);
	pi.on("session_start", (_event, context) => host.start(context));
	pi.on("session_shutdown", () => host.stop());
	return host;
}

/** Fails one call of one file operation, and counts the hit. */
export function failing(
	name: keyof FileOperations,
	call: number,
): { hits: number; options: Partial<IncarnationOptions> } {
	let calls = 0;
	const original = systemFiles[name] as (...given: unknown[]) => Promise<unknown>;
	const fault = { hits: 0, options: { system: { files: { ...systemFiles, [name]: broken } } } };
	async function broken(...given: unknown[]): Promise<unknown> {
		calls += 1;
		if (calls !== call) return original(...given);
		fault.hits += 1;
		throw Object.assign(new Error("injected"), { code: "EIO" });
	}
	return fault;
}
