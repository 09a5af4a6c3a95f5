/**
 * A person who cites sessions and is asked questions about it.
 */
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { formatSessionReferenceMention } from "../../../lib/references/index.ts";
import type { InProcessOptions, InProcessPi } from "../../support/pi/in-process-pi.ts";
import { start } from "../message-setting.ts";

export class CitingPerson {
	/** Questions that were asked, as title and text. */
	readonly asked: string[] = [];
	/** What is answered to a question. */
	answer: boolean | Promise<boolean> = true;
	/** Chooses one of the options that are offered; the first unless a test says otherwise. */
	choose: (options: readonly string[]) => string | undefined = ([first]) => first;

	readonly userInterface: Partial<ExtensionUIContext> = {
		confirm: async (title, message) => {
			this.asked.push(`${title}\n${message}`);
			return this.answer;
		},
		select: async (_title, options) => this.choose(options),
	};

	/** Starts a session at this person's screen. */
	start(options: Partial<InProcessOptions> = {}): Promise<InProcessPi> {
		return start({ userInterface: this.userInterface, ...options });
	}
}

export const citing = (id: string, label = "the other"): string =>
	formatSessionReferenceMention({ sessionId: id, label });

/** The session's conversation, as the model gets it: the role or the custom type, and the text. */
export function conversation(pi: InProcessPi): [kind: string, text: string][] {
	return pi.session.messages
		.filter((message) => message.role !== "system")
		.map((message) => [
			message.role === "custom" ? message.customType : message.role,
			"content" in message ? textOf(message.content) : "",
		]);
}

function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content.map((block: { text?: string; type: string }) => block.text ?? `[${block.type}]`).join("");
}

/** What the newest request to the model carried, without what pi says itself: the role and the text. */
export function sentToModel(pi: InProcessPi): [role: string, text: string][] {
	const messages = pi.requests.at(-1) ?? [];
	return messages.filter(({ role }) => !pisOwn.has(role)).map(({ role, content }) => [role, textOf(content)]);
}

/** The newest pi keeps its instructions among the messages. */
const pisOwn: ReadonlySet<string> = new Set(["system", "developer"]);

/** Kinds alone. */
export const kinds = (pi: InProcessPi): string[] => conversation(pi).map(([kind]) => kind);

/** The entries of the session's own log that a person or a model wrote or will read, in the order of the log. */
export function loggedKinds(pi: InProcessPi): string[] {
	return pi.session.sessionManager.getEntries().flatMap((entry) => {
		if (entry.type === "custom_message") return [entry.customType];
		return entry.type === "message" && entry.message.role !== "system" ? [entry.message.role] : [];
	});
}
