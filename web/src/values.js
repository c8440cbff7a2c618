// A decoder and an encoder that are made once, for many short values: their streams begin anew for each.

import { asBytes } from "./bytes.js";
import { none, reader, writer } from "./direct.js";
import { current } from "./load.js";
import { Stream } from "./module.js";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export class Decoder {
  #stream;
  #direct;

  constructor(options = {}) {
    options = { ...options };
    this.#stream = new Stream(current(), { ...options, to: "UTF-8" });
    this.#direct = reader(this.#stream.module, options, false);
  }

  decode(input) {
    const bytes = asBytes(input);
    const text = this.#direct(bytes);
    if (text !== undefined) return text;
    const stream = this.#stream;
    const output = stream.value(bytes);
    if (output) return utf8.decode(output);
    // Too long, or with an error: as if it were not a value of many.
    stream.reset();
    return stream.string(bytes, "UTF-8");
  }

  close() {
    this.#direct = none;
    this.#stream.close();
  }
}

export class Encoder {
  #stream;
  #direct;

  constructor(to, options = {}) {
    options = { ...options };
    const ask = { relabel: "never", as: "text", ...options, from: "UTF-8", to };
    this.#stream = new Stream(current(), ask);
    this.#direct = writer(this.#stream.module, to, options, ask, false);
  }

  encode(text) {
    const bytes = this.#direct(text);
    if (bytes) return bytes;
    const stream = this.#stream;
    const output = stream.textValue(text);
    if (output) return output.slice();
    stream.reset();
    return stream.encoded(text);
  }

  close() {
    this.#direct = none;
    this.#stream.close();
  }
}
