// Preloaded into every Node process of a clean run, children and worker threads included. It refuses what would leave the
// machine or touch somebody else's sockets: TCP and listening beyond loopback, every DNS query, all UDP, and Unix sockets
// outside the run's private root and the peers directory of its own agent directory. fetch, HTTP, HTTP/2 and TLS all
// connect through net.Socket, so the guard stands there.
import { createHash } from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import { realpathSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import path from "node:path";
import process from "node:process";

const privateRoot = process.env.CROSS_PRIVATE_ROOT ? realpathSync(process.env.CROSS_PRIVATE_ROOT) : null;

class NetworkGuardError extends Error {
	name = "NetworkGuardError";
	code = "ERR_NETWORK_GUARD";

	constructor(what, instead) {
		super(`The network guard of this run refused ${what}. ${instead}`);
	}
}

const loopback = new net.BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopbackAddress(host) {
	const family = net.isIP(host);
	return family !== 0 && !host.includes("%") && loopback.check(host, `ipv${family}`);
}

const isLoopback = (host) => host === "localhost" || isLoopbackAddress(host);

// ---- Unix sockets

const isInside = (directory, file) => file.startsWith(directory + path.sep);

/** Where a path really leads, links followed as far as there is something. */
function realPlace(file) {
	const absolute = path.resolve(file);
	for (const [there, rest] of [
		[absolute, ""],
		[path.dirname(absolute), path.basename(absolute)],
	]) {
		try {
			return path.join(realpathSync(there), rest);
		} catch {
			// Not there: its directory tells.
		}
	}
	return absolute;
}

/** The peers directory of the agent directory in force, which has to be one of this run's own. */
function peersDirectory() {
	const agentDirectory = process.env.PI_CODING_AGENT_DIR;
	if (!agentDirectory || !isInside(privateRoot, realPlace(agentDirectory))) return null;
	const namespace = createHash("sha256").update(agentDirectory).digest("hex").slice(0, 12);
	return `pi-peers-${process.getuid()}-${namespace}`;
}

function isOwnSocket(file) {
	if (privateRoot === null || file.startsWith("\0")) return false;
	const place = realPlace(file);
	if (isInside(privateRoot, place)) return true;
	const peers = peersDirectory();
	if (peers === null || path.dirname(place) !== path.join(realpathSync("/tmp"), peers)) return false;
	markForRemoval(peers);
	return true;
}

/** Tells the script that began this run which directory outside of the root belongs to it. */
function markForRemoval(peers) {
	try {
		writeFileSync(path.join(privateRoot, "peers", peers), "");
	} catch {
		// The root is gone already: the run has ended, and so will this process.
	}
}

// ---- TCP, and all that stands on it

/** The target in any of the forms that connect() and listen() take; null for a handle or a descriptor. */
function endpoint([first, second]) {
	// net passes a list, options first, from one of its functions to the other.
	const value = Array.isArray(first) ? first[0] : first;
	if (typeof value === "object" && value !== null) {
		return value._handle || value.handle || typeof value.fd === "number" ? null : value;
	}
	if (typeof value === "string" && !(Number(value) >= 0)) return { path: value };
	return { port: value, host: typeof second === "string" ? second : undefined };
}

function refusedUnixSocket(file) {
	if (isOwnSocket(file)) return null;
	return new NetworkGuardError(
		`the Unix socket ${JSON.stringify(file)}`,
		"Use one below TMPDIR, or in the peers directory that belongs to PI_CODING_AGENT_DIR.",
	);
}

function refusedConnection(target) {
	if (target.path) return refusedUnixSocket(String(target.path));
	const host = target.host || "localhost";
	const resolvesItself = typeof target.lookup === "function" && target.lookup !== dns.lookup && !net.isIP(host);
	if (isLoopback(host) && !resolvesItself) return null;
	return new NetworkGuardError(`a connection to ${host}:${target.port}`, "Start a server on 127.0.0.1 instead.");
}

function refusedListening(target) {
	if (target.path) return refusedUnixSocket(String(target.path));
	if (target.host && isLoopback(target.host)) return null;
	return new NetworkGuardError(
		`to listen on ${target.host ?? "every address"}`,
		'Name the host "127.0.0.1" when listening.',
	);
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function guardedConnect(...given) {
	const target = endpoint(given);
	const refusal = target && refusedConnection(target);
	if (!refusal) return connect.apply(this, given);
	// As when a name is looked up: what is written meanwhile waits, and the error comes later.
	this.connecting = true;
	process.nextTick(() => this.destroy(refusal));
	return this;
};

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function guardedListen(...given) {
	const target = endpoint(given);
	const refusal = target && refusedListening(target);
	if (!refusal) return listen.apply(this, given);
	process.nextTick(() => this.emit("error", refusal));
	return this;
};

// ---- DNS

const refusedQuery = (name) =>
	new NetworkGuardError(`to look up ${JSON.stringify(name)}`, "Use 127.0.0.1 or localhost.");

const answersLocally = (method, name) => method === "lookup" && (!name || isLoopback(name) || net.isIP(name) !== 0);

/** Guards each function of `owner` that asks a name server; `refuse` reports the refusal the way these functions do. */
function guardQueries(owner, refuse) {
	for (const method of Object.getOwnPropertyNames(owner)) {
		const original = owner[method];
		if (!/^(lookup|resolve|reverse)/.test(method) || typeof original !== "function") continue;
		const guarded = function (...given) {
			return answersLocally(method, given[0]) ? original.apply(this, given) : refuse(refusedQuery(given[0]), given);
		};
		// Its name, and the symbols by which util.promisify knows it.
		Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original));
		Object.defineProperty(owner, method, { value: guarded });
	}
}

function refuseByCallback(refusal, given) {
	const callback = given.at(-1);
	if (typeof callback !== "function") throw refusal;
	process.nextTick(callback, refusal);
}

const refuseByPromise = (refusal) => Promise.reject(refusal);

guardQueries(dns, refuseByCallback);
guardQueries(dns.Resolver.prototype, refuseByCallback);
guardQueries(dns.promises, refuseByPromise);
guardQueries(dns.promises.Resolver.prototype, refuseByPromise);

// ---- UDP

function guardedDatagrams() {
	throw new NetworkGuardError("a UDP socket", "Nothing here speaks UDP; use TCP on 127.0.0.1.");
}
dgram.createSocket = guardedDatagrams;
dgram.Socket = guardedDatagrams;

// What `import { lookup } from "node:dns"` gives is what stands on the module now.
syncBuiltinESMExports();
