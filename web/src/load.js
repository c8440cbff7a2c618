// Loads the WebAssembly module, wherever this runs.

import { CharpipeError } from "./error.js";
import { Module } from "./module.js";

/** The files of the package. */
const FILES = { web: "charpipe.wasm", all: "charpipe-all.wasm", small: "charpipe-small.wasm" };

/** The module that the functions use. */
let loaded;

/** Returns the module. @returns {Module} */
export function current() {
  if (!loaded) throw new CharpipeError({ code: "usage", message: "call and await load() first" });
  return loaded;
}

/**
 * Returns the `load` of an entry, which loads a module and makes it the one that all functions use. Streams that are open
 * keep theirs. `own` returns the address of the module that the entry has, which is called `name`.
 */
export function loader(name, own) {
  return async (source = name) => {
    const given = await source;
    const isName = typeof given === "string";
    loaded = new Module(await instantiate(isName ? addressOf(given, name, own()) : given, isName));
  };
}

/** Returns the address of a module of the package. They are in one folder, unless a bundler has moved the entry's own. */
function addressOf(name, ownName, own) {
  if (name === ownName) return own;
  if (Object.hasOwn(FILES, name)) return new URL(FILES[name], own);
  const message = `${JSON.stringify(name)} is not one of ${Object.keys(FILES).join(", ")}`;
  throw new CharpipeError({ code: "usage", message });
}

/** Does the same at once, with bytes that are there or with a compiled module. */
export function loadSync(source) {
  const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
  loaded = new Module(new WebAssembly.Instance(module));
}

async function instantiate(given, isNamed) {
  if (given instanceof WebAssembly.Module) return WebAssembly.instantiate(given);
  const source = given instanceof URL ? await open(given, isNamed) : given;
  if (typeof Response !== "undefined" && source instanceof Response) return fromResponse(source, isNamed);
  return (await WebAssembly.instantiate(source)).instance;
}

/** Returns the error of a module that cannot be loaded. */
function unreadable(address, reason, isNamed, cause) {
  const hint = isNamed ? "; docs/web.md says how to deploy the module with a bundler" : "";
  const error = new CharpipeError({ code: "read", message: `cannot load ${address}: ${reason}${hint}` });
  error.cause = cause;
  return error;
}

/** Returns a response, or the bytes of a file in Node, where `fetch` reads no files. */
async function open(url, isNamed) {
  try {
    if (url.protocol !== "file:" || !globalThis.process?.versions?.node) return await fetch(url);
    // Bundlers for browsers must not look for this module, so its name is no literal.
    const name = ["node:fs", "promises"].join("/");
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
    return await readFile(url);
  } catch (error) {
    throw unreadable(url, error.message, isNamed, error);
  }
}

async function fromResponse(response, isNamed) {
  if (!response.ok) throw unreadable(response.url, `status ${response.status}`, isNamed);
  // Compiling while it loads needs the right media type, which not every server sends.
  const isWasm = response.headers.get("content-type")?.startsWith("application/wasm");
  const { instance } = isWasm
    ? await WebAssembly.instantiateStreaming(response)
    : await WebAssembly.instantiate(await response.arrayBuffer());
  return instance;
}
