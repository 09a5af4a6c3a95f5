/** The mouse in the picker, on a pi whose lists can be clicked. */
import { describe, expect, test } from "vitest";
import { candidate, rowsOf } from "./picker-rows.ts";
import { openPicker } from "./picker-setting.ts";

describe("a click", () => {
	const many = rowsOf({ candidates: Array.from({ length: 40 }, (_, index) => candidate(`session ${index}`)) });

	test("looks at the row that was pressed, also when the list was drawn anew around it meanwhile", async () => {
		const picker = await openPicker(many, { lines: 24 });
		const line = picker.screen().findIndex((text) => text.includes("session 4"));
		await picker.wait(1000);
		await picker.mouse("press", line);
		expect(picker.marked()).toContain("session 4");
		await picker.mouse("click", line);
		expect(picker.looks).toEqual(["id-of-session 4"]);
	});

	test("beside the rows does nothing", async () => {
		const picker = await openPicker(many, { lines: 24 });
		const line = picker.screen().indexOf("   (1/40)");
		await picker.mouse("press", line);
		await picker.mouse("click", line);
		expect([picker.looks, picker.marked().includes("session 0")]).toEqual([[], true]);
	});
});
