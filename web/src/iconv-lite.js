// Adds charpipe's EBCDIC pages to iconv-lite.

import * as pages from "./tables/index.js";
import { current } from "./load.js";
import { Stream } from "./module.js";

/** The name under which iconv-lite looks an encoding up. */
const key = (name) => name.toLowerCase().replace(/[^0-9a-z]/g, "");

function add(encodings, name, labels, definition) {
  encodings[key(name)] = definition;
  for (const label of labels) encodings[key(label)] ??= key(name);
}

/** Returns iconv-lite's list of encodings, which it makes when it is first asked for one. */
function encodingsOf(iconv) {
  iconv.getCodec("utf8");
  return iconv.encodings;
}

export function register(iconv, tables = Object.values(pages)) {
  const encodings = encodingsOf(iconv);
  for (const { name, labels, chars } of tables) add(encodings, name, labels, { type: "_sbcs", chars });
}

export function registerMixed(iconv, names = MIXED) {
  const encodings = encodingsOf(iconv);
  for (const [name, labels] of Object.entries(names)) {
    add(encodings, name, labels, codecOf(name));
  }
}

/** The EBCDIC encodings that are no tables, and their other labels. The build fills it in. */
export const MIXED = {};

/** Makes a codec as iconv-lite has them. Malformed bytes become U+FFFD, and unmappable characters the substitute. */
function codecOf(from) {
  const options = { malformed: "replace", unmappable: "replace", relabel: "never", as: "text" };
  class Decoder {
    constructor() {
      this.stream = new Stream(current(), { ...options, from, to: "UTF-8" });
      this.utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
      this.text = "";
      this.give = (piece) => (this.text += this.utf8.decode(piece, { stream: true }));
    }
    take() {
      const text = this.text;
      this.text = "";
      return text;
    }
    write(bytes) {
      this.stream.push(typeof bytes === "string" ? Buffer.from(bytes, "binary") : bytes, this.give);
      return this.take();
    }
    end() {
      this.stream.finish(this.give);
      this.stream.close();
      return this.take() + this.utf8.decode();
    }
  }
  class Encoder {
    constructor() {
      this.stream = new Stream(current(), { ...options, from: "UTF-8", to: from });
      this.half = "";
      this.pieces = [];
      this.give = (piece) => this.pieces.push(Buffer.from(piece));
    }
    take() {
      const bytes = Buffer.concat(this.pieces);
      this.pieces = [];
      return bytes;
    }
    write(text) {
      const whole = this.half + text;
      // The first half of a character waits for the second.
      this.half = /[\uD800-\uDBFF]$/.test(whole) ? whole.slice(-1) : "";
      this.stream.push(Buffer.from(whole.slice(0, whole.length - this.half.length), "utf8"), this.give);
      return this.take();
    }
    end() {
      this.stream.push(Buffer.from(this.half, "utf8"), this.give);
      this.stream.finish(this.give);
      this.stream.close();
      return this.take();
    }
  }
  return function Codec() {
    this.decoder = Decoder;
    this.encoder = Encoder;
  };
}
