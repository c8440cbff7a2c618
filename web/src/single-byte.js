// Decodes plain text of Latin letters in a single-byte encoding without the module, in Node: there a string can be
// made of Latin-1 bytes at the speed of a copy. The result is that of the module.

import { current } from "./load.js";

/** The tables of each module, by label. Null if the encoding has no table. */
const tables = new WeakMap();

/** The most labels that are kept. A label has endless spellings. */
const MOST = 256;

/** Marks a byte that is no character, or none of Latin-1. */
const NONE = 0x100;

/** How many bytes are converted at a time. New memory for all of them would take longer than converting them. */
const BLOCK = 64 * 1024;
let block;

/**
 * Returns the text; undefined if only the module can tell it: another host or option, other characters, malformed
 * bytes, XML.
 */
export function decodeByTable(bytes, options) {
  const names = Object.keys(options);
  if (!globalThis.Buffer?.prototype.latin1Slice || names.length !== 1 || names[0] !== "from") return undefined;
  const table = tableOf(String(options.from));
  if (!table) return undefined;
  block ??= Buffer.alloc(BLOCK);
  let text = "";
  for (let begin = 0; begin < bytes.length; begin += BLOCK) {
    const len = Math.min(BLOCK, bytes.length - begin);
    let all = 0;
    for (let at = 0; at < len; at++) {
      const unit = table[bytes[begin + at]];
      block[at] = unit;
      all |= unit;
    }
    if (all >= NONE) return undefined;
    text += block.latin1Slice(0, len);
  }
  // The label of XML has to be corrected.
  return /^\s*<\?xml/.test(text) ? undefined : text;
}

function tableOf(label) {
  const module = current();
  let known = tables.get(module);
  if (!known) tables.set(module, (known = new Map()));
  let table = known.get(label);
  if (table === undefined) {
    table = makeTable(module, label);
    if (known.size < MOST) known.set(label, table);
  }
  return table;
}

function makeTable(module, label) {
  let chart;
  try {
    chart = module.withText(label, (text) => module.json(module.call("charpipe_chart", text, 0, 0)));
  } catch {
    // The module has the error.
    return null;
  }
  if (!chart.single_byte) return null;
  const isLatin = (cell) => typeof cell === "string" && cell.length === 1 && cell <= "\xFF";
  return Uint16Array.from(chart.cells, (cell) => (isLatin(cell) ? cell.charCodeAt(0) : NONE));
}
