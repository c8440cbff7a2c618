// The error that every function throws.

/** What went wrong, and where. */
export class CharpipeError extends Error {
  /**
   * @param {{code: string, message: string, offset?: number | null, record?: number, column?: number, bytes?: string,
   *   char?: string}} failure the error as JSON
   * @param {string} [message] the message with the position
   */
  constructor(failure, message = failure.message) {
    super(message);
    this.name = "CharpipeError";
    this.code = failure.code;
    this.offset = failure.offset ?? undefined;
    this.record = failure.record;
    this.column = failure.column;
    this.bytes = failure.bytes === undefined ? undefined : fromHex(failure.bytes);
    this.char = failure.char;
  }
}

/** @param {string} hex */
function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}
