/**
 * What it means that two sessions work in one workspace: the rule that every room asks here.
 *
 * Directories are compared as the strings that stand in headers and registrations: names of session directories are
 * lossy, and a link to a directory is another workspace.
 */

/** Whether both are the same directory, and not an empty one: a session without a directory shares it with nobody. */
export function isSameWorkspace(left: string, right: string): boolean {
	return left !== "" && left === right;
}
