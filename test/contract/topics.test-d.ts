/** Types that follow from a topic's constant. Checked by the compiler; nothing here runs. */
import type { EventBus } from "@earendil-works/pi-coding-agent";
import type { Emitter } from "mitt";
import { expectTypeOf } from "vitest";
import {
	type BridgeEnvelope,
	type Bus,
	forwardEnvelope,
	fromMitt,
	INFO_TOPIC,
	type Incarnation,
	type InfoReply,
	isReceivedMessage,
	PEER_CONTEXT_TOPIC,
	PEERS_TOPIC,
	type PeerContext,
	type PeerContextReply,
	type PeersReply,
	type PublicPeer,
	type ReceivedMessage,
	type RpcRequest,
	replyTopic,
	requestRpc,
	SEND_TOPIC,
	type SendReply,
	STATUS_TOPIC,
	type StatusReply,
} from "../../lib/contract/index.ts";

declare const bus: Bus;
declare const local: Incarnation;

const info = requestRpc(bus, INFO_TOPIC, { version: 1, requestId: "r" });
expectTypeOf(info).resolves.toEqualTypeOf<InfoReply>();

const asked = requestRpc(bus, PEER_CONTEXT_TOPIC, {
	version: 1,
	requestId: "r",
	local,
	sessionId: "s",
	view: "activity",
});
expectTypeOf(asked).resolves.toEqualTypeOf<PeerContextReply>();

const reply = await asked;
if (reply.ok) expectTypeOf(reply.context).toEqualTypeOf<PeerContext>();
else expectTypeOf(reply.code).toEqualTypeOf<string>();

const state = await info;
if (state.ok) {
	expectTypeOf(state.remainingBudget).toEqualTypeOf<number>();
	expectTypeOf(state.local).toExtend<Incarnation | null>();
}

const addressed = { version: 1, requestId: "r", local, remoteInstanceId: "a".repeat(32), messageId: "m" } as const;
const sent = requestRpc(bus, SEND_TOPIC, { ...addressed, text: "t" });
expectTypeOf(sent).resolves.toEqualTypeOf<SendReply>();
expectTypeOf(requestRpc(bus, STATUS_TOPIC, addressed)).resolves.toEqualTypeOf<StatusReply>();
const listed = requestRpc(bus, PEERS_TOPIC, { version: 1, requestId: "r", local, include: "recent" });
expectTypeOf(listed).resolves.toEqualTypeOf<PeersReply>();

const receipt = await sent;
if (receipt.ok) {
	expectTypeOf(receipt.target).toEqualTypeOf<PublicPeer>();
	expectTypeOf(receipt.receipt.state).toEqualTypeOf<string>();
} else {
	expectTypeOf(receipt.messageId).toEqualTypeOf<string | undefined>();
}

bus.on("cross-session:received", (data) => {
	expectTypeOf(data).toEqualTypeOf<unknown>();
	if (!isReceivedMessage(data)) return;
	expectTypeOf(data).toEqualTypeOf<ReceivedMessage>();
	expectTypeOf(data.reply({ handled: true })).toEqualTypeOf<boolean>();
	if (data.bridge) expectTypeOf(forwardEnvelope(data.bridge)).toEqualTypeOf<BridgeEnvelope>();
	// @ts-expect-error: nobody gives a message back
	data.reply({ handled: false });
	// @ts-expect-error: what arrived can't be changed
	data.text = "";
});

expectTypeOf<RpcRequest<typeof INFO_TOPIC>>().toEqualTypeOf<{ version: 1; requestId: string }>();
expectTypeOf<RpcRequest<typeof PEER_CONTEXT_TOPIC>["view"]>().toEqualTypeOf<
	"overview" | "conversation" | "activity" | undefined
>();
expectTypeOf(replyTopic(INFO_TOPIC, "r")).toEqualTypeOf<`cross-session:rpc:info:reply:${string}`>();

// pi's bus is a bus, and a mitt emitter of any plain kind can become one.
expectTypeOf<EventBus>().toExtend<Bus>();
fromMitt({} as Emitter<Record<string, unknown>>);
fromMitt({} as Emitter<Record<string | symbol, unknown>>);

// @ts-expect-error: no such topic
requestRpc(bus, "cross-session:rpc:nothing", { version: 1, requestId: "r" });
// @ts-expect-error: a peer context is asked of one incarnation
requestRpc(bus, PEER_CONTEXT_TOPIC, { version: 1, requestId: "r", sessionId: "s" });
// @ts-expect-error: no such view
requestRpc(bus, PEER_CONTEXT_TOPIC, { version: 1, requestId: "r", local, sessionId: "s", view: "everything" });
// @ts-expect-error: no such version
requestRpc(bus, INFO_TOPIC, { version: 2, requestId: "r" });
// @ts-expect-error: a message has a text
requestRpc(bus, SEND_TOPIC, addressed);
// @ts-expect-error: nothing else can be included
requestRpc(bus, PEERS_TOPIC, { version: 1, requestId: "r", local, include: "all" });
