/**
 * The part of pi's theme that this package draws with, so that tests need no theme.
 */
import type { Theme } from "@earendil-works/pi-coding-agent";

export type Styles = Pick<Theme, "fg" | "bold">;
