/** The same functions as `charpipe`, but `load()` loads the module `all`. Bundlers deploy only this module. */
import type { Source } from "./index.js";

export * from "./index.js";

/** Loads the module with everything, or another one. */
export function load(source?: Source): Promise<void>;
