// Records in columns: a character for each byte, so that everything keeps its place below the ruler.

import { explain } from "../src/index.js";
import { hex, shape } from "./dom.js";

/** Columns from 1: ----+----1----+----2 */
export function ruler(len) {
  return Array.from({ length: len }, (_, at) =>
    (at + 1) % 10 === 0 ? ((at + 1) / 10) % 10 : (at + 1) % 5 === 0 ? "+" : "-",
  ).join("");
}

/** Returns the text of each byte; of a character with several bytes, the first one has it. */
export function texts(label, bytes) {
  return explain(label, bytes).cells.flatMap(([len, text]) => {
    const rest = Array(len - 1).fill(text ? " " : "·");
    return [text ? shape(text) : "·", ...rest];
  });
}

/** Returns the two lines of hex digits, for reading downwards. */
export const hexLines = (bytes) => [0, 1].map((at) => Array.from(bytes, (byte) => hex(byte)[at]));
