/**
 * A pi extension that leaves markers wherever an extension can leave text in a session: `/litter MARKER`.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

export default function canaries(pi: ExtensionAPI): void {
	pi.registerTool({
		name: "keep",
		label: "Keep",
		description: "Keep something",
		parameters: Type.Object({ what: Type.String() }),
		async execute(_id, { what }) {
			if (what.startsWith("FAIL")) throw new Error(`CANARY-tool-error ${what}`);
			return {
				content: [
					{ type: "text", text: "CANARY-tool-result" },
					{ type: "image", data: Buffer.from("CANARY-image").toString("base64"), mimeType: "image/png" },
				],
				details: { kept: "CANARY-tool-details" },
			};
		},
	});
	pi.registerCommand("litter", {
		description: "Leave markers",
		async handler(_text, context) {
			pi.sendMessage({
				customType: "CANARY-custom-type",
				content: "CANARY-custom-message",
				display: true,
				details: { text: "CANARY-custom-details" },
			});
			pi.appendEntry("litter", { text: "CANARY-custom-entry" });
			const leaf = context.sessionManager.getLeafId();
			if (leaf) pi.setLabel(leaf, "CANARY-label");
		},
	});
}
