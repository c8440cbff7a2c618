// Conversion by tables, which for short values takes less time than a call of the module, and for long text less than
// its loops. A table learns from the module what one or two bytes are, or one character, when it is first asked.
// Whatever is more than that, as a character of four bytes or a shift code, the module has to convert.

import { Growing } from "./bytes.js";

/** Up to so many bytes, a text is made of code units, and so many characters are encoded one by one. */
export const SHORT = 64;

/** What one byte is, if it is not a character by itself. */
const NONE = 0xffff;

/** The entry of a character of one byte, or of a byte in Latin-1: this, and the byte. */
const ONE = 0x10000;

/** Room for what goes through a table at a time. */
const PIECE = 16 * 1024;
const room = new DataView(new ArrayBuffer(PIECE));
const roomBytes = new Uint8Array(room.buffer);
const roomWords = new Uint32Array(room.buffer);

const { Buffer } = globalThis;
const buffer = Buffer?.from?.(room.buffer);

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns the text of so many bytes of UTF-16LE in the room. */
function textOfRoom(len) {
  if (buffer) return buffer.toString("utf16le", 0, len);
  return new TextDecoder("utf-16le", { ignoreBOM: true }).decode(roomBytes.subarray(0, len));
}

/** Exchanges the bytes of so many words for others; returns whether all have an entry. */
function translate(words, count, entries) {
  // Four at a time: a loop over bytes takes three times as long.
  for (let at = 0; at < count; at++) {
    const word = words[at];
    const a = entries[word & 255];
    const b = entries[(word >>> 8) & 255];
    const c = entries[(word >>> 16) & 255];
    const d = entries[word >>> 24];
    if ((a & b & c & d & ONE) === 0) return false;
    words[at] = (a & 255) | ((b & 255) << 8) | ((c & 255) << 16) | (d << 24);
  }
  return true;
}

// --- Text of bytes ---------------------------------------------------------------------------------------------------

/** The entry of two bytes that the module has not been asked about, and of those that it has to convert. */
const UNKNOWN = -1;
const LEFT = -2;

// The upper half of an entry, with its sign, if it is not the second character of two: no character is half a surrogate
// pair.
/** Both bytes are one character. */
const PAIR = 0xd800 - 0x10000;
/** The first byte is a character, and the second begins another one. */
const FIRST = PAIR + 1;

/** How many bytes `toUtf16` has written. */
let written;

/** Writes the text of `from`, from `at` on, in UTF-16LE. Returns where it stops: at the last byte, if not before. */
function toUtf16(from, at, last, entries, learn) {
  let end = 0;
  while (at < last && end < PIECE - 2) {
    const two = from.getUint16(at, true);
    let entry = entries[two];
    if (entry === UNKNOWN) entry = learn(two);
    if (entry === LEFT) break;
    room.setInt32(end, entry, true);
    // Branches, which are guessed: the next step need not wait for this one.
    const upper = entry >> 16;
    if (upper === PAIR) {
      end += 2;
      at += 2;
      // Where one character has two bytes, most have.
      while (at < last - 2 && end < PIECE - 2) {
        const four = from.getInt32(at, true);
        const a = entries[four & 0xffff];
        const b = entries[four >>> 16];
        if (a >> 16 !== PAIR || b >> 16 !== PAIR) break;
        room.setInt32(end, (a & 0xffff) | (b << 16), true);
        end += 4;
        at += 4;
      }
    } else if (upper === FIRST) {
      end += 2;
      at += 1;
    } else {
      end += 4;
      at += 2;
    }
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

export class TextTable {
  /** @param {Stream} stream converts to UTF-8, and replaces what is malformed */
  constructor(stream) {
    this.stream = stream;
    this.singles = Uint16Array.from({ length: 256 }, (_, byte) => unitOf(stream, [byte], ""));
    this.latin1 = Int32Array.from(this.singles, (unit) => (unit < 256 ? ONE | unit : 0));
    // By two bytes as a little-endian number.
    this.entries = new Int32Array(65536).fill(UNKNOWN);
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
    const [first, second] = [this.singles[two & 255], this.singles[two >> 8]];
    if (first !== NONE) return (this.entries[two] = first | ((second === NONE ? FIRST : second) << 16));
    const unit = unitOf(this.stream, [two & 255, two >> 8, ...this.printed], this.after);
    return (this.entries[two] = unit === NONE ? LEFT : unit | (PAIR << 16));
  }

  /** Returns the text of bytes; undefined if the module has to convert them, as a text that `special` matches. */
  text(bytes, special) {
    if (bytes.length > SHORT) return this.#long(bytes, special);
    const text = this.#short(bytes);
    return text === undefined || special.test(text) ? undefined : text;
  }

  #short(bytes) {
    const { singles, entries } = this;
    const len = bytes.length;
    const units = [];
    for (let at = 0; at < len; at++) {
      let unit = singles[bytes[at]];
      if (!(unit < NONE)) {
        if (at + 1 === len) return undefined;
        const two = bytes[at] | (bytes[++at] << 8);
        unit = entries[two];
        if (unit === UNKNOWN) unit = this.learn(two);
        if (unit === LEFT) return undefined;
      }
      units.push(unit & 0xffff);
    }
    return String.fromCharCode.apply(null, units);
  }

  #long(bytes, special) {
    const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const last = bytes.length - 1;
    const learn = (two) => this.learn(two);
    let [text, at, len] = ["", 0];
    do {
      let piece;
      len = this.#toLatin1(bytes.subarray(at, at + PIECE));
      if (len > 0) {
        piece = buffer.toString("latin1", 0, len);
        at += len;
      } else {
        at = toUtf16(from, at, last, this.entries, learn);
        piece = textOfRoom(written);
      }
      if (text === "" && special.test(piece)) return undefined;
      text += piece;
    } while (len > 0 || written >= PIECE - 2);
    if (at > last) return text;
    const unit = at === last ? this.singles[bytes[at]] : NONE;
    return unit === NONE ? undefined : text + String.fromCharCode(unit);
  }

  /**
   * Writes the text of bytes in Latin-1, but for up to three at the end. Returns its length; 0 if it is not all of Latin-1,
   * or if there are fewer than four bytes.
   */
  #toLatin1(bytes) {
    if (!buffer || this.latin1[bytes[0]] === 0) return 0;
    roomBytes.set(bytes);
    const words = bytes.length >> 2;
    return translate(roomWords, words, this.latin1) ? 4 * words : 0;
  }
}

// --- Bytes of text ---------------------------------------------------------------------------------------------------

/** The entry of a character that the module has to convert. 0 is one that it has not been asked about. */
const REFUSED = 1;

/** What may depend on the characters beside it, or is half a character. */
const DEPENDENT = /[\p{M}\p{Sk}\p{C}]/u;

/** A character that is not in Latin-1. The host looks for one only in strings that it keeps in UTF-16. */
const BEYOND_LATIN_1 = /[^\0-\xFF]/;

/** Writes the bytes of a part of a text. Returns how many; -1 if the module has to convert them. */
function toBytes(text, at, end, entries, learn) {
  let len = 0;
  for (; at < end; at++) {
    const unit = text.charCodeAt(at);
    let entry = entries[unit];
    if (entry < ONE) {
      entry = learn(unit);
      if (entry < ONE) return -1;
    }
    room.setUint16(len, entry, true);
    len += entry >> 16;
  }
  return len;
}

/** Returns the entry of the character that `text` begins with, if `tail` is all that comes after its bytes. */
function entryOf(stream, text, tail) {
  const bytes = stream.textValue(text);
  const len = bytes ? bytes.length - tail.length : 0;
  if (len < 1 || len > 2 || tail.some((byte, at) => byte !== bytes[len + at])) return REFUSED;
  return len * ONE + bytes[0] + (len === 2 ? bytes[1] << 8 : 0);
}

export class ByteTable {
  /** @param {Stream} stream converts from UTF-8 */
  constructor(stream) {
    this.stream = stream;
    // For two bytes, twice `ONE` and both, the first of which is the lower one.
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

  /** Returns the bytes of a text; undefined if the module has to convert it. */
  bytes(text) {
    const { length } = text;
    if (length === 0) return undefined;
    const isLong = length > PIECE / 2;
    const isLatin1 = length > SHORT && buffer && !BEYOND_LATIN_1.test(text);
    const learn = (unit) => this.learn(unit);
    const output = isLong ? new Growing(length) : undefined;
    for (let at = 0; at < length; at += PIECE / 2) {
      const end = Math.min(at + PIECE / 2, length);
      let len = end - at;
      if (isLatin1) buffer.write(text.substring(at, end), "latin1");
      // The last word may end with what was there before. If that has no entry, the loop over characters does it all.
      if (!isLatin1 || !translate(roomWords, (len + 3) >> 2, this.entries)) len = toBytes(text, at, end, this.entries, learn);
      if (len < 0) return undefined;
      if (!output) return roomBytes.slice(0, len);
      output.push(roomBytes.subarray(0, len));
    }
    return output.whole();
  }
}
