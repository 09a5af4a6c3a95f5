import { describe, expect, it } from "vitest";
import { GATE_TABLE, type GatedTurn, MAX_REPLIES, ToolGate } from "../../lib/authority/tool-gate.ts";

const turns = {
	user: { number: 1, observed: true, source: "user", cancelled: false },
	peer: { number: 1, observed: true, source: "peer", cancelled: false },
	unknown: { number: 1, observed: true, source: "unknown", cancelled: false },
	cancelled: { number: 1, observed: true, source: "user", cancelled: true },
	unobserved: { number: 1, observed: false, source: "unknown", cancelled: true },
} as const satisfies Record<string, GatedTurn>;

type TurnName = keyof typeof turns;

const sender = "@alice";
const namesSender = (target: unknown) => target === sender;

function ask(turn: GatedTurn, tool: string, input: unknown = {}, gate = new ToolGate()): string | null {
	return gate.decide({ tool, input, namesSender }, turn);
}

const creating = [
	"Agent",
	"agent",
	"subagent",
	"steer_subagent",
	"send_subagent",
	"send_user_message",
	"set_active_tools",
	"set_config",
];
const meshReading = ["list_agents", "status", "list", "handoff_list", "message_inbox", "message_ack", "growth_list"];

describe("the tool gate", () => {
	it.each(creating)("blocks %s in turns that are not the person's", (tool) => {
		for (const name of ["peer", "unknown", "cancelled"] as const) {
			expect(ask(turns[name], tool), name).toMatch(/local user/);
		}
		expect(ask(turns.user, tool)).toBeNull();
		expect(ask(turns.unobserved, tool)).toBeNull();
	});

	it.each(meshReading)("lets mesh %s run in every turn", (action) => {
		for (const turn of Object.values(turns)) expect(ask(turn, "mesh", { action })).toBeNull();
	});

	it.each([
		["mesh", { action: "spawn" }],
		["mesh", { action: ["status"] }],
		["mesh", {}],
		["mesh", null],
		["mesh", Object.create({ action: "status" })],
		["mesh_control", { action: "grow" }],
	])("blocks %s with %j in turns that are not the person's", (tool, input) => {
		for (const name of ["peer", "unknown", "cancelled"] as const) expect(ask(turns[name], tool, input)).not.toBeNull();
		expect(ask(turns.user, tool, input)).toBeNull();
	});

	it("lets mesh_control run with any other action", () => {
		expect(ask(turns.peer, "mesh_control", { action: "shrink" })).toBeNull();
	});

	it("blocks looking at further sessions in a peer's turn, and only there", () => {
		const looking: [string, unknown][] = [
			["get_peer_context", { sessionId: "s" }],
			["list_pi", { include: "recent" }],
		];
		for (const [tool, input] of looking) {
			expect(ask(turns.peer, tool, input)).not.toBeNull();
			for (const name of ["user", "unknown", "cancelled"] satisfies TurnName[]) {
				expect(ask(turns[name], tool, input)).toBeNull();
			}
		}
		expect(ask(turns.peer, "list_pi")).toBeNull();
	});

	it("lets a peer's turn answer its sender three times, and nobody else", () => {
		const gate = new ToolGate();
		expect(ask(turns.peer, "send_pi_message", { target: "@bob" }, gate)).toMatch(/sender/);
		for (let reply = 1; reply <= MAX_REPLIES; reply += 1) {
			expect(ask(turns.peer, "send_pi_message", { target: sender }, gate)).toBeNull();
		}
		expect(ask(turns.peer, "send_pi_message", { target: sender }, gate)).toMatch(/at most 3 times/);
		expect(ask({ ...turns.peer, number: 2 }, "send_pi_message", { target: sender }, gate)).toBeNull();
	});

	it("does not limit messages in other turns", () => {
		const gate = new ToolGate();
		for (let count = 0; count < 10; count += 1) {
			expect(ask(turns.user, "send_pi_message", { target: "@bob" }, gate)).toBeNull();
			expect(ask(turns.unknown, "send_pi_message", { target: "@bob" }, gate)).toBeNull();
		}
	});

	it.each(["read", "bash", "edit", "check_pi_message", "toString", "__proto__"])("does not know %s", (tool) => {
		expect(ask(turns.peer, tool)).toBeNull();
	});

	it("takes further tools from config, and loses none by it", () => {
		const gate = new ToolGate({ extraTools: ["deploy", "mesh_control"] });
		expect(ask(turns.unknown, "deploy", {}, gate)).not.toBeNull();
		expect(ask(turns.user, "deploy", {}, gate)).toBeNull();
		expect(ask(turns.peer, "mesh_control", { action: "shrink" }, gate)).not.toBeNull();
		for (const tool of creating) expect(ask(turns.peer, tool, {}, gate)).not.toBeNull();
		expect(new ToolGate().decide({ tool: "deploy", input: {}, namesSender }, turns.peer)).toBeNull();
	});

	it("trusts turns of other extensions only when config says so, and never a peer's or a cancelled one", () => {
		const gate = new ToolGate({ extensionTurns: "trusted" });
		expect(ask(turns.unknown, "subagent", {}, gate)).toBeNull();
		expect(ask(turns.peer, "subagent", {}, gate)).not.toBeNull();
		expect(ask(turns.cancelled, "subagent", {}, gate)).not.toBeNull();
		expect(ask({ ...turns.unknown, cancelled: true }, "subagent", {}, gate)).not.toBeNull();
		expect(ask(turns.unknown, "subagent", {}, new ToolGate({ extensionTurns: "gated" }))).not.toBeNull();
	});

	it("names the tool and the kind of turn in the reason, and nothing that a peer wrote", () => {
		expect(ask(turns.peer, "subagent")).toMatch(/^subagent is blocked here: a message of another session began/);
		expect(ask(turns.unknown, "mesh", { action: "evil" })).not.toMatch(/evil/);
		expect(ask(turns.cancelled, "subagent")).toMatch(/cancelled/);
	});

	it("has a table that cannot be changed from outside", () => {
		expect(Object.isFrozen(GATE_TABLE)).toBe(true);
	});
});
