/** Remembered registrations are never more than what a fresh read would give. */
import { chmod, link, rename, rm, utimes, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type PeerPaths, registrationPath } from "../../lib/peers/paths.ts";
import type { Registration } from "../../lib/peers/registration.ts";
import { RegistrationCache } from "../../lib/peers/registration-cache.ts";
import { registrationFor, temporaryPaths, writeRegistration } from "./temporary-peers.ts";

/** A registration that the cache already knows, and its file. */
async function known() {
	const paths = await temporaryPaths();
	const registration = await writeRegistration(paths, registrationFor(paths));
	const cache = new RegistrationCache(paths);
	const first = await cache.find(registration.instanceId);
	expect(first).toEqual(registration);
	const find = () => cache.find(registration.instanceId);
	return { paths, registration, cache, first, find, file: registrationPath(paths, registration.instanceId) };
}

async function replace(paths: PeerPaths, file: string, registration: Registration): Promise<void> {
	const other = { ...registration, instanceId: "0".repeat(32) };
	await writeRegistration(paths, other);
	await writeFile(registrationPath(paths, other.instanceId), JSON.stringify(registration));
	await rename(registrationPath(paths, other.instanceId), file);
}

describe("a known registration", () => {
	it("is not read again while its file is the same", async () => {
		const { first, find } = await known();
		expect(await find()).toBe(first);
	});

	it("is read again when its file was replaced, also by one of the same size and time", async () => {
		const { paths, registration, find, file } = await known();
		const token = registration.token.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
		await replace(paths, file, { ...registration, token });
		const at = new Date(registration.startedAt);
		await utimes(file, at, at);
		expect(await find()).toEqual({ ...registration, token });
	});

	it("is read again when it was written in place", async () => {
		const { registration, find, file } = await known();
		await writeFile(file, JSON.stringify({ ...registration, name: "renamed" }));
		expect((await find())?.name).toBe("renamed");
	});

	it.each<[string, (file: string) => Promise<void>]>([
		["open to others", (file) => chmod(file, 0o644)],
		["gone", (file) => rm(file)],
		["malformed", (file) => writeFile(file, "{")],
	])("is nobody's once its file is %s", async (_, change) => {
		const { find, file } = await known();
		await change(file);
		expect(await find()).toBeNull();
	});

	it("stands for its own id only", async () => {
		const { paths, cache, file } = await known();
		const other = "f".repeat(32);
		await link(file, registrationPath(paths, other));
		expect(await cache.find(other)).toBeNull();
	});

	it("is forgotten for newer ones when there are more than 512", async () => {
		const { paths, cache, first, find } = await known();
		for (let index = 0; index < 512; index++) {
			const { instanceId } = await writeRegistration(paths, registrationFor(paths));
			await cache.find(instanceId);
		}
		const again = await find();
		expect(again).toEqual(first);
		expect(again).not.toBe(first);
	});
});
