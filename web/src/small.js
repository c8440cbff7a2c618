// The entry `charpipe/small`: `load` loads the smallest module.

import { loader } from "./load.js";

export * from "./functions.js";
export const load = loader("small", () => new URL("./charpipe-small.wasm", import.meta.url));
