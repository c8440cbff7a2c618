// Decodes plain text in a single-byte encoding without the module: the engine's own strings are UTF-16, so a table of 256
// characters is faster than the way over UTF-8.

import { current } from "./load.js";

/** The tables of each module, by label. Null if the encoding has no table. */
const tables = new WeakMap();

/** The most labels that are kept. A label has endless spellings. */
const MOST = 256;

const utf16 = new TextDecoder("utf-16le", { ignoreBOM: true });
const isLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Marks a byte that is no character. No single-byte encoding has this code. */
const NONE = 0xffff;

/** Returns the text; undefined if only the module can tell it: another option, a malformed byte, or XML. */
export function decodeByTable(bytes, options) {
  const names = Object.keys(options);
  if (!isLittle || names.length !== 1 || names[0] !== "from") return undefined;
  const table = tableOf(String(options.from));
  if (!table) return undefined;
  const units = new Uint16Array(bytes.length);
  let highest = 0;
  for (let at = 0; at < bytes.length; at++) {
    const unit = table[bytes[at]];
    units[at] = unit;
    highest |= unit === NONE ? 0x10000 : 0;
  }
  if (highest !== 0) return undefined;
  const text = utf16.decode(units);
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
  const isUnit = (cell) => cell === null || (typeof cell === "string" && cell.length === 1 && cell !== "\uFFFF");
  if (!chart.cells.every(isUnit) || !isBytewise(module, chart.codec)) return null;
  return Uint16Array.from(chart.cells, (cell) => cell?.charCodeAt(0) ?? NONE);
}

/** Returns whether each byte is a character by itself, in any newline convention. */
function isBytewise(module, codec) {
  module.bytewise ??= new Set(
    module.json(module.call("charpipe_names")).filter((one) => one.single_byte).map((one) => one.name),
  );
  return module.bytewise.has(codec) || module.bytewise.has(codec.replace(/,.*/, ""));
}
