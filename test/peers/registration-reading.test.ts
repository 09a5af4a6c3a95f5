/** Which registration files are believed. */

import { spawnSync } from "node:child_process";
import { chmod, link, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type PeerPaths, registrationPath } from "../../lib/peers/paths.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { listInstanceIds, readRegistration } from "../../lib/peers/registration-reading.ts";
import { registrationFor, temporaryPaths, writeRegistration } from "./temporary-peers.ts";

/** Writes `content` where a proper registration would lie, and reads it. */
async function readContent(content: (proper: Registration) => string | Uint8Array) {
	const paths = await temporaryPaths();
	const proper = registrationFor(paths);
	await writeFile(registrationPath(paths, proper.instanceId), content(proper), { mode: 0o600 });
	return readRegistration(paths, proper.instanceId);
}

async function laid(lay: (file: string, proper: Registration, paths: PeerPaths) => Promise<unknown>) {
	const paths = await temporaryPaths();
	const proper = await writeRegistration(paths, registrationFor(paths));
	await lay(registrationPath(paths, proper.instanceId), proper, paths);
	return readRegistration(paths, proper.instanceId);
}

describe("a registration is believed", () => {
	it("when it is a private file that says what it must", async () => {
		const paths = await temporaryPaths();
		const proper = await writeRegistration(
			paths,
			registrationFor(paths, { name: "größer 👩‍🚀", pidNamespace: "here" }),
		);
		const reading = await readRegistration(paths, proper.instanceId);
		expect(reading).toMatchObject({ ok: true, registration: proper });
	});

	it("with fields that another implementation added, which are dropped", async () => {
		const reading = await readContent((proper) =>
			JSON.stringify({ ...proper, colour: "green", nested: { token: "x" }, sessionFile: { not: "ours" } }),
		);
		expect(reading.ok).toBe(true);
		expect(JSON.stringify(reading)).not.toMatch(/colour|nested|sessionFile/);
	});

	it("at 64 KiB and not at one byte more", async () => {
		const padded = (size: number) => (proper: Registration) => {
			const bare = JSON.stringify({ ...proper, padding: "" });
			return JSON.stringify({ ...proper, padding: "x".repeat(size - bare.length) });
		};
		expect(await readContent(padded(65_536))).toMatchObject({ ok: true });
		expect(await readContent(padded(65_537))).toEqual({ ok: false, reason: "too_large" });
	});

	it("whose last sign is its own or its file's, whichever is later", async () => {
		const reading = await readContent((proper) => JSON.stringify({ ...proper, updatedAt: 1 }));
		expect(reading.ok && Date.now() - reading.refreshedAt).toBeLessThan(60_000);
	});
});

describe("a registration is not believed, and shows nothing", () => {
	it.each<[string, string, (file: string, proper: Registration, paths: PeerPaths) => Promise<unknown>]>([
		[
			"a link",
			"unsafe",
			async (file, _, paths) => {
				await rename(file, join(paths.agentDirectory, "real.json"));
				await symlink(join(paths.agentDirectory, "real.json"), file);
			},
		],
		["readable by its group", "unsafe", (file) => chmod(file, 0o640)],
		["writable by others", "unsafe", (file) => chmod(file, 0o602)],
		[
			"a directory",
			"unsafe",
			async (file) => {
				await rename(file, `${file}.moved`);
				await mkdir(file, { mode: 0o700 });
			},
		],
		[
			"a pipe",
			"unsafe",
			async (file) => {
				await rename(file, `${file}.moved`);
				spawnSync("mkfifo", ["-m", "600", file]);
			},
		],
		["missing", "missing", (file) => rename(file, `${file}.moved`)],
		["huge", "too_large", (file) => writeFile(file, Buffer.alloc(10_000_000, 0x20))],
		["not JSON", "malformed", (file) => writeFile(file, "{")],
		["not UTF-8", "unreadable", (file) => writeFile(file, Buffer.from([0x22, 0xff, 0x22]))],
		["empty", "malformed", (file) => writeFile(file, "")],
	])("that is %s", async (_, reason, lay) => {
		expect(await laid(lay)).toEqual({ ok: false, reason });
	});

	it("that belongs to another user", async () => {
		const paths = await temporaryPaths();
		const proper = await writeRegistration(paths, registrationFor(paths));
		const reading = await readRegistration({ ...paths, userId: (paths.userId ?? 0) + 1 }, proper.instanceId);
		expect(reading).toEqual({ ok: false, reason: "unsafe" });
	});

	it("that lies under another incarnation's name", async () => {
		const paths = await temporaryPaths();
		const proper = await writeRegistration(paths, registrationFor(paths));
		const other = "0".repeat(32);
		await link(registrationPath(paths, proper.instanceId), registrationPath(paths, other));
		expect(await readRegistration(paths, other)).toEqual({ ok: false, reason: "wrong_name" });
	});

	it("that names another socket", async () => {
		const paths = await temporaryPaths();
		const proper = registrationFor(paths);
		const elsewhere = proper.socketPath.replace(proper.instanceId, "0".repeat(32));
		for (const socketPath of [elsewhere, "/tmp/evil.sock", `${proper.socketPath}/`]) {
			await writeRegistration(paths, { ...proper, socketPath });
			expect(await readRegistration(paths, proper.instanceId)).toEqual({ ok: false, reason: "wrong_endpoint" });
		}
	});

	it.each<[string, Record<string, unknown>]>([
		["an escape sequence in its name", { name: "\u001b[2Jfriend" }],
		["a second line in its name", { name: "friend\nroot" }],
		["reordered text in its name", { name: "friend\u202etoor" }],
		["a hidden character in its name", { name: "fri\u200bend" }],
		["half a surrogate pair in its name", { name: "\ud83e" }],
		["a blank name", { name: "  " }],
		["a name of 201 code points", { name: "🧭".repeat(201) }],
		["an escape sequence in its directory", { cwd: "/home\u001b]0;x\u0007" }],
		["an escape sequence in its id", { id: "\u009b31m" }],
		["an empty id", { id: "" }],
		["an id of 513 characters", { id: "x".repeat(513) }],
		["a short token", { token: "abc" }],
		["a token in capitals", { token: "A".repeat(64) }],
		["no token", { token: undefined }],
		["another version", { version: 3 }],
		["another protocol", { protocol: 2 }],
		["an unknown status", { status: "asleep" }],
		["an unknown inbound mode", { inbound: "show" }],
		["process 0, which is every process", { pid: 0 }],
		["a negative process, which is a group", { pid: -1 }],
		["a pid in words", { pid: "1" }],
		["a date in words", { updatedAt: "now" }],
	])("that has %s", async (_, changes) => {
		const reading = await readContent((proper) => JSON.stringify({ ...proper, ...changes }));
		expect(reading).toEqual({ ok: false, reason: "malformed" });
	});

	it.each(["null", "[]", "17", '"text"'])("that is the JSON value %s", async (text) => {
		expect(await readContent(() => text)).toEqual({ ok: false, reason: "malformed" });
	});
});

describe("the list of registrations", () => {
	it("holds what is named like one, 512 at most", async () => {
		const paths = await temporaryPaths();
		const names = Array.from({ length: 520 }, (_, index) => `${index.toString(16).padStart(32, "0")}.json`);
		const others = ["notes.txt", `.${"0".repeat(32)}.abc.tmp`, `${"0".repeat(31)}.json`, `${"A".repeat(32)}.json`];
		await Promise.all([...names, ...others].map((name) => writeFile(join(paths.peersDirectory, name), "")));
		const ids = await listInstanceIds(paths);
		expect(ids).toHaveLength(512);
		expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
	});

	it("is empty where there is no directory", async () => {
		const paths = await temporaryPaths();
		expect(await listInstanceIds({ ...paths, peersDirectory: join(paths.agentDirectory, "nowhere") })).toEqual([]);
	});
});
