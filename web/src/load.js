// Loads the WebAssembly module, wherever this runs.

import { CharpipeError } from "./error.js";
import { Module } from "./module.js";

/** The files of the package. They are named in full, so that bundlers find them. */
const FILES = {
  web: () => new URL("./charpipe.wasm", import.meta.url),
  all: () => new URL("./charpipe-all.wasm", import.meta.url),
  small: () => new URL("./charpipe-small.wasm", import.meta.url),
};

/** The module that the functions use. */
let loaded;

/** Returns the module. @returns {Module} */
export function current() {
  if (!loaded) throw new CharpipeError({ code: "usage", message: "call and await load() first" });
  return loaded;
}

/** Loads a module and makes it the one that all functions use. Streams that are open keep theirs. */
export async function load(source = "web") {
  loaded = new Module(await instantiate(source));
}

/** Does the same at once, with bytes that are there or with a compiled module. */
export function loadSync(source) {
  const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
  loaded = new Module(new WebAssembly.Instance(module));
}

async function instantiate(given) {
  let source = await given;
  if (typeof source === "string") {
    const file = FILES[source];
    if (!file) {
      const names = Object.keys(FILES).join(", ");
      throw new CharpipeError({ code: "usage", message: `${JSON.stringify(source)} is not one of ${names}` });
    }
    source = file();
  }
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source);
  if (source instanceof URL) source = await open(source);
  if (typeof Response !== "undefined" && source instanceof Response) return fromResponse(source);
  return (await WebAssembly.instantiate(source)).instance;
}

/** Returns a response, or the bytes of a file in Node, where `fetch` reads no files. */
async function open(url) {
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    // Bundlers for browsers must not look for this module, so its name is no literal.
    const name = ["node:fs", "promises"].join("/");
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
    return readFile(url);
  }
  return fetch(url);
}

async function fromResponse(response) {
  if (!response.ok) {
    throw new CharpipeError({ code: "read", message: `cannot load ${response.url}: status ${response.status}` });
  }
  // Compiling while it loads needs the right media type, which not every server sends.
  const isWasm = response.headers.get("content-type")?.startsWith("application/wasm");
  const { instance } = isWasm
    ? await WebAssembly.instantiateStreaming(response)
    : await WebAssembly.instantiate(await response.arrayBuffer());
  return instance;
}
