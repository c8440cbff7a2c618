// The WebAssembly module: its memory, its texts, and its streams. The functions that it exports are those of
// charpipe.h.

import { CharpipeError } from "./error.js";

export const NEED_INPUT = 0;
export const NEED_ROOM = 1;
export const DONE = 2;
const ERROR = -1;

/** How many bytes go in and out at a time. */
const PIECE = 256 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Frees the handles of streams that nobody closed. */
const leaks = new FinalizationRegistry(({ module, handle }) => module.call("charpipe_free", handle));

export class Module {
  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    this.exports = instance.exports;
    this.broken = false;
    // Two buffers for all streams: a call uses them only until it returns.
    this.input = this.alloc(PIECE);
    this.output = this.alloc(PIECE);
    // Two lengths that calls write.
    this.lengths = this.alloc(8);
  }

  /** Calls an exported function. A trap is a bug: nothing in the module can be relied on any more. */
  call(name, ...values) {
    if (this.broken) throw internal();
    try {
      return this.exports[name](...values);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        this.broken = true;
        throw internal(error);
      }
      throw error;
    }
  }

  alloc(len) {
    const memory = this.call("charpipe_alloc", len);
    if (memory === 0) throw new CharpipeError({ code: "memory", message: `there is no memory for ${len} bytes` });
    return memory;
  }

  /** Returns a view. Any call may move the memory, so a view is for now only. */
  view(at, len) {
    return new Uint8Array(this.exports.memory.buffer, at, len);
  }

  /** Calls `action` with a copy of the bytes in the module's memory. */
  withBytes(bytes, action) {
    const at = this.alloc(bytes.length);
    try {
      this.view(at, bytes.length).set(bytes);
      return action(at);
    } finally {
      if (!this.broken) this.call("charpipe_dealloc", at, bytes.length);
    }
  }

  /** Calls `action` with a text in the module's memory. A NUL would end it early. */
  withText(text, action) {
    return this.withBytes(encoder.encode(`${text.replaceAll("\0", "\uFFFD")}\0`), action);
  }

  /** Reads a text; undefined for a null pointer. */
  text(at) {
    if (at === 0) return undefined;
    const memory = new Uint8Array(this.exports.memory.buffer);
    return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
  }

  /** Reads JSON that a function gave away, and frees it. Throws what it has as `error`. */
  json(at) {
    if (at === 0) throw internal();
    const value = JSON.parse(this.text(at));
    this.call("charpipe_free_text", at);
    if (value.error && !value.records) throw new CharpipeError(value.error);
    return value;
  }
}

function internal(cause) {
  const error = new CharpipeError({ code: "internal", message: "a bug in charpipe; load() makes a new module" });
  error.cause = cause;
  return error;
}

/** Writes options as charpipe.h has them: a line for each. Names may be in camel case. */
function optionLines(options) {
  const lines = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    const line = `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`;
    if (/[\r\n]/.test(line)) throw new CharpipeError({ code: "usage", message: `a line end in the option ${name}` });
    lines.push(line);
  }
  return lines.join("\n");
}

/** A conversion, or a detection. */
export class Stream {
  /**
   * @param {Module} module
   * @param {object} options
   * @param {"charpipe_open" | "charpipe_open_detector"} open
   */
  constructor(module, options = {}, open = "charpipe_open") {
    this.module = module;
    this.handle = module.withText(optionLines(options), (text) => module.call(open, text));
    this.lengths = [0, 0];
    leaks.register(this, { module, handle: this.handle }, this);
    if (module.call("charpipe_error", this.handle) !== 0) {
      const error = this.error();
      this.close();
      throw error;
    }
  }

  /** Frees the handle. */
  close() {
    if (this.handle === 0) return;
    leaks.unregister(this);
    if (!this.module.broken) this.module.call("charpipe_free", this.handle);
    this.handle = 0;
  }

  /** Converts bytes, and calls `give` with each piece of the output: a view that is valid only during that call. */
  push(bytes, give) {
    let status = NEED_INPUT;
    for (let at = 0; at < bytes.length && status !== DONE; at += PIECE) {
      status = this.pushPiece(bytes.subarray(at, at + PIECE), give);
    }
    return status;
  }

  pushPiece(bytes, give) {
    const { module, handle } = this;
    module.view(module.input, bytes.length).set(bytes);
    let at = 0;
    let status;
    do {
      const [from, len] = [module.input + at, bytes.length - at];
      const { lengths, output } = module;
      status = module.call("charpipe_step", handle, from, len, lengths, output, PIECE, lengths + 4);
      at += this.take(status, give);
    } while (status === NEED_ROOM);
    return status;
  }

  /** Ends the input. */
  finish(give) {
    const { module, handle } = this;
    let status;
    do {
      new Uint32Array(module.exports.memory.buffer, module.lengths, 1)[0] = 0;
      status = module.call("charpipe_finish", handle, module.output, PIECE, module.lengths + 4);
      this.take(status, give);
    } while (status === NEED_ROOM);
  }

  /** Gives the output of a call. Returns how many bytes the call read. */
  take(status, give) {
    const { module } = this;
    if (status === ERROR) throw this.error();
    const [read, written] = new Uint32Array(module.exports.memory.buffer, module.lengths, 2);
    if (written > 0) give(module.view(module.output, written));
    return read;
  }

  error() {
    const { module, handle } = this;
    const failure = JSON.parse(module.text(module.call("charpipe_error", handle)));
    return new CharpipeError(failure, module.text(module.call("charpipe_error_message", handle)));
  }

  verdict() {
    return JSON.parse(this.module.text(this.module.call("charpipe_verdict", this.handle)) ?? "null");
  }

  report() {
    return JSON.parse(this.module.text(this.module.call("charpipe_report", this.handle)) ?? "null");
  }
}
