/**
 * Registrations: files that any process of the user may have written, and what peers can then be called.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
	currentPathFacts,
	endpointPath,
	type PeerPaths,
	peerPaths,
	registrationPath,
} from "../../../lib/peers/paths.ts";
import { peerLabel, publishPeer } from "../../../lib/peers/published-peer.ts";
import { parseRegistration, type Registration } from "../../../lib/peers/registration.ts";
import { readRegistration } from "../../../lib/peers/registration-reading.ts";
import { matchTarget } from "../../../lib/peers/target.ts";
import { type FuzzTarget, type OpenTarget, samplesOf } from "../fuzz/target.ts";

const instanceId = "c".repeat(32);

/** Paths that are the same everywhere, so that a corpus fits every machine; only the files lie in `directory`. */
function pathsIn(directory: string): PeerPaths {
	const fixed = peerPaths("/agent", { ...currentPathFacts(), platform: "linux", socketRoot: "/sockets" });
	return { ...fixed, peersDirectory: directory, socketDirectory: "/sockets/pi-peers" };
}

const registration = {
	version: 2,
	protocol: 1,
	id: "01a22e72-7c07-7b5e-8a8e-9d0b2f6c1d3e",
	instanceId,
	name: "the parser",
	cwd: "/home/project",
	pid: 4711,
	startedAt: 1_790_000_000_000,
	updatedAt: 1_790_000_000_500,
	status: "idle",
	inbound: "accept",
	socketPath: endpointPath(pathsIn("/"), instanceId),
	token: "d3".repeat(32),
	sessionFile: "/agent/sessions/--work-project--/one.jsonl",
	pidNamespace: "4026531836",
} satisfies Registration;

export const registrationTarget: FuzzTarget = {
	name: "registrations",
	samples: samplesOf(
		registration,
		{ ...registration, sessionFile: undefined, pidNamespace: undefined, name: "日本 👩‍👩‍👧‍👦" },
		{ ...registration, status: "busy", inbound: "refuse", more: { of: ["another", "writer"] } },
		{ ...registration, sessionFile: 5, pidNamespace: ["x"] },
		JSON.stringify(registration, null, "\t"),
	),
	tokens: [
		...Object.keys(registration).map((key) => `"${key}":`),
		'"version":2,"protocol":1,',
		registration.token,
		registration.socketPath,
		"/../",
		"\\u001b[2J",
		"\\u202e",
	],
	bounds: [64, 200, 256, 512, 800, 4096, 64 * 1024],
	maxBytes: 70 * 1024,
	open: openRegistrations,
};

const REFUSALS = new Set(["missing", "unsafe", "too_large", "unreadable", "malformed", "wrong_name", "wrong_endpoint"]);

function openRegistrations(): OpenTarget {
	const directory = mkdtempSync(path.join(tmpdir(), "fuzz-peers-"));
	const paths = pathsIn(directory);
	return {
		async check(bytes) {
			writeFileSync(registrationPath(paths, instanceId), bytes, { mode: 0o600 });
			const reading = await readRegistration(paths, instanceId);
			if (!reading.ok) {
				assert.ok(REFUSALS.has(reading.reason));
				return;
			}
			assert.ok(bytes.length <= 64 * 1024, "a file of any size is read");
			assert.ok(Number.isFinite(reading.refreshedAt));
			checkPeer(reading.registration, bytes.toString());
		},
		close: () => rmSync(directory, { recursive: true, force: true }),
	};
}

/** Moves a cursor, breaks a line, or turns the order of what stands beside it. */
const UNSHOWABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

function checkPeer(peer: Registration, text: string): void {
	assert.equal(peer.instanceId, instanceId);
	assert.equal(peer.socketPath, registration.socketPath);
	assert.ok(peer.id.length >= 1 && peer.id.length <= 512 && [...peer.name].length <= 200 && peer.cwd.length <= 4096);
	for (const shown of [peer.id, peer.name, peer.cwd, peer.sessionFile ?? "", peer.pidNamespace ?? ""]) {
		assert.doesNotMatch(shown, UNSHOWABLE);
	}
	assert.ok(Number.isSafeInteger(peer.pid) && peer.pid > 0, "a pid that stands for a group or for nobody");
	assert.ok([peer.startedAt, peer.updatedAt].every((time) => Number.isSafeInteger(time) && time >= 0));
	// Nothing was made up: what is there stands in the file, under the same name.
	const written = JSON.parse(text.replace(/^\ufeff/, "")) as Record<string, unknown>;
	for (const [key, value] of Object.entries(peer)) {
		if (value !== undefined) assert.deepEqual(written[key], value);
	}
	const again = JSON.stringify(peer);
	assert.equal(JSON.stringify(parseRegistration(again)), again);
	const published = JSON.stringify(publishPeer(peer));
	assert.ok(!published.includes(peer.token) || hidesIn(peer), "the secret is published");
	assert.ok(peerLabel(peer).length <= 411);
	for (const target of [peer.name, peer.id, peerLabel(peer), `@${peer.name}`]) matchTarget(target, [peer]);
}

/** Another field that says the secret itself is its writer's own doing. */
function hidesIn({ token, ...others }: Registration): boolean {
	return JSON.stringify(others).includes(token);
}
