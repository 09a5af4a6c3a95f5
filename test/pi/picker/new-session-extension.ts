/** Lets a test begin a new session while something else is on the screen: `/new-when FILE`, once the file is there. */
import { existsSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI): void {
	pi.registerCommand("new-when", {
		description: "Begin a new session when a file is there",
		handler: async (file, context) => {
			const timer = setInterval(() => {
				if (!existsSync(file)) return;
				clearInterval(timer);
				void context.newSession();
			}, 20);
			timer.unref();
		},
	});
}
