/**
 * A pi extension for tests: commands that ask the session's event bus and report as notifications of one JSON value.
 *
 * `/ask {"id", "topic", "request"}` reports the reply, or the code of the error; `local` of a request is filled in.
 * `/tools {"id"}` reports the names of all tools.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { INFO_TOPIC, type RpcRequest, type RpcTopic, requestRpc } from "../../../lib/contract/index.ts";

/** What a caller waits for an answer that may not come, in ms. */
const PATIENCE_MS = 3000;

interface Question {
	readonly id: string;
	readonly topic: RpcTopic;
	readonly request: { readonly requestId: string };
}

export default function busProbe(pi: ExtensionAPI): void {
	pi.registerCommand("ask", {
		description: "Ask the event bus",
		async handler(text, context) {
			const { id, topic, request } = JSON.parse(text) as Question;
			context.ui.notify(JSON.stringify({ id, value: await ask(pi.events, topic, request) }));
		},
	});
	pi.registerCommand("tools", {
		description: "Name all tools",
		async handler(text, context) {
			const { id } = JSON.parse(text) as { id: string };
			context.ui.notify(JSON.stringify({ id, value: pi.getAllTools().map(({ name }) => name) }));
		},
	});
}

async function ask(bus: ExtensionAPI["events"], topic: Question["topic"], request: Question["request"]) {
	try {
		const envelope = { version: 1 as const, ...request };
		if (topic === INFO_TOPIC) return await requestRpc(bus, topic, envelope, PATIENCE_MS);
		const info = await requestRpc(bus, INFO_TOPIC, { version: 1, requestId: `${request.requestId}-i` }, PATIENCE_MS);
		const local = info.ok ? info.local : null;
		const addressed = { local, ...envelope } as RpcRequest<typeof topic>;
		return await requestRpc(bus, topic, addressed, PATIENCE_MS);
	} catch (error) {
		return { error: (error as { code?: string }).code ?? String(error) };
	}
}
