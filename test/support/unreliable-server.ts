/**
 * A model server on loopback that answers 503 as often as it is told to, and then like a real one.
 */
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export const UNRELIABLE = "unreliable";

export class UnreliableServer {
	readonly #server: Server;
	/** Statuses of the answers given, oldest first. */
	readonly statuses: number[] = [];
	#failures: number;

	private constructor(failures: number) {
		this.#failures = failures;
		this.#server = createServer((request, response) => {
			request.resume();
			request.on("end", () => this.#answer(response));
		});
	}

	/** @param failures answers 503 that come before the first good one */
	static async start(failures: number): Promise<UnreliableServer> {
		const started = new UnreliableServer(failures);
		await new Promise<void>((resolve) => started.#server.listen(0, "127.0.0.1", resolve));
		return started;
	}

	/** The extension that brings the model behind it. */
	readonly extension = (pi: ExtensionAPI): void => {
		const { port } = this.#server.address() as AddressInfo;
		pi.registerProvider(UNRELIABLE, {
			baseUrl: `http://127.0.0.1:${port}/v1`,
			apiKey: "none-needed",
			api: "openai-completions",
			models: [
				{
					id: UNRELIABLE,
					name: "Unreliable model",
					reasoning: false,
					input: ["text"],
					cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
					contextWindow: 128_000,
					maxTokens: 1_000,
				},
			],
		});
	};

	async dispose(): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}

	#answer(response: ServerResponse): void {
		const fails = this.#failures > 0;
		this.#failures -= 1;
		this.statuses.push(fails ? 503 : 200);
		if (fails) {
			response.writeHead(503, { "content-type": "application/json" });
			response.end('{"error":{"message":"Service Unavailable"}}');
			return;
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.write(chunk({ role: "assistant", content: `answer ${this.statuses.length}` }, null));
		response.write(chunk({}, "stop"));
		response.end("data: [DONE]\n\n");
	}
}

function chunk(delta: object, finish: string | null): string {
	const choices = [{ index: 0, delta, finish_reason: finish }];
	return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: UNRELIABLE, choices })}\n\n`;
}
