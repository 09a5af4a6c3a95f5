/** Names, paths and kinds of sessions: the small rules on which registrations stand. */
import { EventEmitter } from "node:events";
import { chmod, lstat, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isManagedSession, isSubagentSession, MANAGED_IDENTITY_TOPIC } from "../../lib/peers/managed-identity.ts";
import { endpointByteLimit, endpointFits, endpointPath, peerPaths, registrationPath } from "../../lib/peers/paths.ts";
import { ensurePrivateDirectory } from "../../lib/peers/private-files.ts";
import { peerLabel, publishPeer } from "../../lib/peers/published-peer.ts";
import { registeredName } from "../../lib/peers/registration.ts";
import { registrationFor, temporaryDirectory, temporaryPaths } from "./temporary-peers.ts";

const instanceId = "0123456789abcdef".repeat(2);

describe("the question whether a session is managed", () => {
	const ask = (answer: (reply: (identity: unknown) => void) => void): boolean => {
		const bus = new EventEmitter();
		bus.on(MANAGED_IDENTITY_TOPIC, (query: { version: number; reply: (identity: unknown) => void }) => {
			expect(query.version).toBe(1);
			answer(query.reply);
		});
		return isManagedSession(bus);
	};

	it("is yes for a frozen, synchronous answer that says so", () => {
		expect(ask((reply) => reply(Object.freeze({ version: 1, managed: true, more: "x" })))).toBe(true);
	});

	it.each<[string, unknown]>([
		["that is not frozen", { version: 1, managed: true }],
		["of another version", Object.freeze({ version: 2, managed: true })],
		["that says something like it", Object.freeze({ version: 1, managed: "true" })],
		["that says no", Object.freeze({ version: 1, managed: false })],
		["that is nothing", null],
		["that is a word", "managed"],
		[
			"that throws when it is read",
			Object.freeze({
				get version() {
					throw new Error("trap");
				},
			}),
		],
	])("is no for an answer %s", (_, identity) => {
		expect(ask((reply) => reply(identity))).toBe(false);
	});

	it("is no for an answer that comes later", async () => {
		let late: Promise<void> = Promise.resolve();
		const managed = ask((reply) => {
			late = Promise.resolve().then(() => reply(Object.freeze({ version: 1, managed: true })));
		});
		await late;
		expect(managed).toBe(false);
	});

	it("is no when nobody answers, and yes when one of several does", () => {
		expect(isManagedSession(new EventEmitter())).toBe(false);
		expect(
			ask((reply) => {
				reply(Object.freeze({ version: 1, managed: true }));
				reply(Object.freeze({ version: 1, managed: false }));
			}),
		).toBe(true);
	});
});

describe("a subagent's session", () => {
	it.each([
		[true, { environment: { PI_SUBAGENT_CHILD: "1" }, stored: true, hasUserInterface: true }],
		[true, { environment: {}, stored: false, hasUserInterface: false }],
		[false, { environment: {}, stored: true, hasUserInterface: false }],
		[false, { environment: {}, stored: false, hasUserInterface: true }],
	])("%s: %o", (expected, kind) => {
		expect(isSubagentSession(kind)).toBe(expected);
	});
});

describe("paths", () => {
	const facts = { platform: "linux" as const, userId: 1000, socketRoot: "/tmp" };

	it("are the agent directory's own", () => {
		const paths = peerPaths("/home/ada/.pi/agent/", facts);
		expect(paths).toEqual(peerPaths("/home/ada/.pi/agent", facts));
		expect(registrationPath(paths, instanceId)).toBe(`/home/ada/.pi/agent/peers/${instanceId}.json`);
		expect(endpointPath(paths, instanceId)).toBe(`/tmp/pi-peers-1000-${paths.namespace}/${instanceId}.sock`);
		expect(paths.namespace).toBe("f03cee80abb9");
		expect(peerPaths("/home/bob/.pi/agent", facts).namespace).not.toBe(paths.namespace);
	});

	it("are named pipes on Windows", () => {
		const paths = peerPaths("/home/ada/.pi/agent", { platform: "win32", socketRoot: "/tmp" });
		expect(paths.socketDirectory).toBeNull();
		expect(endpointPath(paths, instanceId)).toBe(`\\\\.\\pipe\\pi-peer-${paths.namespace}-${instanceId}`);
	});

	it("don't grow with the agent directory", () => {
		const paths = peerPaths(`/home/${"long/".repeat(60)}agent`, facts);
		expect(endpointFits(paths, instanceId)).toBe(true);
	});

	it.each([
		["linux" as const, 107],
		["darwin" as const, 103],
	])("on %s fit up to %i bytes, not characters", (platform, limit) => {
		const fixed = Buffer.byteLength(endpointPath(peerPaths("/a", { ...facts, platform, socketRoot: "/" }), instanceId));
		const fits = (root: string) => endpointFits(peerPaths("/a", { ...facts, platform, socketRoot: root }), instanceId);
		expect(endpointByteLimit(platform)).toBe(limit);
		expect(fits(`/${"r".repeat(limit - fixed - 1)}`)).toBe(true);
		expect(fits(`/${"r".repeat(limit - fixed)}`)).toBe(false);
		expect(fits(`/${"é".repeat((limit - fixed + 1) / 2)}`)).toBe(false);
	});
});

describe("a private directory", () => {
	it("is made with its parents, closed to others", async () => {
		const path = join(await temporaryDirectory(), "a/b");
		await ensurePrivateDirectory(path, process.getuid?.());
		expect((await lstat(path)).mode & 0o777).toBe(0o700);
	});

	it("is narrowed when it is this user's and open to others", async () => {
		const path = join(await temporaryDirectory(), "open");
		await mkdir(path);
		await chmod(path, 0o777);
		await ensurePrivateDirectory(path, process.getuid?.());
		expect((await lstat(path)).mode & 0o777).toBe(0o700);
	});

	it("is not a link, a file or another user's directory", async () => {
		const root = await temporaryDirectory();
		await symlink(root, join(root, "link"));
		await writeFile(join(root, "file"), "");
		for (const name of ["link", "file", "file/below"]) {
			const made = ensurePrivateDirectory(join(root, name), process.getuid?.());
			await expect(made).rejects.toMatchObject({ code: "unsafe_directory" });
		}
		await expect(ensurePrivateDirectory(root, (process.getuid?.() ?? 0) + 1)).rejects.toMatchObject({
			code: "unsafe_directory",
		});
	});
});

describe("a registered name", () => {
	it("is a session's name, or one made of its id", () => {
		expect(registeredName("  my\nsession ", "0199abcdef")).toBe("my session");
		expect(registeredName("\u001b\u0007", "0199abcdef")).toBe("pi-0199abcd");
		expect(registeredName(undefined, "0199abcdef")).toBe("pi-0199abcd");
		expect([...registeredName("🧭".repeat(300), "x")]).toHaveLength(200);
	});
});

describe("a public peer", () => {
	it("is everything but the secret, frozen, with a ref", async () => {
		const paths = await temporaryPaths();
		const registration = registrationFor(paths, { instanceId, pidNamespace: "here", sessionFile: "/s.jsonl" });
		const { token, ...rest } = registration;
		const peer = publishPeer(registration);
		expect(peer).toEqual({ ...rest, ref: "01234567" });
		expect(JSON.stringify(peer)).not.toContain(token);
		expect(Object.isFrozen(peer)).toBe(true);
		expect(peerLabel(registration)).toBe(`${registration.name} [01234567]`);
	});
});
