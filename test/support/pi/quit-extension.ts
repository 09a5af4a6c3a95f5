/**
 * A pi extension for tests: `/leave` ends pi the way a person does.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function leaving(pi: ExtensionAPI): void {
	pi.registerCommand("leave", {
		description: "End pi",
		async handler(_text, context) {
			context.shutdown();
		},
	});
}
