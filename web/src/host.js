// What is converted without the module: a host's strings are UTF-16 or Latin-1, so long text in UTF-16LE is copied,
// long text in Latin-1 is translated byte by byte, and short values are looked up in tables that the module has filled.

/** Inputs from this length on are worth a look. */
export const LARGE = 64 * 1024;

const UTF_16LE = /^utf-?16-?le$/i;

/** Whether no option but those of `names` is given. */
export function hasOnly(options, names) {
  return Object.keys(options).every((name) => names.includes(name));
}

/** Returns the text, or undefined if it is short, malformed, or begins otherwise than `sample`, which the module made. */
export function decodeUtf16(bytes, options, sample) {
  if (bytes.length < LARGE || !UTF_16LE.test(options.from) || !hasOnly(options, ["from", "as"])) return undefined;
  try {
    const text = new TextDecoder("utf-16le", { fatal: true, ignoreBOM: true }).decode(bytes);
    const start = sample();
    return start && text.startsWith(start) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the bytes in UTF-16LE, or undefined if the module might give others. */
export function encodeUtf16(text, to, options) {
  const { Buffer } = globalThis;
  if (text.length < LARGE || !Buffer || !UTF_16LE.test(to) || !hasOnly(options, ["bom"])) return undefined;
  const hasMark = text.startsWith("\uFEFF") || !["auto", "keep", "strip"].includes(options.bom ?? "auto");
  if (hasMark || !text.isWellFormed?.()) return undefined;
  const bytes = new Uint8Array(2 * text.length);
  Buffer.from(bytes.buffer).write(text, "utf16le");
  return bytes;
}

/** The longest value that a table converts faster than the module does. */
const SHORT = 64;

/** The entry of a byte or a character that the module has to convert. */
export const NONE = 0xffff;

/** Returns the text of a short value, from the character of each byte; undefined if the module has to convert it. */
export function textOf(bytes, chars) {
  const first = chars[bytes[0]];
  // A document may begin with `<`, or with white space before that: `Messages::convert` in the library leaves the same
  // values to its detector. All other white space is at U+1680 or after it.
  if (!(first > 0x20 && first < 0x1680) || first === 0x3c || first === 0x85 || first === 0xa0) return undefined;
  if (bytes.length > SHORT) return undefined;
  const units = [];
  for (let at = 0; at < bytes.length; at++) {
    const unit = chars[bytes[at]];
    if (unit === NONE) return undefined;
    units.push(unit);
  }
  return String.fromCharCode.apply(null, units);
}

/** Returns the bytes of a short text, from the byte of each character in Latin-1; undefined as for a value. */
export function bytesOf(text, table) {
  if (typeof text !== "string" || text.length > SHORT || !(text.charCodeAt(0) <= 0xff)) return undefined;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = code <= 0xff ? table[code] : NONE;
    if (byte === NONE) return undefined;
    bytes[at] = byte;
  }
  return bytes;
}

/** From this length on, a table for one text is worth making. */
const HUGE = 1024 * 1024;

/** A character that is not in Latin-1. The host looks for one only in strings that it keeps in UTF-16. */
const BEYOND_LATIN_1 = /[^\0-\xFF]/;

/** Returns whether to translate text by a table: it is long, and no option is about more than one character. */
export function isForTable(text, options) {
  const isLong = typeof text === "string" && text.length >= HUGE && globalThis.Buffer;
  return isLong && hasOnly(options, ["bom", "unmappable"]) && !BEYOND_LATIN_1.test(text);
}

/** Returns the byte of each character of a text in Latin-1; undefined if the table has none for one of them. */
export function translate(text, table) {
  // Four at a time: a loop over bytes takes three times as long.
  const words = new Uint32Array(Math.ceil(text.length / 4));
  const bytes = new Uint8Array(words.buffer, 0, text.length);
  Buffer.from(words.buffer).write(text, "latin1");
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const a = table[word & 255];
    const b = table[(word >>> 8) & 255];
    const c = table[(word >>> 16) & 255];
    const d = table[word >>> 24];
    if ((a | b | c | d) > 255) return undefined;
    words[at] = a | (b << 8) | (c << 16) | (d << 24);
  }
  // A caller may look at the buffer, which then has nothing after the text.
  return bytes.length % 4 === 0 ? bytes : bytes.slice();
}
