/**
 * The steps of a start: from a session that pi has just begun to an incarnation with its doors open.
 *
 * A subagent's session acquires nothing. Whatever is acquired goes into the scope, whose owner releases it when a later
 * step fails.
 */
import { type ExtensionAPI, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { Delivery } from "../inbox/inbox.ts";
import type { IncarnationScope } from "../inbox/lifecycle.ts";
import { Presence, type PresenceOptions } from "../inbox/presence.ts";
import type { ReleaseStack } from "../inbox/release-stack.ts";
import { isManagedSession, isSubagentSession } from "../peers/managed-identity.ts";
import { SessionReferences } from "../references/index.ts";
import type { Caller } from "../sessions/authorization.ts";
import { Catalogue } from "../sessions/catalogue.ts";
import { LogReader } from "../sessions/log/log-reader.ts";
import { PeerContextReader } from "../sessions/peer-context-reader.ts";
import { PiSessionQuery } from "../sessions/pi-session-query.ts";
import type { SessionQuery } from "../sessions/query.ts";
import { SessionRecords } from "../sessions/session-records.ts";
import { type CrossSessionConfig, readConfig } from "./config.ts";
import { chooseInbound, INBOUND_FLAG } from "./flags.ts";
import { inheritPrivacy } from "./inherited-privacy.ts";
import { PiDelivery } from "./pi-delivery.ts";
import { PRIVATE_COMMAND } from "./private-command.ts";
import { BriefMemory } from "./references/brief-memory.ts";
import { tellQuietly } from "./tell-person.ts";
import type { TurnKeeper } from "./turn-keeper.ts";
import { allSources, workspaceSources } from "./workspace.ts";

/** What the doors of an incarnation are made of. */
export interface HostParts {
	/** The session as pi shows it; stale once the incarnation is over. */
	readonly context: ExtensionContext;
	readonly config: CrossSessionConfig;
	readonly records: SessionRecords;
	readonly presence: Presence;
	/** The way of messages into this session. */
	readonly delivery: Pick<PiDelivery, "stopped" | "waiting">;
	/** The sessions of the workspace. */
	readonly sessions: SessionQuery;
	/** This session, as the one that asks. */
	readonly caller: Caller;
	readonly reader: PeerContextReader;
	/** What the person cites in prompts, of any workspace. */
	readonly references: SessionReferences;
	/** The same, with a list of sessions that may be some seconds old: for what is asked with each key. */
	readonly offers: SessionReferences;
	/** Aborted when the incarnation is over. */
	readonly fence: AbortSignal;
	/** Takes what gives an acquisition back. */
	readonly releases: ReleaseStack;
}

export interface IncarnationOptions {
	readonly pi: Pick<ExtensionAPI, "appendEntry" | "events" | "getFlag" | "sendMessage">;
	/** Acquires what others use: the last step of a start. */
	readonly openDoors: (parts: HostParts) => void;
	/** Puts others before pi: what messages meet first. Default: nobody. */
	readonly wrapDelivery?: (delivery: PiDelivery) => Delivery;
	/** How a presence reaches the system; the seam for tests of failing starts. */
	readonly system?: Pick<PresenceOptions, "clock" | "files" | "openReceiver" | "paths">;
}

/** The session that an incarnation is for. */
export interface StartingSession {
	readonly context: ExtensionContext;
	readonly scope: IncarnationScope;
	readonly turns: TurnKeeper;
}

/** Starts an incarnation and returns its parts; null for a subagent's session. Throws what a step throws. */
export async function openIncarnation(
	options: IncarnationOptions,
	session: StartingSession,
): Promise<HostParts | null> {
	const { context, scope, turns } = session;
	const agentDirectory = getAgentDir();
	const { config, problem } = readConfig(agentDirectory);
	if (problem) tellQuietly(context, problem, "warning");
	const records = new SessionRecords(agentDirectory);
	if (isManagedSession(options.pi.events) || isSubagent(context)) {
		records.setSubagent(context.sessionManager.getSessionId());
		return null;
	}
	turns.watch(context, config.gate);
	inheritPrivacyAloud(context, records);
	const { delivery, presence } = await openMessaging(options, { ...session, agentDirectory, config });
	const looks = createLooks({ context, presence, records, agentDirectory, config });
	const { fence, releases } = scope;
	const parts = { context, config, records, presence, delivery, ...looks, fence, releases };
	options.openDoors(parts);
	return parts;
}

function isSubagent(context: ExtensionContext): boolean {
	return isSubagentSession({
		environment: process.env,
		stored: context.sessionManager.getSessionFile() !== undefined,
		hasUserInterface: context.hasUI,
	});
}

/** Throws when a fork could not be made private; the person has been told that then. */
function inheritPrivacyAloud(context: ExtensionContext, records: SessionRecords): void {
	try {
		if (!inheritPrivacy(context.sessionManager, records)) return;
		const text = `This fork is private, like the session it came from. /${PRIVATE_COMMAND} off shows it again.`;
		tellQuietly(context, text, "warning");
	} catch (error) {
		const text = `This fork could not be made private like the session it came from; others may be able to read it. Check the agent directory's permissions, then use /${PRIVATE_COMMAND} on.`;
		tellQuietly(context, text, "warning");
		throw error;
	}
}

interface MessagingSetting extends StartingSession {
	readonly agentDirectory: string;
	readonly config: CrossSessionConfig;
}

/** Takes a place among the peers; from then on messages come in. */
async function openMessaging(options: IncarnationOptions, setting: MessagingSetting) {
	const { scope, turns } = setting;
	const delivery = new PiDelivery({
		sendMessage: (message, how) => options.pi.sendMessage(message, how),
		turns,
		fence: scope.fence,
		onStatus: () => void presence.refresh(),
	});
	const presence = await openPresence(options, setting, options.wrapDelivery?.(delivery) ?? delivery);
	delivery.connect(presence.inbox);
	turns.attach(delivery);
	scope.releases.add(() => turns.detach(delivery));
	return { delivery, presence };
}

function openPresence(
	{ pi, system }: IncarnationOptions,
	{ context, scope, turns, agentDirectory, config }: MessagingSetting,
	delivery: Delivery,
): Promise<Presence> {
	const inbound = chooseInbound(pi.getFlag(INBOUND_FLAG), config.inbound);
	if (inbound.problem) tellQuietly(context, inbound.problem, "warning");
	const sessionFile = context.sessionManager.getSessionFile();
	const options: PresenceOptions = {
		...system,
		agentDirectory,
		sessionId: context.sessionManager.getSessionId(),
		...(sessionFile !== undefined && { sessionFile }),
		// By way of the context each time: it throws once pi has dropped the session, announced or not.
		describe: () => ({
			name: context.sessionManager.getSessionName(),
			cwd: context.sessionManager.getCwd(),
			status: turns.isFree ? "idle" : "busy",
		}),
		inbound: inbound.mode,
		delivery,
		onLowBudget: (remaining) => tellQuietly(context, lowBudgetText(remaining), "warning"),
		onFailure: ({ message }) => tellQuietly(context, `Cross-session access has ended. ${message}`, "warning"),
	};
	return Presence.open(options, scope);
}

function lowBudgetText(remaining: number): string {
	return `This session can send and receive ${remaining} more messages. A /reload starts with a new budget.`;
}

interface LookSetting extends Omit<MessagingSetting, "scope" | "turns"> {
	readonly presence: Presence;
	readonly records: SessionRecords;
}

type Looks = Pick<HostParts, "caller" | "sessions" | "reader" | "references" | "offers">;

/** The ways in which this session looks at others. All share one memory of the files that were read. */
function createLooks(setting: LookSetting): Looks {
	const { context, presence, records, agentDirectory, config } = setting;
	const { sessionManager } = context;
	const cwd = sessionManager.getCwd();
	const directory = sessionManager.getSessionDir();
	const caller = { sessionId: sessionManager.getSessionId(), cwd, isHost: true };
	const live = presence.directory;
	const shared = { records, live, catalogue: new Catalogue(), reader: new LogReader() };
	const queryOf = (find: typeof workspaceSources) =>
		new PiSessionQuery({ ...shared, sources: (snapshot) => find(agentDirectory, cwd, directory, snapshot) });
	const sessions = queryOf(workspaceSources);
	const all = queryOf(allSources);
	return {
		caller,
		sessions,
		reader: new PeerContextReader({ sessions, live, caller: () => caller, limits: config.limits }),
		references: new SessionReferences(all, config.references),
		offers: new SessionReferences(new BriefMemory(all), config.references),
	};
}
