// Web Streams: conversions that take pieces and give pieces.

import { asBytes } from "./bytes.js";
import { current } from "./load.js";
import { Stream } from "./module.js";

/** Bytes to bytes. */
export class ConverterStream extends TransformStream {
  #stream;

  constructor(options = {}) {
    const stream = new Stream(current(), options);
    const give = (controller) => (piece) => controller.enqueue(piece.slice());
    super(transformer(stream, give, asBytes));
    this.#stream = stream;
  }

  /** The verdict of detection, once there is one. */
  get verdict() {
    return closedOr(this.#stream, "verdict");
  }

  /** The report so far. */
  get report() {
    return closedOr(this.#stream, "report");
  }
}

/** Bytes to strings. */
export class DecoderStream extends TransformStream {
  #stream;

  constructor(options = {}) {
    const settings = typeof options === "string" ? { from: options } : options;
    const stream = new Stream(current(), { ...settings, to: "UTF-8" });
    const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
    const give = (controller) => (piece) => {
      const text = utf8.decode(piece, { stream: true });
      if (text) controller.enqueue(text);
    };
    super(transformer(stream, give, asBytes));
    this.#stream = stream;
  }

  get verdict() {
    return closedOr(this.#stream, "verdict");
  }

  get report() {
    return closedOr(this.#stream, "report");
  }
}

/** Strings to bytes. */
export class EncoderStream extends TransformStream {
  #stream;

  constructor(to, options = {}) {
    const stream = new Stream(current(), { relabel: "never", as: "text", ...options, from: "UTF-8", to });
    const encoder = new TextEncoder();
    // The first half of a character that the end of a string cuts.
    let half = "";
    const bytes = (text, isLast = false) => {
      const whole = half + text;
      const isCut = !isLast && /[\uD800-\uDBFF]$/.test(whole);
      half = isCut ? whole.slice(-1) : "";
      return encoder.encode(isCut ? whole.slice(0, -1) : whole);
    };
    const give = (controller) => (piece) => controller.enqueue(piece.slice());
    super(
      transformer(
        stream,
        give,
        (text) => bytes(String(text)),
        () => bytes("", true),
      ),
    );
    this.#stream = stream;
  }

  get report() {
    return closedOr(this.#stream, "report");
  }
}

/** What a TransformStream does with its pieces. The handle is freed at the end, and after an error. */
function transformer(stream, give, bytes, rest = () => new Uint8Array()) {
  const run = (action) => {
    try {
      action();
    } catch (error) {
      settle(stream);
      throw error;
    }
  };
  return {
    transform: (piece, controller) => run(() => stream.push(bytes(piece), give(controller))),
    flush: (controller) =>
      run(() => {
        stream.push(rest(), give(controller));
        stream.finish(give(controller));
        settle(stream);
      }),
    cancel: () => settle(stream),
  };
}

/** Keeps what can still be asked for, and frees the handle. */
function settle(stream) {
  if (stream.handle !== 0 && !stream.module.broken)
    stream.last = { verdict: stream.verdict(), report: stream.report() };
  stream.close();
}

function closedOr(stream, what) {
  return stream.handle === 0 ? (stream.last?.[what] ?? null) : stream[what]();
}
