// The WebAssembly module: its memory, its texts, and its streams. The functions that it exports are those of
// charpipe.h.

import { Growing } from "./bytes.js";
import { CharpipeError } from "./error.js";

export const NEED_INPUT = 0;
export const NEED_ROOM = 1;
export const DONE = 2;
const ERROR = -1;

/** How many bytes go in and out at a time. */
const PIECE = 256 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Frees the handles of streams that nobody closed. Some hosts have no such registry. */
const leaks =
  typeof FinalizationRegistry === "function"
    ? new FinalizationRegistry(({ module, handle }) => {
        // An error here would end a Node process.
        if (!module.broken) module.call("charpipe_free", handle);
      })
    : undefined;

export class Module {
  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    this.exports = instance.exports;
    this.broken = false;
    this.memory = { bytes: new Uint8Array() };
    // Two buffers for all streams: a call uses them only until it returns.
    this.input = this.alloc(PIECE);
    this.output = this.alloc(PIECE);
    // Two lengths that calls write.
    this.lengths = this.alloc(8);
    // What has been learned from it, see direct.js.
    this.tables = new Map();
  }

  /**
   * Calls an exported function. If it throws, that is a bug, and nothing in the module can be relied on any more: a
   * trap is a RuntimeError, and a stack that is too deep a RangeError or, in Firefox, an InternalError.
   */
  call(name, ...values) {
    if (this.broken) throw internal();
    try {
      return this.exports[name](...values);
    } catch (error) {
      this.broken = true;
      throw internal(error);
    }
  }

  alloc(len) {
    // Addresses from 2 GiB come as negative numbers.
    const memory = this.call("charpipe_alloc", len) >>> 0;
    if (memory === 0) throw new CharpipeError({ code: "memory", message: `there is no memory for ${len} bytes` });
    return memory;
  }

  /** Returns a view. Any call may move the memory, so a view is for now only. */
  view(at, len) {
    return new Uint8Array(this.exports.memory.buffer, at, len);
  }

  /** Returns views of all memory, by bytes and by words, and of the room for input. */
  views() {
    // If a call has moved the memory, the views of where it was have no bytes.
    if (this.memory.bytes.length === 0) {
      const { buffer } = this.exports.memory;
      const bytes = new Uint8Array(buffer);
      this.memory = { bytes, words: new Uint32Array(buffer), room: bytes.subarray(this.input, this.input + PIECE) };
    }
    return this.memory;
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
  text(address) {
    if (address === 0) return undefined;
    const at = address >>> 0;
    const memory = new Uint8Array(this.exports.memory.buffer);
    return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
  }

  /** Reads JSON that a function gave away, and frees it. Throws the error if there is nothing else. */
  json(at) {
    if (at === 0) throw internal();
    const value = JSON.parse(this.text(at));
    this.call("charpipe_free_text", at);
    if (value.error && Object.keys(value).length === 1) throw new CharpipeError(value.error);
    return value;
  }
}

function internal(cause) {
  const error = new CharpipeError({ code: "internal", message: "a bug in charpipe; load() makes a new module" });
  error.cause = cause;
  return error;
}

/** Writes options as charpipe.h has them: a line for each value. Names may be in camel case. */
export function optionLines(options) {
  const lines = [];
  for (const [name, values] of Object.entries(options)) {
    for (const value of [values].flat()) {
      if (value === undefined || value === null) continue;
      const line = `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`;
      if (/[\r\n]/.test(line)) throw new CharpipeError({ code: "usage", message: `a line end in the option ${name}` });
      lines.push(line);
    }
  }
  return lines.join("\n");
}

/** Returns a part of a text without half a surrogate pair at its end. */
function unpaired(part) {
  const isHalf = part.length > 1 && /[\uD800-\uDBFF]$/.test(part);
  return isHalf ? part.slice(0, -1) : part;
}

/** A conversion, or a detection. */
export class Stream {
  /**
   * @param {Module} module
   * @param {object} options
   * @param {"charpipe_open" | "charpipe_open_detector" | ((options: number) => number)} open
   */
  constructor(module, options = {}, open = "charpipe_open") {
    this.module = module;
    const call = typeof open === "string" ? (text) => module.call(open, text) : open;
    this.handle = module.withText(optionLines(options), call);
    leaks?.register(this, { module, handle: this.handle }, this);
    if (module.call("charpipe_error", this.handle) !== 0) {
      const error = this.error();
      this.close();
      throw error;
    }
  }

  /** Frees the handle. */
  close() {
    if (this.handle === 0) return;
    leaks?.unregister(this);
    if (!this.module.broken) this.module.call("charpipe_free", this.handle);
    this.handle = 0;
  }

  /** Converts bytes, and calls `give` with each piece of the output: a view that is valid only during that call. */
  push(bytes, give) {
    for (const piece of this.pieces(bytes)) give(piece);
  }

  /** Ends the input. */
  finish(give) {
    for (const piece of this.rest()) give(piece);
  }

  /** Converts a whole input. An error has the good output before it, and the report. */
  all(bytes) {
    return this.#collect(bytes.length, (give) => this.push(bytes, give));
  }

  /** Converts a text, which goes into the module in UTF-8. */
  encoded(text) {
    return this.#collect(text.length, (give) => {
      for (let at = 0; at < text.length;) {
        const part = unpaired(text.substring(at, at + PIECE / 4));
        at += part.length;
        this.#give(encoder.encodeInto(part, this.module.view(this.module.input, PIECE)).written, give);
      }
    });
  }

  /** Converts the first `len` bytes in the module's memory. */
  #give(len, give) {
    const { module, handle } = this;
    const { input, output, lengths } = module;
    for (let [at, status] = [0, NEED_INPUT]; at < len || status === NEED_ROOM;) {
      status = module.call("charpipe_step", handle, input + at, len - at, lengths, output, PIECE, lengths + 4);
      const [read, written] = this.moved(status);
      at += read;
      give(module.view(output, written));
    }
  }

  /** Collects what `convert` gives, and the rest. `guess`: how many bytes that may be. */
  #collect(guess, convert) {
    const output = new Growing(guess);
    const give = (piece) => output.push(piece);
    try {
      convert(give);
      this.finish(give);
      return output.whole();
    } catch (error) {
      if (error instanceof CharpipeError && error.code !== "internal") {
        error.output = output.whole();
        error.report = this.report();
      }
      throw error;
    }
  }

  /** Converts a whole input to a string. `to` is the encoding of the output. An error has the good text before it. */
  string(bytes, to) {
    const decoder = new TextDecoder(to, { ignoreBOM: true });
    let text = "";
    const give = (piece) => {
      text += decoder.decode(piece, { stream: true });
    };
    try {
      this.push(bytes, give);
      this.finish(give);
      return text + decoder.decode();
    } catch (error) {
      if (error instanceof CharpipeError) error.text = text;
      throw error;
    }
  }

  /** Begins anew, whatever was converted so far. */
  reset() {
    this.module.call("charpipe_reset", this.handle);
  }

  /**
   * Converts a whole input, and returns the output: a view that is valid only until the next call. Returns undefined if
   * there is an error, or not enough room; then the stream has to begin anew.
   */
  value(bytes) {
    const { room } = this.module.views();
    if (bytes.length > room.length) return undefined;
    room.set(bytes);
    return this.#value(bytes.length);
  }

  /** Does the same with a text, which goes into the module in UTF-8. */
  textValue(text) {
    const { read, written } = encoder.encodeInto(text, this.module.views().room);
    return read < text.length ? undefined : this.#value(written);
  }

  /** Converts the first `len` bytes in the module's memory, which are a whole input. */
  #value(len) {
    const { module, handle } = this;
    const { input, output, lengths } = module;
    const status = module.call("charpipe_value", handle, input, len, output, PIECE, lengths);
    if (status !== DONE) return undefined;
    const { bytes, words } = module.views();
    return bytes.subarray(output, output + words[lengths >>> 2]);
  }

  /**
   * Converts bytes, and yields each piece of the output: a view that is valid only until the next call of any function.
   * The steps may be far apart in time, so each copies its input anew.
   */
  *pieces(bytes) {
    const { module, handle } = this;
    const { input, output, lengths } = module;
    const len = bytes.length;
    let status = NEED_INPUT;
    for (let at = 0; (at < len || status === NEED_ROOM) && status !== DONE;) {
      const piece = bytes.subarray(at, at + PIECE);
      module.view(input, piece.length).set(piece);
      status = module.call("charpipe_step", handle, input, piece.length, lengths, output, PIECE, lengths + 4);
      const [read, written] = this.moved(status);
      at += read;
      if (written > 0) yield module.view(output, written);
    }
  }

  /** Ends the input, and yields the rest of the output in the same way. */
  *rest() {
    const { module, handle } = this;
    const { output, lengths } = module;
    let status;
    do {
      status = module.call("charpipe_finish", handle, output, PIECE, lengths + 4);
      const [, written] = this.moved(status);
      if (written > 0) yield module.view(output, written);
    } while (status === NEED_ROOM);
  }

  /** Returns how many bytes a call read and wrote. Throws the error of a call that failed. */
  moved(status) {
    if (status === ERROR) throw this.error();
    return new Uint32Array(this.module.exports.memory.buffer, this.module.lengths, 2);
  }

  error() {
    const { module, handle } = this;
    const failure = JSON.parse(module.text(module.call("charpipe_error", handle)));
    const message = module.text(module.call("charpipe_error_message", handle));
    // The library does not know that there are other modules.
    const hint = / lacks the feature /.test(message) ? `; load("all") has it` : "";
    return new CharpipeError(failure, message + hint);
  }

  verdict() {
    return JSON.parse(this.module.text(this.module.call("charpipe_verdict", this.handle)) ?? "null");
  }

  report() {
    return JSON.parse(this.module.text(this.module.call("charpipe_report", this.handle)) ?? "null");
  }
}
