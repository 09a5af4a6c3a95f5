/** What the picker lists: whom, in which order, what of them, and what typing finds. */
import { describe, expect, test } from "vitest";
import { filterRows } from "../../../lib/pi/picker/rows.ts";
import { formatSessionReferenceMention } from "../../../lib/references/index.ts";
import { candidate, NOW, peer, rowsOf } from "./picker-rows.ts";

describe("the rows", () => {
	test("are the live sessions, those of the workspace first, then its earlier ones, each in their order", () => {
		const rows = rowsOf({
			peers: [peer("a", { cwd: "/code/there" }), peer("c"), peer("b")],
			candidates: [candidate("a", { cwd: "/code/there" }), candidate("b"), candidate("old"), candidate("older")],
		});
		expect(rows.map(({ title, status }) => [title, status])).toEqual([
			["c", "idle"],
			["b", "idle"],
			["a", "idle"],
			["old", "offline"],
			["older", "offline"],
		]);
	});

	test("leave out sessions of other workspaces that are not live, and those without a workspace", () => {
		const candidates = [candidate("far", { cwd: "/code/there" }), candidate("nowhere", { cwd: null })];
		expect(rowsOf({ candidates })).toEqual([]);
	});

	test("hold what is known of a live session, and what cites and addresses it", () => {
		const { instanceId } = peer("printer");
		const [row] = rowsOf({
			peers: [peer("printer", { status: "busy", git: { worktree: "/code", branch: "feature/x", head: "0" } })],
			candidates: [candidate("Printer work", { sessionId: "id-of-printer" })],
		});
		expect(row).toEqual({
			key: `live ${instanceId}`,
			sessionId: "id-of-printer",
			shownId: "id-of-printer",
			title: "printer",
			status: "busy",
			changedAt: NOW - 5000,
			branch: "feature/x",
			elsewhere: null,
			isPrivate: false,
			refusesMessages: false,
			ref: instanceId.slice(0, 8),
			mention: formatSessionReferenceMention({ sessionId: "id-of-printer", label: "Printer work" }),
			recipient: `@printer [${instanceId.slice(0, 8)}]`,
		});
	});

	test("hold of an earlier session what the log tells, and nobody to write to", () => {
		expect(rowsOf({ candidates: [candidate("Old plans")] })).toEqual([
			{
				key: "stored id-of-Old plans",
				sessionId: "id-of-Old plans",
				shownId: "id-of-Old plans",
				title: "Old plans",
				status: "offline",
				changedAt: NOW - 5000,
				branch: null,
				elsewhere: null,
				isPrivate: false,
				refusesMessages: false,
				ref: null,
				mention: formatSessionReferenceMention({ sessionId: "id-of-Old plans", label: "Old plans" }),
				recipient: null,
			},
		]);
	});

	test("cite nobody who is no candidate, and nobody who has become private since", () => {
		const rows = rowsOf({
			peers: [peer("unwritten"), peer("private")],
			candidates: [candidate("private")],
			isPrivate: (id) => id === "id-of-private",
		});
		expect(rows.map(({ mention, isPrivate }) => [mention, isPrivate])).toEqual([
			[null, false],
			[null, true],
		]);
	});

	test("tell where a session works only when that is elsewhere, and whether it takes messages", () => {
		const rows = rowsOf({ peers: [peer("far", { cwd: "/code/there", inbound: "refuse" }), peer("near")] });
		expect(rows.map(({ elsewhere, refusesMessages }) => [elsewhere, refusesMessages])).toEqual([
			[null, false],
			["/code/there", true],
		]);
	});

	test("are printable lines whatever the sessions wrote, while questions keep the exact id", () => {
		const hostile = "\u001b[2J\u202eevil\r\nline\u0007";
		const [live, stored] = rowsOf({
			peers: [
				peer("x", {
					id: hostile,
					name: hostile,
					cwd: `/${hostile}`,
					git: { worktree: "/", branch: hostile, head: "0" },
				}),
			],
			candidates: [candidate(hostile, { sessionId: `${hostile}2` })],
		});
		expect([live?.title, live?.branch, live?.elsewhere, live?.shownId]).toEqual([
			"evil line",
			"evil line",
			"/evil line",
			"evil line",
		]);
		expect([stored?.title, stored?.shownId]).toEqual(["evil line", "evil line 2"]);
		expect([live?.sessionId, stored?.sessionId]).toEqual([hostile, `${hostile}2`]);
	});
});

describe("what is typed", () => {
	const rows = rowsOf({
		peers: [
			peer("printer rewrite", { git: { worktree: "/", branch: "feature/retry", head: "0" } }),
			peer("parser", { cwd: "/code/documents", status: "busy" }),
		],
		candidates: [
			candidate("Retry work", { sessionId: "01a22e38-499c" }),
			candidate("Plans", { sessionId: "01a22e39-4" }),
		],
	});
	const found = (query: string) => filterRows(rows, query).map(({ title }) => title);

	test.each([
		["", ["printer rewrite", "parser", "Retry work", "Plans"]],
		["   ", ["printer rewrite", "parser", "Retry work", "Plans"]],
		["PRINT", ["printer rewrite"]],
		["busy", ["parser"]],
		["documents", ["parser"]],
		["retry", ["printer rewrite", "Retry work"]],
		["rtywork", ["Retry work"]],
		["feature printer", ["printer rewrite"]],
		["01a22e3", ["Retry work", "Plans"]],
		["01A22E38-", ["Retry work"]],
		["01a", []],
		["nothing like it", []],
	])("%j finds %j", (query, titles) => {
		expect(found(query)).toEqual(titles);
	});

	test("finds a live session by the first digits of its ref", () => {
		expect(found(rows[1]?.ref ?? "")).toEqual(["parser"]);
	});
});
