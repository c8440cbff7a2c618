// Bytes, in whatever form the caller has them.

/** Returns the bytes as they are, whatever kind of view or buffer they come in. */
export function asBytes(input) {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const isShared = typeof SharedArrayBuffer !== "undefined" && input instanceof SharedArrayBuffer;
  if (input instanceof ArrayBuffer || isShared) return new Uint8Array(input);
  throw new TypeError("expected an ArrayBuffer or a view of one");
}
