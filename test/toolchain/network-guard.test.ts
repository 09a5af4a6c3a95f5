// What the preloaded guard refuses and what it lets through. Each probe is a program of its own, so that it is the inherited
// guard that is seen; with no guard at work most of these would reach for the network, so nothing runs without it.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import { cleanRunRoot } from "../support/clean-run.ts";

beforeAll(() => {
	cleanRunRoot();
	expect(process.env.NODE_OPTIONS).toContain("network-guard.mjs");
});

/** Runs a program in a child process and gives what it printed by `tell(value)`. */
function probe(program: string, given: readonly string[] = []): Promise<unknown> {
	const prelude = `
		const tell = (value) => { console.log(JSON.stringify(value ?? null)); process.exit(); };
		const tellError = (error) => tell(error?.cause?.code ?? error?.code ?? String(error));
		const net = require("node:net");`;
	return new Promise((resolve, reject) => {
		execFile(process.execPath, ["-e", prelude + program, ...given], (error, stdout, stderr) => {
			if (error === null && stdout !== "") resolve(JSON.parse(stdout));
			else reject(new Error(`The probe told nothing: ${stderr}`));
		});
	});
}

const refusal = "ERR_NETWORK_GUARD";
// A documentation address: even a guard that failed would reach nobody.
const foreign = "192.0.2.1";

const refused: Readonly<Record<string, string>> = {
	"net.connect by port and host": `net.connect(80, "${foreign}").on("error", tellError);`,
	"net.createConnection by options": `net.createConnection({ port: 80, host: "example.org" }).on("error", tellError);`,
	"Socket.connect to IPv6": `new net.Socket().connect(80, "2001:db8::1").on("error", tellError);`,
	"a connection to every address": `net.connect(80, "0.0.0.0").on("error", tellError);`,
	"a mapped address": `net.connect(80, "::ffff:${foreign}").on("error", tellError);`,
	"a name that looks like loopback": `net.connect(80, "localhost.example.org").on("error", tellError);`,
	"localhost looked up by the caller": `net.connect({ port: 80, host: "localhost", lookup: (name, options, done) => done(null, [{ address: "${foreign}", family: 4 }]) }).on("error", tellError);`,
	"a named import": `import("node:dns").then(({ lookup }) => lookup("example.org", tellError));`,
	"tls.connect": `require("node:tls").connect(443, "example.org").on("error", tellError);`,
	"http.get": `require("node:http").get("http://example.org").on("error", tellError);`,
	"https.get": `require("node:https").get("https://example.org").on("error", tellError);`,
	"http2.connect": `require("node:http2").connect("https://example.org").on("error", tellError);`,
	fetch: `fetch("https://example.org").then(tell, tellError);`,
	"fetch of an address": `fetch("http://${foreign}/").then(tell, tellError);`,
	"fetch of the package undici": `require("undici").fetch("http://example.org").then(tell, tellError);`,
	"dns.lookup": `require("node:dns").lookup("example.org", tellError);`,
	"dns.lookup made a promise": `require("node:util").promisify(require("node:dns").lookup)("example.org").then(tell, tellError);`,
	"dns.resolve4": `require("node:dns").resolve4("localhost", tellError);`,
	"dns.reverse": `require("node:dns").reverse("${foreign}", tellError);`,
	"dns.lookupService": `require("node:dns").lookupService("${foreign}", 80, tellError);`,
	"dns/promises lookup": `require("node:dns/promises").lookup("example.org").then(tell, tellError);`,
	"dns/promises resolveTxt": `require("node:dns/promises").resolveTxt("example.org").then(tell, tellError);`,
	"a Resolver": `new (require("node:dns").Resolver)().resolve6("example.org", tellError);`,
	"a Resolver of promises": `new (require("node:dns/promises").Resolver)().resolve("example.org").then(tell, tellError);`,
	UDP: `try { require("node:dgram").createSocket("udp4"); } catch (error) { tellError(error); }`,
	"listening everywhere": `net.createServer().listen(0).on("error", tellError);`,
	"listening on every IPv4 address": `require("node:http").createServer().listen(0, "0.0.0.0").on("error", tellError);`,
	"connecting to a foreign Unix socket": `net.connect("/var/run/foreign.sock").on("error", tellError);`,
	"HTTP over a foreign Unix socket": `require("node:http").get({ socketPath: "/var/run/docker.sock" }).on("error", tellError);`,
	"listening on a foreign Unix socket": `net.createServer().listen({ path: "/tmp/foreign.sock" }).on("error", tellError);`,
	"an abstract Unix socket": `net.connect("\\0foreign").on("error", tellError);`,
	"a path that leaves the private root": `net.connect(process.env.TMPDIR + "/../../foreign.sock").on("error", tellError);`,
	"a peers directory of another agent directory": `net.createServer().listen("/tmp/pi-peers-" + process.getuid() + "-0123456789ab/a.sock").on("error", tellError);`,
	"a peers directory of an agent directory outside": `
		process.env.PI_CODING_AGENT_DIR = "/home/somebody/.pi/agent";
		const hash = require("node:crypto").createHash("sha256").update(process.env.PI_CODING_AGENT_DIR).digest("hex").slice(0, 12);
		net.connect("/tmp/pi-peers-" + process.getuid() + "-" + hash + "/a.sock").on("error", tellError);`,
};

describe("the guard refuses", () => {
	it.for(Object.entries(refused))("%s", async ([, program]) => {
		expect(await probe(program)).toBe(refusal);
	});

	it("a link in the private root that leads to a foreign socket's directory", async () => {
		const link = path.join(mkdtempSync(path.join(tmpdir(), "link-")), "out");
		symlinkSync("/tmp", link);
		expect(await probe(`net.connect(process.argv[1]).on("error", tellError);`, [path.join(link, "a.sock")])).toBe(
			refusal,
		);
	});

	it("the same in a worker thread", async () => {
		const inWorker = `require("node:net").connect(80, "${foreign}").on("error", (error) => require("node:worker_threads").parentPort.postMessage(error.code));`;
		const program = `new (require("node:worker_threads").Worker)(process.argv[1], { eval: true }).on("message", tell);`;
		expect(await probe(program, [inWorker])).toBe(refusal);
	});

	it("the same in a child of a child", async () => {
		const inChild = `require("node:net").connect(80, "${foreign}").on("error", (error) => console.log(error.code));`;
		const program = `tell(require("node:child_process").execFileSync(process.execPath, ["-e", process.argv[1]], { encoding: "utf8" }).trim());`;
		expect(await probe(program, [inChild])).toBe(refusal);
	});

	it("with words that tell what was refused and what to do instead", async () => {
		const message = await probe(`net.connect(80, "example.org").on("error", (error) => tell(error.message));`);
		expect(message).toMatch(/refused a connection to example\.org:80\. Start a server on 127\.0\.0\.1 instead\./);
	});
});

/** A server that answers "hello", and a client that tells what it heard. */
const overSocket = (address: string): string => `
	const server = net.createServer((socket) => socket.end("hello")).on("error", tellError).listen(${address}, () => {
		const target = server.address();
		const client = typeof target === "string" ? net.connect(target) : net.connect(target.port, "localhost");
		client.setEncoding("utf8").on("data", tell).on("error", tellError);
	});`;

const allowed: Readonly<Record<string, readonly [program: string, answer: unknown]>> = {
	"TCP on 127.0.0.1": [overSocket('0, "127.0.0.1"'), "hello"],
	"TCP on localhost": [overSocket('{ port: 0, host: "localhost" }'), "hello"],
	"a Unix socket in the private root": [overSocket('process.env.TMPDIR + "/guard-" + process.pid + ".sock"'), "hello"],
	"fetch from loopback": [
		`const server = require("node:http").createServer((request, response) => response.end("hello")).listen(0, "127.0.0.1", () => {
			fetch("http://localhost:" + server.address().port).then((response) => response.text()).then(tell, tellError);
		});`,
		"hello",
	],
	"looking up localhost": [
		`require("node:util").promisify(require("node:dns").lookup)("localhost", { family: 4 }).then(tell, tellError);`,
		{ address: "127.0.0.1", family: 4 },
	],
	"looking up an address": [
		`require("node:dns/promises").lookup("${foreign}").then(tell, tellError);`,
		{ address: foreign, family: 4 },
	],
};

describe("the guard lets through", () => {
	it.for(Object.entries(allowed))("%s", async ([, [program, answer]]) => {
		expect(await probe(program)).toEqual(answer);
	});

	it("the peers directory of the agent directory", async () => {
		const program = `
			const hash = require("node:crypto").createHash("sha256").update(process.env.PI_CODING_AGENT_DIR).digest("hex").slice(0, 12);
			const directory = "/tmp/pi-peers-" + process.getuid() + "-" + hash;
			require("node:fs").mkdirSync(directory, { recursive: true, mode: 0o700 });
			const file = directory + "/guard-" + process.pid + ".sock";
			${overSocket("file").replace('"data", tell', '"data", (text) => tell([text, directory])')}`;
		const told = (await probe(program)) as [string, string];
		rmSync(told[1], { recursive: true });
		expect(told[0]).toBe("hello");
	});
});
