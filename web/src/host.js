// What the host does faster than the module: its strings are made of UTF-16 code units, so long text in UTF-16LE is copied.

/** Inputs from this length on are worth a look. */
export const LARGE = 64 * 1024;

const UTF_16LE = /^utf-?16-?le$/i;

/** Whether no option but those of `names` is given. */
export function hasOnly(options, names) {
  return Object.keys(options).every((name) => names.includes(name));
}

/**
 * Returns the text, or undefined if the module has to look at it: if it is not long, is malformed, or begins otherwise than
 * `sample`, which is what the module makes of its beginning. Later on, nothing but malformed code units can make a
 * difference.
 */
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

/** Returns the bytes of a text in UTF-16LE, or undefined if the host cannot tell that the module would give the same. */
export function encodeUtf16(text, to, options) {
  const { Buffer } = globalThis;
  if (text.length < LARGE || !Buffer || !UTF_16LE.test(to) || !hasOnly(options, ["bom"])) return undefined;
  const hasMark = text.startsWith("\uFEFF") || !["auto", "keep", "strip"].includes(options.bom ?? "auto");
  if (hasMark || !text.isWellFormed?.()) return undefined;
  const bytes = new Uint8Array(2 * text.length);
  Buffer.from(bytes.buffer).write(text, "utf16le");
  return bytes;
}
