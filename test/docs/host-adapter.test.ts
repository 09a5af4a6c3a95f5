/** The example adapter, copied as it stands beside an installed contract, between sessions that are real but for pi. */
import { rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { formatBridge } from "../../lib/contract/bridge.ts";
import { type Bus, createBus } from "../../lib/contract/bus.ts";
import { SEND_TOPIC } from "../../lib/contract/topics.ts";
import { freshPaths } from "../inbox/open-session.ts";
import { checkTypes, copyAdapter, installContract } from "./installed-contract.ts";
import { type FullHost, openFullHost } from "./open-hosts.ts";

type AdapterModule = typeof import("../../docs/examples/host-adapter/adapter.ts");
type Adapter = InstanceType<AdapterModule["HostAdapter"]>;

let directory: string;
let HostAdapter: AdapterModule["HostAdapter"];

beforeAll(async () => {
	directory = installContract();
	const file = path.join(copyAdapter(directory), "adapter.ts");
	({ HostAdapter } = (await import(pathToFileURL(file).href)) as AdapterModule);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it("its types hold for whoever installs the contract", () => {
	checkTypes(directory, ["host-adapter/extension.ts"]);
});

interface Side {
	readonly host: FullHost;
	readonly adapter: Adapter;
}

function adapterOn(bus: Bus): Adapter {
	const adapter = new HostAdapter(bus);
	adapter.start();
	onTestFinished(() => adapter.stop());
	return adapter;
}

async function openPair() {
	const paths = await freshPaths();
	const open = async (): Promise<Side> => {
		const host = await openFullHost(paths);
		return { host, adapter: adapterOn(host.bus) };
	};
	const [here, there] = [await open(), await open()];
	const [peer] = await here.adapter.listPeers();
	if (peer === undefined) throw new Error("The peer is not listed.");
	return { paths, here, there, peer };
}

describe("a hand-off", () => {
	it("begins with a look at the peer, and is three facts: accepted, stored, answered", async () => {
		const { here, there, peer } = await openPair();
		expect(peer).toMatchObject({ instanceId: there.host.instanceId, readable: true });
		expect(await here.adapter.look(peer)).toMatchObject({ ok: true, context: { schemaVersion: 1 } });

		const { id } = await here.adapter.handOver(peer, "Port the parser");
		const known = () => here.adapter.handOffs.find((handOff) => handOff.id === id);
		expect(known()).toMatchObject({ accepted: "yes", answer: null });
		await expect.poll(known).toMatchObject({ accepted: "yes", stored: true, answer: null });

		const [mail] = there.adapter.mailbox.mails;
		expect(mail).toMatchObject({ from: here.host.instanceId, handOff: id, title: "Port the parser" });
		if (mail === undefined) throw new Error("no mail");
		expect(await there.adapter.answer(mail, "Tomorrow.")).toBe(true);
		expect(known()).toMatchObject({ accepted: "yes", stored: true, answer: "Tomorrow." });
		expect(there.adapter.mailbox.mails).toEqual([]);
	});

	it("never reaches either session's pi", async () => {
		const { here, there, peer } = await openPair();
		await here.adapter.handOver(peer, "Port the parser");
		await expect.poll(() => here.adapter.handOffs).toMatchObject([{ stored: true }]);
		expect([here.host.pi.delivered, there.host.pi.delivered]).toEqual([[], []]);
	});

	it("that no adapter takes is known not to be accepted, with what to do", async () => {
		const { here, there, peer } = await openPair();
		there.adapter.stop();
		const handOff = await here.adapter.handOver(peer, "Port the parser");
		expect(handOff).toMatchObject({ accepted: "no", stored: false, answer: null });
		expect(handOff.next).toContain("adapter is loaded");
		expect(await here.adapter.askAgain(handOff.id)).toEqual(handOff);
	});

	it("whose reply got lost is asked for by its message id, and not sent again", async () => {
		const paths = await freshPaths();
		const there = await openFullHost(paths);
		adapterOn(there.bus);
		const real = createBus();
		const sends: unknown[] = [];
		// A bus that loses what answers a send.
		const lossy: Bus = {
			emit(topic, data) {
				if (topic === SEND_TOPIC) sends.push(data);
				if (!topic.startsWith(`${SEND_TOPIC}:reply:`)) real.emit(topic, data);
				else throw new Error("stale");
			},
			on: (topic, handler) => real.on(topic, handler),
		};
		await openFullHost(paths, lossy);
		const failing: Bus = {
			emit(topic, data) {
				lossy.emit(topic, data);
				if (topic === SEND_TOPIC) throw new Error("stale");
			},
			on: (topic, handler) => lossy.on(topic, handler),
		};
		const adapter = adapterOn(failing);
		const [peer] = await adapter.listPeers();
		if (peer === undefined) throw new Error("The peer is not listed.");
		const { id, accepted } = await adapter.handOver(peer, "Port the parser");
		expect(accepted).toBe("unknown");
		await expect.poll(() => there.session.presence.inbox.states.list()).toMatchObject([{ state: "accepted" }]);
		expect(await adapter.askAgain(id)).toMatchObject({ accepted: "yes", next: expect.stringContaining("accepted") });
		expect(sends).toHaveLength(1);
	});
});

describe("the mailbox", () => {
	it("is bounded: what finds no room is not claimed, and its sender learns it at once", async () => {
		const { here, there, peer } = await openPair();
		const { mailbox } = there.adapter;
		for (let index = 0; mailbox.hasRoomFor("f", `${index}`); index += 1) {
			mailbox.put({ from: "f", handOff: `${index}`, title: "t", receivedAt: 0 });
		}
		expect(mailbox.mails).toHaveLength(32);
		expect(await here.adapter.handOver(peer, "One more")).toMatchObject({ accepted: "no" });
		expect(mailbox.mails).toHaveLength(32);
	});

	it("takes nothing else that may come in an envelope", async () => {
		const { here, there } = await openPair();
		const expiresAt = Date.now() + 10_000;
		const { outbox } = here.host.session.presence;
		const payloads = [
			null,
			7,
			[],
			{},
			{ kind: "hand-off" },
			{ kind: "hand-off", title: " " },
			{ kind: "other", title: "t" },
		];
		for (const payload of payloads) {
			const text = formatBridge({
				version: 1,
				origin: "o",
				correlationId: "c",
				expiresAt,
				hops: 0,
				budget: 1,
				payload,
			});
			const { receipt } = await outbox.send({ target: there.host.instanceId, text });
			expect(receipt.code).toBe("no_handler");
		}
		expect(there.adapter.mailbox.mails).toEqual([]);
	});

	it("leaves ordinary messages to pi", async () => {
		const { here, there } = await openPair();
		const { outbox } = here.host.session.presence;
		await outbox.send({ target: there.host.instanceId, text: "Have you seen the parser?" });
		expect(there.host.pi.delivered).toHaveLength(1);
	});
});

it("news of a hand-off count only from the session that it was handed to", async () => {
	const { paths, here, peer } = await openPair();
	const { id } = await here.adapter.handOver(peer, "Port the parser");
	await expect.poll(() => here.adapter.handOffs).toMatchObject([{ stored: true }]);
	const stranger = await openFullHost(paths);
	const envelope = {
		version: 1 as const,
		origin: "o",
		correlationId: id,
		expiresAt: Date.now() + 10_000,
		hops: 0,
		budget: 1,
	};
	const text = formatBridge({ ...envelope, payload: { kind: "answered", answer: "Throw it away." } });
	const { receipt } = await stranger.session.presence.outbox.send({ target: here.host.instanceId, text });
	expect(receipt.code).toBe("no_handler");
	expect(here.adapter.handOffs).toMatchObject([{ answer: null }]);
});

it("without the RPC it says what is missing", async () => {
	const adapter = adapterOn(createBus());
	await expect(adapter.listPeers()).rejects.toThrow("start it with --cross-session-rpc");
});
