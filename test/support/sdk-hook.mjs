// Preloaded by the matrix: while PI_SDK_ROOT names an installed pi package, what this project's own files import from pi
// and from typebox comes from that package and its neighbours instead of the newest one.
import { registerHooks } from "node:module";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const sdkRoot = process.env.PI_SDK_ROOT;
if (sdkRoot) {
	const parentURL = pathToFileURL(path.join(sdkRoot, "package.json")).href;
	const project = `${pathToFileURL(path.resolve(import.meta.dirname, "../..")).href}/`;
	registerHooks({
		resolve(specifier, context, next) {
			const isOurs = context.parentURL?.startsWith(project) && !context.parentURL.includes("/node_modules/");
			if (!isOurs || !/^(@earendil-works\/pi-|typebox($|\/))/.test(specifier)) return next(specifier, context);
			// A package can't import itself by name from its own package.json unless it exports itself.
			if (specifier === "@earendil-works/pi-coding-agent") {
				return next(pathToFileURL(path.join(sdkRoot, "dist/index.js")).href, context);
			}
			return next(specifier, { ...context, parentURL });
		},
	});
}
