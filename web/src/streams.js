// Web Streams: conversions that take pieces and give pieces.

import { asBytes } from "./bytes.js";
import { current } from "./load.js";
import { Stream } from "./module.js";
import { isBinary, openRows } from "./rows.js";

/** Lets a writer wait until the reader wants something. */
class Demand {
  #isThere = false;
  #wake = () => {};

  raise() {
    this.#isThere = true;
    this.#wake();
  }

  async met() {
    if (!this.#isThere) await new Promise((resolve) => (this.#wake = resolve));
    this.#isThere = false;
  }
}

/**
 * A conversion with a readable and a writable end. A TransformStream would drop the output that waits in its queue when
 * there is an error. Here, output is given only when the reader asks for it, so none waits, and the error comes after
 * all of it.
 */
class Conversion {
  #stream;

  /**
   * @param {Stream} stream
   * @param {object} how `bytes` makes bytes of a written chunk, and `rest` those that are left at the end. `output`
   *   makes a chunk of bytes, and `last` the one that is left at the end. A chunk without content is not given.
   */
  constructor(stream, { bytes = asBytes, rest = () => new Uint8Array(), output = copy, last = () => "" } = {}) {
    this.#stream = stream;
    const demand = new Demand();
    let reading;
    const give = async (chunk) => {
      if (chunk.length === 0) return;
      await demand.met();
      // The reader may have cancelled meanwhile, or the writer aborted.
      if (stream.handle !== 0) reading.enqueue(chunk);
    };
    const run = async (pieces) => {
      try {
        if (stream.handle === 0) return;
        for (const piece of pieces()) {
          await give(output(piece));
          if (stream.handle === 0) return;
        }
      } catch (error) {
        settle(stream);
        reading.error(error);
        throw error;
      }
    };
    const stop = () => {
      settle(stream);
      demand.raise();
    };
    let writing;
    this.writable = new WritableStream({
      start: (controller) => {
        writing = controller;
        // An abort waits for the chunk that is being written, which may wait for the reader.
        controller.signal?.addEventListener("abort", stop);
      },
      write: (chunk) => run(() => stream.pieces(bytes(chunk))),
      close: async () => {
        await run(() => stream.pieces(rest()));
        await run(() => stream.rest());
        await give(last());
        if (stream.handle === 0) return;
        settle(stream);
        reading.close();
      },
      abort: (reason) => {
        stop();
        reading.error(reason);
      },
    });
    this.readable = new ReadableStream(
      {
        start: (controller) => {
          reading = controller;
        },
        pull: () => demand.raise(),
        cancel: (reason) => {
          stop();
          writing.error(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** The verdict of detection; null as long as there is none. */
  get verdict() {
    return closedOr(this.#stream, "verdict");
  }

  /** The report so far. */
  get report() {
    return closedOr(this.#stream, "report");
  }
}

const copy = (piece) => piece.slice();

/** Bytes to bytes. */
export class ConverterStream extends Conversion {
  constructor(options = {}) {
    super(new Stream(current(), options));
  }
}

/** Bytes to strings. */
export class DecoderStream extends Conversion {
  constructor(options = {}) {
    const settings = typeof options === "string" ? { from: options } : options;
    const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
    const output = (piece) => utf8.decode(piece, { stream: true });
    super(new Stream(current(), { ...settings, to: "UTF-8" }), { output, last: () => utf8.decode() });
  }
}

/** Strings to bytes. */
export class EncoderStream extends Conversion {
  constructor(to, options = {}) {
    const encoder = new TextEncoder();
    // The first half of a character that the end of a string cuts.
    let half = "";
    const bytes = (text) => {
      const whole = `${half}${text}`;
      half = /[\uD800-\uDBFF]$/.test(whole) ? whole.slice(-1) : "";
      return encoder.encode(whole.slice(0, whole.length - half.length));
    };
    const stream = new Stream(current(), { relabel: "never", as: "text", ...options, from: "UTF-8", to });
    super(stream, { bytes, rest: () => encoder.encode(half) });
  }
}

/** Records to rows: bytes to strings, or to bytes if the rows are not text. */
export class RowsStream extends Conversion {
  constructor(layout, options = {}) {
    if (isBinary(options)) {
      super(openRows(layout, options));
      return;
    }
    const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
    super(openRows(layout, options), { output: (piece) => utf8.decode(piece, { stream: true }), last: () => utf8.decode() });
  }
}

/** Keeps what can still be asked for, and frees the handle. */
function settle(stream) {
  if (stream.handle === 0) return;
  if (!stream.module.broken) stream.last = { verdict: stream.verdict(), report: stream.report() };
  stream.close();
}

function closedOr(stream, what) {
  return stream.handle === 0 ? (stream.last?.[what] ?? null) : stream[what]();
}
