// Conversion by tables, which for short values takes less time than a call of the module, and for long text less than
// its loops. A table learns from the module what one or two bytes are, or one character, when it is first asked.
// Whatever is more than that, as a character of four bytes or a shift code, the module has to convert.

import { Growing } from "./bytes.js";
import { Stream, optionLines } from "./module.js";

/** The longest value that a table converts faster than the module does. */
const SHORT = 64;

/** How many bytes of UTF-16 go through a table at a time. */
const PIECE = 16 * 1024;

/** What one byte is, if it is not a character by itself. */
const NONE = 0xffff;

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

// --- Text of bytes ---------------------------------------------------------------------------------------------------

/** The entry of two bytes that the module has not been asked about, or has to convert. */
const UNKNOWN = -1;

// The upper half of an entry, if it is not the second character of two: no character is half a surrogate pair.
/** Both bytes are one character. */
const PAIR = 0xd800;
/** The first byte is a character, and the second begins another one. */
const FIRST = 0xd801;

/** Whether a document that begins with this character may begin with a label or a mark, or with white space before them. */
function mayBeginDocument(unit) {
  // `Messages::convert` in the library leaves the same values to its detector. All other white space is from U+1680 on.
  const isOther = unit > 0x20 && unit < 0x1680 && unit !== 0x3c && unit !== 0x85 && unit !== 0xa0;
  return !isOther && !(unit > 0x3000 && unit < 0xd800);
}

/** How many bytes `toUtf16` has written. */
let written;

/** Writes the text of `from`, from `at` on, in UTF-16LE. Returns where it stops: at the last byte, if not before. */
function toUtf16(from, at, last, to, entries, learn) {
  let end = 0;
  while (at < last && end < PIECE - 2) {
    const two = from.getUint16(at, true);
    let entry = entries[two];
    if (entry === UNKNOWN) {
      entry = learn(two);
      if (entry === UNKNOWN) break;
    }
    const upper = entry >>> 16;
    to.setUint16(end, entry, true);
    to.setUint16(end + 2, upper, true);
    end += (upper & 0xf800) === PAIR ? 2 : 4;
    at += upper === FIRST ? 1 : 2;
  }
  written = end;
  return at;
}

/** Returns the code unit that is all of the output for some bytes, but for what `after` is. NONE for anything else. */
function unitOf(stream, bytes, after) {
  const output = stream.value(Uint8Array.from(bytes));
  const text = output && utf8.decode(output);
  return text?.length === 1 + after.length && text.endsWith(after) && text[0] !== "\uFFFD" ? text.charCodeAt(0) : NONE;
}

class TextTable {
  /** @param {Stream} stream converts to UTF-8, and replaces what is malformed */
  constructor(stream) {
    this.stream = stream;
    this.singles = Uint16Array.from({ length: 256 }, (_, byte) => unitOf(stream, [byte], ""));
    // By two bytes as a little-endian number.
    this.entries = new Int32Array(65536).fill(UNKNOWN);
    this.refused = new Set();
    // What every pair is tried with: no pair may change what comes after it.
    const isPrinted = (byte) => this.singles[byte] > 0x20 && this.singles[byte] !== NONE;
    this.printed = [...this.singles.keys()].filter(isPrinted);
    this.after = String.fromCharCode(...this.printed.map((byte) => this.singles[byte]));
  }

  /** Whether the encoding is named. What a byte is depends on the others if it is not. */
  isNamed() {
    this.stream.value(Uint8Array.of(this.printed[0]));
    return this.stream.verdict()?.source === "user";
  }

  /** Asks the module what two bytes are. Returns their entry. */
  learn(two) {
    if (this.refused.has(two)) return UNKNOWN;
    const [first, second] = [this.singles[two & 255], this.singles[two >> 8]];
    if (first !== NONE) return (this.entries[two] = first | ((second === NONE ? FIRST : second) << 16));
    const unit = unitOf(this.stream, [two & 255, two >> 8, ...this.printed], this.after);
    if (unit !== NONE) return (this.entries[two] = unit | (PAIR << 16));
    this.refused.add(two);
    return UNKNOWN;
  }

  /** Returns the text of a short value; undefined if the module has to convert it. */
  short(bytes) {
    const { singles, entries } = this;
    const len = bytes.length;
    if (len > SHORT) return undefined;
    const units = [];
    for (let at = 0; at < len; at++) {
      let unit = singles[bytes[at]];
      if (unit === NONE) {
        if (at + 1 === len) return undefined;
        const two = bytes[at] | (bytes[++at] << 8);
        unit = entries[two];
        if (unit === UNKNOWN) unit = this.learn(two);
        if (unit === UNKNOWN) return undefined;
      }
      units.push(unit & 0xffff);
    }
    return mayBeginDocument(units[0]) ? undefined : String.fromCharCode.apply(null, units);
  }

  /** Returns the text of long bytes likewise, if it begins with `start`. */
  long(bytes, start) {
    const from = viewOf(bytes);
    const buffer = Buffer.alloc(PIECE);
    const to = viewOf(buffer);
    const last = bytes.length - 1;
    const learn = (two) => this.learn(two);
    let [text, at] = ["", 0];
    do {
      at = toUtf16(from, at, last, to, this.entries, learn);
      const piece = buffer.toString("utf16le", 0, written);
      if (text === "" && !piece.startsWith(start)) return undefined;
      text += piece;
    } while (written >= PIECE - 2);
    if (at > last) return text;
    const unit = at === last ? this.singles[bytes[at]] : NONE;
    return unit === NONE ? undefined : text + String.fromCharCode(unit);
  }
}

/** What the host decodes as fast as a table does. */
const OF_HOST = /^utf-?(8|16-?le)$/i;

class HostTable extends TextTable {
  constructor(stream, label) {
    super(stream);
    this.host = new TextDecoder(label, { fatal: true, ignoreBOM: true });
  }

  short(bytes) {
    try {
      const text = bytes.length > SHORT ? "" : this.host.decode(bytes);
      return mayBeginDocument(text.charCodeAt(0)) ? undefined : text;
    } catch {
      return undefined;
    }
  }
}

// --- Bytes of text ---------------------------------------------------------------------------------------------------

/** The entry of a character that the module has to convert. 0 is one that it has not been asked about. */
const REFUSED = 1;

/** From here on, an entry is how many bytes there are, times this, and the bytes, the first of which is the lowest. */
const ONE = 0x10000;

/** What may depend on the characters beside it, or is half a character. */
const DEPENDENT = /[\p{M}\p{Sk}\p{C}]/u;

/** Writes the bytes of `len` bytes of UTF-16LE. Returns how many; -1 if the module has to convert them. */
function fromUtf16(from, len, to, entries, learn) {
  let end = 0;
  for (let at = 0; at < len; at += 2) {
    const unit = from.getUint16(at, true);
    let entry = entries[unit];
    if (entry < ONE) {
      entry = learn(unit);
      if (entry < ONE) return -1;
    }
    to[end] = entry;
    to[end + 1] = entry >> 8;
    end += entry >> 16;
  }
  return end;
}

/** A character that is not in Latin-1. The host looks for one only in strings that it keeps in UTF-16. */
const BEYOND_LATIN_1 = /[^\0-\xFF]/;

/** Returns the bytes of a text in Latin-1; undefined if a character has not one byte. */
function translate(text, entries) {
  // Four at a time: a loop over bytes takes three times as long.
  const words = new Uint32Array(Math.ceil(text.length / 4));
  const bytes = new Uint8Array(words.buffer, 0, text.length);
  Buffer.from(words.buffer).write(text, "latin1");
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const a = entries[word & 255];
    const b = entries[(word >>> 8) & 255];
    const c = entries[(word >>> 16) & 255];
    const d = entries[word >>> 24];
    if ((a & b & c & d & ONE) === 0) return undefined;
    words[at] = (a & 255) | ((b & 255) << 8) | ((c & 255) << 16) | (d << 24);
  }
  // A caller may look at the buffer, which then has nothing after the text.
  return bytes.length % 4 === 0 ? bytes : bytes.slice();
}

/** Returns the entry of the character that `text` begins with, if `tail` is all that comes after its bytes. */
function entryOf(stream, text, tail) {
  const bytes = stream.textValue(text);
  const len = bytes ? bytes.length - tail.length : 0;
  if (len < 1 || len > 2 || tail.some((byte, at) => byte !== bytes[len + at])) return REFUSED;
  return len * ONE + bytes[0] + (len === 2 ? bytes[1] << 8 : 0);
}

class ByteTable {
  /** @param {Stream} stream converts from UTF-8 */
  constructor(stream) {
    this.stream = stream;
    this.entries = new Int32Array(65536);
    // What every other character is tried with, as a pair of bytes is.
    const printed = [];
    for (let unit = 0; unit < 256; unit++) {
      const entry = entryOf(stream, String.fromCharCode(unit), []);
      if (entry >> 16 !== 1) continue;
      this.entries[unit] = entry;
      if (unit > 0x20) printed.push(unit);
    }
    this.after = String.fromCharCode(...printed);
    this.tail = printed.map((unit) => this.entries[unit] & 255);
    this.bytes = new Uint8Array(2 * SHORT + 1);
  }

  /** Asks the module what a code unit is. Returns its entry. */
  learn(unit) {
    const { entries } = this;
    if (entries[unit] === 0) {
      const char = String.fromCharCode(unit);
      const isRefused = unit > 255 && DEPENDENT.test(char);
      entries[unit] = isRefused ? REFUSED : entryOf(this.stream, char + this.after, this.tail);
    }
    return entries[unit];
  }

  /** Returns the bytes of a short text; undefined if the module has to convert it. */
  short(text) {
    if (typeof text !== "string" || text.length > SHORT || text.length === 0) return undefined;
    const { entries, bytes } = this;
    let end = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      let entry = entries[unit];
      if (entry < ONE) entry = this.learn(unit);
      if (entry < ONE) return undefined;
      bytes[end] = entry;
      bytes[end + 1] = entry >> 8;
      end += entry >> 16;
    }
    return bytes.slice(0, end);
  }

  /** Returns the bytes of a long text likewise. */
  long(text) {
    const translated = BEYOND_LATIN_1.test(text) ? undefined : translate(text, this.entries);
    if (translated) return translated;
    const buffer = Buffer.alloc(PIECE);
    const from = viewOf(buffer);
    const bytes = new Uint8Array(PIECE + 1);
    const learn = (unit) => this.learn(unit);
    const output = new Growing(text.length);
    for (let at = 0; at < text.length; at += PIECE / 2) {
      const len = buffer.write(text.substring(at, at + PIECE / 2), "utf16le");
      const end = fromUtf16(from, len, bytes, this.entries, learn);
      if (end < 0) return undefined;
      output.push(bytes.subarray(0, end));
    }
    return output.whole();
  }
}

// --- The tables of a module ------------------------------------------------------------------------------------------

/** How many tables are kept for a module, of 256 KiB each: the last ones. */
const KEPT = 16;

/** Returns the table that `make` makes of a stream with these options. All that convert with the same options share it. */
function shared(kind, make, module, options) {
  const { tables } = module;
  const key = `${kind}\n${optionLines(options)}`;
  if (!tables.has(key)) {
    tables.set(key, make(new Stream(module, options)));
    if (tables.size > KEPT) tables.delete(tables.keys().next().value);
  }
  return tables.get(key);
}

/** Returns the table that decodes `from`; undefined if that is not the name of an encoding. */
export function textTable(module, from) {
  const make = (stream) => {
    const form = OF_HOST.exec(from)?.[1].replace("-", "");
    const table = form ? new HostTable(stream, `utf-${form}`) : new TextTable(stream);
    return table.isNamed() ? table : undefined;
  };
  return shared("text", make, module, { from, to: "UTF-8", malformed: "replace" });
}

/** Returns the table that encodes with the options of a stream from UTF-8. */
export function byteTable(module, options) {
  return shared("bytes", (stream) => new ByteTable(stream), module, options);
}
