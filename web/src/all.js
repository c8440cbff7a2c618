// The entry `charpipe/all`: `load` loads the module with everything.

import { loader } from "./load.js";

export * from "./functions.js";
export const load = loader("all", () => new URL("./charpipe-all.wasm", import.meta.url));
