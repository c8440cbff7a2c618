// A decoder and an encoder that are made once, for many short values: their streams begin anew for each.

import { asBytes } from "./bytes.js";
import { hasOnly } from "./host.js";
import { byteTable, textTable } from "./learned.js";
import { current } from "./load.js";
import { Stream } from "./module.js";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** After so many values the table is made, which takes as long as some hundreds of them. */
const MANY = 1000;

/** There is no table. */
const none = () => undefined;

/** Returns a function that returns, for each of many values, what `make` makes then. */
function afterMany(make) {
  let [values, table] = [0];
  return () => (++values === MANY ? (table = make()) : table);
}

export class Decoder {
  #stream;
  #table = none;

  constructor(options = {}) {
    const stream = new Stream(current(), { ...options, to: "UTF-8" });
    this.#stream = stream;
    const { from, malformed = "replace", ...others } = { ...options };
    if (typeof from === "string" && malformed === "replace" && hasOnly(others, [])) {
      this.#table = afterMany(() => textTable(stream.module, from));
    }
  }

  decode(input) {
    const bytes = asBytes(input);
    const table = this.#table();
    const text = table?.short(bytes);
    if (text !== undefined) return text;
    const stream = this.#stream;
    const output = stream.value(bytes);
    if (output) return utf8.decode(output);
    // Too long, or with an error: as if it were not a value of many.
    stream.reset();
    return stream.string(bytes, "UTF-8");
  }

  close() {
    this.#table = none;
    this.#stream.close();
  }
}

export class Encoder {
  #stream;
  #table = none;

  constructor(to, options = {}) {
    const ask = { relabel: "never", as: "text", ...options, from: "UTF-8", to };
    const stream = new Stream(current(), ask);
    this.#stream = stream;
    if (hasOnly({ ...options }, ["bom", "unmappable"])) this.#table = afterMany(() => byteTable(stream.module, ask));
  }

  encode(text) {
    const table = this.#table();
    const bytes = table?.short(text);
    if (bytes) return bytes;
    const stream = this.#stream;
    const output = stream.textValue(text);
    if (output) return output.slice();
    stream.reset();
    return stream.encoded(text);
  }

  close() {
    this.#table = none;
    this.#stream.close();
  }
}
