// What is converted without the module: a host's strings are UTF-16, so text in UTF-16LE is copied.

/** Inputs from this length on are worth a look. */
export const LARGE = 64 * 1024;

const UTF_16LE = /^utf-?16-?le$/i;

/** Whether no option but those of `names` is given. */
export function hasOnly(options, names) {
  return Object.keys(options).every((name) => names.includes(name));
}

/** Returns the text of UTF-16LE; undefined if it is malformed, or longer than a string can be. */
function textOfUtf16(bytes) {
  const { Buffer } = globalThis;
  try {
    if (!Buffer || !"".isWellFormed) return new TextDecoder("utf-16le", { fatal: true, ignoreBOM: true }).decode(bytes);
    // This takes less time than a TextDecoder, but drops half a code unit at the end.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf16le");
    return bytes.length % 2 === 0 && text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text, or undefined if it is short, malformed, or begins otherwise than `sample`, which the module made. */
export function decodeUtf16(bytes, options, sample) {
  if (bytes.length < LARGE || !UTF_16LE.test(options.from) || !hasOnly(options, ["from", "as"])) return undefined;
  const text = textOfUtf16(bytes);
  const start = text && sample();
  return start && text.startsWith(start) ? text : undefined;
}

/** Returns the bytes in UTF-16LE, or undefined if the module might give others. */
export function encodeUtf16(text, to, options) {
  const { Buffer } = globalThis;
  if (typeof text !== "string" || !Buffer || !UTF_16LE.test(to) || !hasOnly(options, ["bom"])) return undefined;
  const hasMark = text.startsWith("\uFEFF") || !["auto", "keep", "strip"].includes(options.bom ?? "auto");
  if (hasMark || !text.isWellFormed?.()) return undefined;
  // Zeros would be written first otherwise, which takes as long again.
  const bytes = Buffer.allocUnsafeSlow(2 * text.length);
  bytes.write(text, "utf16le");
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** From this length on, a table for one text is worth making. */
const HUGE = 1024 * 1024;

/** Whether a table is worth making for so long an input, if there is Buffer. For Unicode's forms the module is faster. */
export function isForTable(len, name, options, names) {
  return len >= HUGE && !/utf/i.test(name) && hasOnly(options, names);
}
