// A decoder and an encoder that are made once, for many short values: their streams begin anew for each.

import { asBytes } from "./bytes.js";
import { current } from "./load.js";
import { Stream } from "./module.js";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export class Decoder {
  #stream;

  constructor(options = {}) {
    this.#stream = new Stream(current(), { ...options, to: "UTF-8" });
  }

  decode(input) {
    const bytes = asBytes(input);
    const stream = this.#stream;
    const output = stream.value(bytes);
    if (output) return utf8.decode(output);
    // Too long, or with an error: as if it were not a value of many.
    stream.reset();
    return stream.string(bytes, "UTF-8");
  }

  close() {
    this.#stream.close();
  }
}

export class Encoder {
  #stream;

  constructor(to, options = {}) {
    this.#stream = new Stream(current(), { relabel: "never", as: "text", ...options, from: "UTF-8", to });
  }

  encode(text) {
    const stream = this.#stream;
    const output = stream.textValue(text);
    if (output) return output.slice();
    stream.reset();
    return stream.encoded(text);
  }

  close() {
    this.#stream.close();
  }
}
