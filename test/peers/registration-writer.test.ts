/** Keeping one registration true: order, fences, refreshes and failures. */
import { lstat, readdir, readFile } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { type PeerPaths, registrationPath } from "../../lib/peers/paths.ts";
import type { PeerError } from "../../lib/peers/peer-error.ts";
import { type FileOperations, systemFiles } from "../../lib/peers/private-files.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { RegistrationWriter } from "../../lib/peers/registration-writer.ts";
import { ManualClock } from "./manual-clock.ts";
import { registrationFor, temporaryPaths } from "./temporary-peers.ts";

interface Scene {
	readonly paths: PeerPaths;
	readonly clock: ManualClock;
	readonly fence: AbortController;
	readonly failures: PeerError[];
	readonly writer: RegistrationWriter;
	registration: Registration;
	describe: () => Registration;
}

async function prepare(files: Partial<FileOperations> = {}): Promise<Scene> {
	const paths = await temporaryPaths();
	const registration = registrationFor(paths);
	const fence = new AbortController();
	const clock = new ManualClock();
	const failures: PeerError[] = [];
	const writer = new RegistrationWriter({
		paths,
		instanceId: registration.instanceId,
		describe: () => scene.describe(),
		fence: fence.signal,
		onFailure: (error) => failures.push(error),
		clock,
		files: { ...systemFiles, ...files },
	});
	const scene: Scene = { paths, clock, fence, failures, writer, registration, describe: () => scene.registration };
	return scene;
}

async function stored(scene: Scene): Promise<Registration> {
	return JSON.parse(await readFile(registrationPath(scene.paths, scene.registration.instanceId), "utf8"));
}

const names = (scene: Scene) => readdir(scene.paths.peersDirectory);

describe("a registration", () => {
	it("is written whole, private and under its instance id, and nothing else is left", async () => {
		const scene = await prepare();
		await scene.writer.start();
		expect(await names(scene)).toEqual([`${scene.registration.instanceId}.json`]);
		expect(await stored(scene)).toEqual(scene.registration);
		expect((await lstat(registrationPath(scene.paths, scene.registration.instanceId))).mode & 0o777).toBe(0o600);
	});

	it("is refreshed every 30 seconds with what is true then", async () => {
		const scene = await prepare();
		await scene.writer.start();
		for (const status of ["busy", "idle"] as const) {
			scene.registration = { ...scene.registration, status };
			scene.clock.advance(29_999);
			expect((await stored(scene)).status).not.toBe(status);
			scene.clock.advance(1);
			await vi.waitFor(async () => expect((await stored(scene)).status).toBe(status));
			await vi.waitFor(() => expect(scene.clock.pending).toBe(1));
		}
	});

	it("is written once more, not twice, for two changes that come while a write is under way", async () => {
		let writes = 0;
		const scene = await prepare({
			rename: async (...names) => {
				writes++;
				await systemFiles.rename(...names);
			},
		});
		const started = scene.writer.start();
		scene.registration = { ...scene.registration, name: "first" };
		const first = scene.writer.refresh();
		scene.registration = { ...scene.registration, name: "second" };
		await Promise.all([started, first, scene.writer.refresh()]);
		expect(writes).toBeLessThanOrEqual(2);
		expect((await stored(scene)).name).toBe("second");
	});

	it("is gone after its removal, with its timer, and is not written again", async () => {
		const scene = await prepare();
		await scene.writer.start();
		const refreshed = scene.writer.refresh();
		await Promise.all([refreshed, scene.writer.remove()]);
		await scene.writer.refresh();
		await scene.writer.remove();
		expect(await names(scene)).toEqual([]);
		expect(scene.clock.pending).toBe(0);
		expect(scene.failures).toEqual([]);
	});
});

describe("a fenced incarnation", () => {
	it("writes nothing that waited", async () => {
		const scene = await prepare();
		scene.fence.abort();
		await scene.writer.start();
		expect(await names(scene)).toEqual([]);
		expect(scene.clock.pending).toBe(0);
	});

	it("does not rename what it had begun to write, and leaves no temporary file", async () => {
		let hit = false;
		const scene: Scene = await prepare({
			open: async (...opening) => {
				const handle = await systemFiles.open(...opening);
				hit = true;
				scene.fence.abort();
				return handle;
			},
		});
		await scene.writer.start();
		expect(hit).toBe(true);
		expect(await names(scene)).toEqual([]);
	});

	it("refreshes no more", async () => {
		const scene = await prepare();
		await scene.writer.start();
		const before = await stored(scene);
		scene.fence.abort();
		scene.registration = { ...scene.registration, name: "late" };
		scene.clock.advance(60_000);
		await scene.writer.refresh();
		expect(await stored(scene)).toEqual(before);
	});
});

describe("a failure", () => {
	const full = () => Promise.reject(Object.assign(new Error("disk full"), { code: "ENOSPC" }));

	it.each<[string, Partial<FileOperations>]>([
		["opening the temporary file", { open: full }],
		["renaming it", { rename: full }],
	])("%s for the first time rejects and leaves nothing", async (_, files) => {
		const scene = await prepare(files);
		await expect(scene.writer.start()).rejects.toMatchObject({ code: "registration_failed" });
		expect(await names(scene)).toEqual([]);
		expect(scene.clock.pending).toBe(0);
	});

	it("of a heartbeat is told once and leaves no timer", async () => {
		let broken = false;
		const scene = await prepare({ rename: (...renaming) => (broken ? full() : systemFiles.rename(...renaming)) });
		await scene.writer.start();
		broken = true;
		scene.clock.advance(30_000);
		await vi.waitFor(() => expect(scene.failures.map(({ code }) => code)).toEqual(["registration_failed"]));
		await scene.writer.refresh();
		scene.clock.advance(120_000);
		expect(scene.failures).toHaveLength(1);
		expect(scene.clock.pending).toBe(0);
	});

	it("of a session that can't be asked any more, by a getter that throws, is told the same way", async () => {
		const scene = await prepare();
		await scene.writer.start();
		scene.describe = () => {
			throw new Error("stale runtime");
		};
		scene.clock.advance(30_000);
		await vi.waitFor(() => expect(scene.failures.map(({ code }) => code)).toEqual(["session_stale"]));
		expect(scene.clock.pending).toBe(0);
	});

	it("to fit the form is told before anything is written", async () => {
		const scene = await prepare();
		scene.registration = { ...scene.registration, cwd: "/with\nnewline" };
		await expect(scene.writer.start()).rejects.toMatchObject({ code: "unregistrable" });
		expect(await names(scene)).toEqual([]);
	});

	it("tells no path and no token", async () => {
		const scene = await prepare({ rename: full });
		const error = await scene.writer.start().catch((thrown: unknown) => thrown);
		expect(String(error)).not.toContain(scene.paths.agentDirectory);
		expect(String(error)).not.toContain(scene.registration.token);
	});
});
