/**
 * A pi extension for the soak: a model that does what a prompt says, forbidden places full of markers, and commands that
 * only a test needs. Each session's markers carry the name of its seat, from SOAK_SEAT.
 *
 * `/measure {"id"}` reports what the process holds, after a garbage collection. `/again` reloads. `/litter` leaves markers.
 */
import { createHook } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type AssistantMessage, type Context, createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { LOCAL_USAGE } from "../../support/pi/local-usage.ts";
import { marker } from "./markers.ts";

/** The provider, and its model. */
export const SOAK_MODEL = "soak";

/** A prompt that begins so is carried out: one JSON object follows, a {@link Wish}. */
export const WISH_PREFIX = "DO ";

/** What the model is asked to do in its first reply to a prompt. */
export interface Wish {
	readonly text?: string;
	readonly calls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
	/** How many calls of the tool `keep` it makes too, with a marker that the prompt does not hold. */
	readonly keeps?: number;
	/** How long it takes, in ms, unless it is aborted. */
	readonly waits?: number;
}

/** What a process holds. All numbers are counts but the first two, which are bytes. */
export interface Measure {
	readonly heap: number;
	readonly resident: number;
	/** Open descriptors; 0 where the system doesn't tell. */
	readonly descriptors: number;
	/** Timers, those that keep no process alive among them. */
	readonly timers: number;
	/** Whatever lasting thing keeps the event loop alive, by its kind. */
	readonly resources: Readonly<Record<string, number>>;
	/** Listeners of the process, and of this package's topics on any emitter. */
	readonly listeners: Readonly<Record<string, number>>;
}

const seat = process.env.SOAK_SEAT ?? "";

export default function soak(pi: ExtensionAPI): void {
	registerModel(pi);
	pi.registerTool({
		name: "keep",
		label: "Keep",
		description: "Keep something",
		parameters: Type.Object({ what: Type.String() }),
		execute: async () => ({
			content: [{ type: "text", text: marker(seat, "result") }],
			details: { kept: marker(seat, "details") },
		}),
	});
	pi.registerCommand("litter", {
		description: "Leave markers",
		async handler() {
			const content = marker(seat, "custom-message");
			pi.sendMessage({ customType: "litter", content, display: true }, { triggerTurn: false });
			pi.appendEntry("litter", { text: marker(seat, "custom-entry") });
		},
	});
	pi.registerCommand("again", { description: "Reload", handler: (_text, context) => context.reload() });
	pi.registerCommand("measure", {
		description: "Tell what the process holds",
		async handler(text, context) {
			const { id } = JSON.parse(text) as { id: string };
			context.ui.notify(JSON.stringify({ id, value: await measure() }));
		},
	});
}

// ---- the model

function registerModel(pi: ExtensionAPI): void {
	pi.registerProvider(SOAK_MODEL, {
		api: SOAK_MODEL,
		apiKey: "none-needed",
		baseUrl: "http://127.0.0.1:9",
		models: [
			{
				id: SOAK_MODEL,
				name: "Soak model",
				reasoning: false,
				input: ["text"],
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
				contextWindow: 128_000,
				maxTokens: 16_384,
			},
		],
		streamSimple(_model, context, options) {
			const stream = createAssistantMessageEventStream();
			void reply(context, options?.signal).then((message) => {
				stream.push({ type: "start", partial: { ...message, content: [] } });
				if (message.stopReason === "aborted") stream.push({ type: "error", reason: "aborted", error: message });
				else stream.push({ type: "done", reason: message.stopReason === "toolUse" ? "toolUse" : "stop", message });
				stream.end(message);
			});
			return stream;
		},
	});
}

async function reply(context: Context, signal: AbortSignal | undefined): Promise<AssistantMessage> {
	const wish = wishOf(context);
	if (wish.waits !== undefined) await passed(wish.waits, signal);
	const keep = { name: "keep", arguments: { what: marker(seat, "argument") } };
	const wanted = [...(wish.calls ?? []), ...Array.from({ length: wish.keeps ?? 0 }, () => keep)];
	const calls = wanted.map(({ name, arguments: given }, index) => ({
		type: "toolCall" as const,
		id: `call-${performance.now()}-${index}`,
		name,
		arguments: given as Extract<AssistantMessage["content"][number], { type: "toolCall" }>["arguments"],
	}));
	const content: AssistantMessage["content"] = [
		{ type: "thinking", thinking: marker(seat, "thinking") },
		{ type: "text", text: wish.text ?? "Noted." },
		...calls,
	];
	return {
		role: "assistant",
		content,
		api: SOAK_MODEL,
		provider: SOAK_MODEL,
		model: SOAK_MODEL,
		usage: LOCAL_USAGE,
		stopReason: signal?.aborted ? "aborted" : calls.length > 0 ? "toolUse" : "stop",
		timestamp: Date.now(),
	};
}

/** What the last prompt asks for, as long as nothing was answered to it. */
function wishOf({ messages }: Context): Wish {
	const last = messages.at(-1);
	if (last?.role !== "user") return {};
	const text =
		typeof last.content === "string"
			? last.content
			: last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
	return text.startsWith(WISH_PREFIX) ? (JSON.parse(text.slice(WISH_PREFIX.length)) as Wish) : {};
}

/** Resolves after a time, or when the signal is aborted. */
function passed(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", end);
			resolve();
		};
		const timer = setTimeout(end, milliseconds);
		signal?.addEventListener("abort", end);
		if (signal?.aborted) end();
	});
}

// ---- what the process holds

/** Kept beside the module, which a reload loads anew. */
interface Watch {
	readonly timers: Set<number>;
	readonly emitters: Set<EventEmitter>;
	readonly collect: () => void;
}

const watchKey = Symbol.for("cross-session-soak-watch");
const OWN_TOPICS = /^(cross-session:|pi-mesh:)/;

function watchProcess(): Watch {
	const kept = globalThis as { [watchKey]?: Watch };
	kept[watchKey] ??= startWatch();
	return kept[watchKey];
}

function startWatch(): Watch {
	const timers = new Set<number>();
	createHook({
		init(id, type) {
			if (type === "Timeout") timers.add(id);
		},
		destroy(id) {
			timers.delete(id);
		},
	}).enable();
	const emitters = new Set<EventEmitter>();
	const { on } = EventEmitter.prototype;
	EventEmitter.prototype.on = function watchedOn(this: EventEmitter, topic, listener) {
		if (typeof topic === "string" && OWN_TOPICS.test(topic)) emitters.add(this);
		return on.call(this, topic, listener);
	};
	setFlagsFromString("--expose-gc");
	return { timers, emitters, collect: runInNewContext("gc") as () => void };
}

const watch = watchProcess();

async function measure(): Promise<Measure> {
	for (let round = 0; round < 3; round += 1) {
		watch.collect();
		await setImmediate();
	}
	const { heapUsed, rss } = process.memoryUsage();
	return {
		heap: heapUsed,
		resident: rss,
		descriptors: existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0,
		timers: watch.timers.size,
		// Requests in flight come and go.
		resources: countEach(process.getActiveResourcesInfo().filter((kind) => !/Req/.test(kind))),
		listeners: { ...listenersOf(process, () => true), ...ownListeners() },
	};
}

function ownListeners(): Record<string, number> {
	const all: Record<string, number> = {};
	for (const emitter of watch.emitters) {
		for (const [topic, count] of Object.entries(listenersOf(emitter, (name) => OWN_TOPICS.test(name)))) {
			all[topic] = (all[topic] ?? 0) + count;
		}
	}
	return all;
}

function listenersOf(emitter: EventEmitter, counts: (name: string) => boolean): Record<string, number> {
	const names = emitter.eventNames().filter((name): name is string => typeof name === "string" && counts(name));
	return Object.fromEntries(names.map((name) => [name, emitter.listenerCount(name)]));
}

function countEach(kinds: readonly string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
	return counts;
}
