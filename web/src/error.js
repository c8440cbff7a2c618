// The error that every function throws.

/** What went wrong, and where. */
export class CharpipeError extends Error {
  /**
   * @param {{code: string, message: string, offset?: number | null, record?: number, line?: number | null,
   *   column?: number | null, bytes?: string, char?: string}} failure the error as JSON
   * @param {string} [message] the message with the position
   */
  constructor(failure, message = inText(failure)) {
    super(message);
    this.name = "CharpipeError";
    this.code = failure.code;
    this.offset = failure.offset ?? undefined;
    this.record = failure.record;
    this.line = failure.line ?? undefined;
    this.column = failure.column ?? undefined;
    this.bytes = failure.bytes === undefined ? undefined : fromHex(failure.bytes);
    this.char = failure.char;
  }
}

/** Returns the message, after the place if the error is in a text. */
function inText({ line, column, message }) {
  if (!line) return message;
  return `line ${line}${column ? `, column ${column}` : ""}: ${message}`;
}

/** @param {string} hex */
function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}
