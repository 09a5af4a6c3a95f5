/**
 * The public door for other packages: ask sessions on a bus, with types and checks that follow from the topic.
 *
 * Nothing behind it knows pi or touches anything but the bus that it is given.
 */
export {
	BRIDGE_LIMITS,
	BRIDGE_PREFIX,
	type BridgeEnvelope,
	BridgeError,
	type BridgeErrorCode,
	type BridgePayload,
	bridgeEnvelopeSchema,
	formatBridge,
	forwardEnvelope,
	isBridgeText,
	parseBridge,
} from "./bridge.ts";
export { type Bus, type BusOptions, createBus, fromEventEmitter, fromMitt, type NodeEmitter } from "./bus.ts";
export { PeerContextError, type PeerContextErrorCode, RpcError, type RpcErrorCode } from "./errors.ts";
export {
	type Incarnation,
	incarnationSchema,
	isRequestId,
	REQUEST_ID_PATTERN,
	requestIdSchema,
} from "./identifiers.ts";
export { CANCEL_SAFE_QUEUE, type InfoReply, type InfoRequest, infoReplySchema, infoRequestSchema } from "./info.ts";
export { MAX_GIVEN_SUMMARY_UNITS, MAX_MESSAGE_TEXT_UNITS } from "./limits.ts";
export * from "./message-outcomes.ts";
export {
	type MessageRefusal,
	messageRefusalSchema,
	type SendReply,
	type SendRequest,
	type StatusReply,
	type StatusRequest,
	sendReplySchema,
	sendRequestSchema,
	statusReplySchema,
	statusRequestSchema,
} from "./message-rpc.ts";
export { type Outcome, type Refusal, type RpcOutcomeCode, refusalSchema, rpcOutcomes } from "./outcomes.ts";
export * from "./peer-context.ts";
export {
	type PeerContextReply,
	type PeerContextRequest,
	peerContextReplySchema,
	peerContextRequestSchema,
} from "./peer-context-rpc.ts";
export { INSTANCE_REF_LENGTH, instanceIdSchema, sessionIdSchema } from "./peer-identifiers.ts";
export {
	type PeersReply,
	type PeersRequest,
	peersReplySchema,
	peersRequestSchema,
	type RecentSession,
	recentSessionSchema,
} from "./peers-rpc.ts";
export { type GitContext, gitContextSchema, type PublicPeer, publicPeerSchema } from "./public-peer.ts";
export {
	type Claim,
	isReceivedMessage,
	RECEIVED_TOPIC,
	type ReceivedMessage,
	receivedMessageSchema,
} from "./received.ts";
export { MAX_REQUEST_TIMEOUT_MS, requestRpc } from "./request-rpc.ts";
export {
	INFO_TOPIC,
	PEER_CONTEXT_TOPIC,
	PEERS_TOPIC,
	type RpcReply,
	type RpcRequest,
	type RpcTopic,
	replyTopic,
	rpcTopics,
	SEND_TOPIC,
	STATUS_TOPIC,
} from "./topics.ts";
