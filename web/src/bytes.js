// Bytes, in whatever form the caller has them.

/** Returns the bytes as they are, whatever kind of view or buffer they come in. */
export function asBytes(input) {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const isShared = typeof SharedArrayBuffer !== "undefined" && input instanceof SharedArrayBuffer;
  if (input instanceof ArrayBuffer || isShared) return new Uint8Array(input);
  throw new TypeError("expected an ArrayBuffer or a view of one");
}

/** Joins the pieces. */
export function join(pieces) {
  if (pieces.length === 1) return pieces[0];
  const whole = new Uint8Array(pieces.reduce((len, piece) => len + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
