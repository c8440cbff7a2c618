// charpipe for JavaScript. An entry names only its own module, because bundlers deploy every module that they find.

import { loader } from "./load.js";

export * from "./functions.js";
export const load = loader("web", () => new URL("./charpipe.wasm", import.meta.url));
