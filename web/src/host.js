// What the host converts without the module, as its strings are UTF-16 and it knows UTF-8.

const FORMS = /^utf-?(8|16-?le)$/i;

/** With fewer bytes, a TextDecoder takes less time than Buffer. */
const FEW_BYTES = 128;

const { Buffer } = globalThis;
const encoder = new TextEncoder();

/** Returns "8" or "16le" if this is the name of an encoding that the host converts; undefined otherwise. */
export function formOf(name) {
  return FORMS.exec(name)?.[1].replace("-", "").toLowerCase();
}

/** Returns a function that returns the text of bytes; undefined if they are malformed, or too many for a string. */
export function hostText(form) {
  const byBuffer = form === "16le" && Buffer && "".isWellFormed;
  let decoder;
  return (bytes) => {
    try {
      // Not every host has all that a decoder can be.
      decoder ??= new TextDecoder(`utf-${form}`, { fatal: true, ignoreBOM: true });
      if (!byBuffer || bytes.length < FEW_BYTES) return decoder.decode(bytes);
      // Half a code unit at the end would be dropped.
      if (bytes.length % 2 > 0) return undefined;
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf16le");
      return !mayHaveHalves(bytes) || text.isWellFormed() ? text : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Marks the code units in a word whose upper bits are 110, as from C000 to DFFF. */
const high = (word) => word & (word << 1) & ~(word << 2);

/** Whether UTF-16LE may have half a character. A host takes twice as long to see that a text has none. */
function mayHaveHalves({ buffer, byteOffset, length }) {
  if (byteOffset % 4 > 0 || length % 16 > 0) return true;
  const words = new Int32Array(buffer, byteOffset, length / 4);
  for (let at = 0; at < words.length; at += 4) {
    const any = high(words[at]) | high(words[at + 1]) | high(words[at + 2]) | high(words[at + 3]);
    if ((any & 0x80008000) !== 0) return true;
  }
  return false;
}

/** Returns the bytes of a text without a mark; undefined if the host cannot make them. */
export function hostBytes(form, text) {
  if (text.startsWith("\uFEFF")) return undefined;
  if (form === "8") return encoder.encode(text);
  if (!Buffer || !text.isWellFormed?.()) return undefined;
  // Zeros would be written first otherwise, which takes as long again.
  const bytes = Buffer.allocUnsafeSlow(2 * text.length);
  bytes.write(text, "utf16le");
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
