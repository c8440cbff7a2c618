// Bytes, in whatever form the caller has them.

/** Returns the bytes as they are, whatever kind of view or buffer they come in. */
export function asBytes(input) {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const isShared = typeof SharedArrayBuffer !== "undefined" && input instanceof SharedArrayBuffer;
  if (input instanceof ArrayBuffer || isShared) return new Uint8Array(input);
  throw new TypeError("expected an ArrayBuffer or a view of one");
}

/** Bytes that come in pieces. If the first guess of their number is right, they are copied once. */
export class Growing {
  #bytes;
  #len = 0;

  constructor(guess) {
    this.#bytes = new Uint8Array(guess);
  }

  push(piece) {
    const end = this.#len + piece.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#len));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#len);
    this.#len = end;
  }

  whole() {
    return this.#len === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#len);
  }
}
