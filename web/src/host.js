// What the host does faster: its strings are UTF-16 or Latin-1, so long text is copied to UTF-16LE and UTF-8, and
// what is in Latin-1 is translated byte by byte.

/** Inputs from this length on are worth a look. */
export const LARGE = 64 * 1024;

const UTF_8 = /^utf-?8$/i;
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

/** Returns the bytes in UTF-8 or UTF-16LE, or undefined if the module might give others. */
export function encodeUnicode(text, to, options) {
  if (text.length < LARGE || !hasOnly(options, ["bom"])) return undefined;
  const hasMark = text.startsWith("\uFEFF") || !["auto", "keep", "strip"].includes(options.bom ?? "auto");
  if (hasMark) return undefined;
  // Half a surrogate pair is U+FFFD on the way into the module, too.
  if (UTF_8.test(to)) return new TextEncoder().encode(text);
  const { Buffer } = globalThis;
  if (!Buffer || !UTF_16LE.test(to) || !text.isWellFormed?.()) return undefined;
  const bytes = new Uint8Array(2 * text.length);
  Buffer.from(bytes.buffer).write(text, "utf16le");
  return bytes;
}

/** The options that say nothing of other characters than the one that is encoded. */
export const OF_A_CHARACTER = ["bom", "unmappable"];

/** As a byte of a character: none, or not this character's alone. */
export const NO_BYTE = 256;

/** A character that is not in Latin-1. The host looks for one only in strings that it keeps in UTF-16. */
const BEYOND_LATIN_1 = /[^\0-\xFF]/;

/** Returns the bytes of a text in Latin-1, or undefined. `table` returns the byte of each character, or NO_BYTE. */
export function encodeLatin1(text, options, table) {
  const { Buffer } = globalThis;
  if (text.length < LARGE || !Buffer || !hasOnly(options, OF_A_CHARACTER) || BEYOND_LATIN_1.test(text)) return undefined;
  const byteOf = table();
  const bytes = new Uint8Array(text.length);
  Buffer.from(bytes.buffer).write(text, "latin1");
  return translate(bytes, byteOf) ? bytes : undefined;
}

/** Puts the byte of a table in place of each byte. Returns whether all have one. */
function translate(bytes, byteOf) {
  let all = 0;
  // Four at a time: a loop over bytes takes three times as long.
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >>> 2);
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const a = byteOf[word & 0xff];
    const b = byteOf[(word >>> 8) & 0xff];
    const c = byteOf[(word >>> 16) & 0xff];
    const d = byteOf[word >>> 24];
    all |= a | b | c | d;
    words[at] = a | (b << 8) | (c << 16) | (d << 24);
  }
  for (let at = 4 * words.length; at < bytes.length; at++) {
    all |= byteOf[bytes[at]];
    bytes[at] = byteOf[bytes[at]];
  }
  return all < NO_BYTE;
}
