// What is converted without a stream of its own: by the host, or by a table that was learned from the module. If neither
// can be sure, the functions here return undefined, and the module converts.

import { formOf, hostBytes, hostText } from "./host.js";
import { ByteTable, SHORT, TextTable } from "./learned.js";
import { Stream } from "./module.js";

/** How much work comes before a table is made, which takes as long as some hundreds of short values. */
const MANY = 1000;

/** A stream that is opened for one value takes as long as so many short values. */
const OPENING = 20;

/** How many tables are kept for a module: those that were asked for last. Each has 256 KiB, and a stream. */
const KEPT = 16;

// What a text begins with if more than its characters decides how it is read: a mark, the two characters that in the other
// byte order are the beginning of a declaration, and for documents what may have a label.
const DOCUMENT = /^([\s\x85]*(<|$)|\uFEFF|㰀㼀)/;
const MARKED = /^(\uFEFF|㰀㼀|$)/;

const hosts = { 8: hostText("8"), "16le": hostText("16le") };

/** Neither can be sure of anything. */
export const none = () => undefined;

/** Whether no option but those of `names` is given. */
export function hasOnly(options, names) {
  return Object.keys(options).every((name) => names.includes(name));
}

/**
 * Returns a function that is told of the length of a value, and returns the table that `make` makes after some work. All that
 * ask with the same `key` share it. An error of `make` is thrown once: then there is no table.
 */
function shared({ tables }, key, isOnce, make) {
  key = JSON.stringify(key);
  const kept = tables.get(key) ?? { work: 0 };
  tables.delete(key);
  tables.set(key, kept);
  kept.isHeld ||= !isOnce;
  if (tables.size > KEPT) {
    const [oldest, { isHeld, table }] = tables.entries().next().value;
    tables.delete(oldest);
    if (!isHeld) table?.stream.close();
  }
  return (len) => {
    if (kept.work < MANY && (kept.work += len / 256 + (isOnce ? OPENING : 1)) >= MANY) kept.table = make();
    return kept.table;
  };
}

/** Returns a function that returns the text of bytes. `isOnce`: whether it is called once. */
export function reader(module, options, isOnce) {
  const { from, as = "text", malformed = "replace", ...others } = options;
  if (typeof from !== "string" || as !== "text" || malformed !== "replace" || !hasOnly(others, [])) return none;
  const special = options.as ? MARKED : DOCUMENT;
  const host = hosts[formOf(from)];
  if (host) {
    return (bytes) => {
      const text = host(bytes);
      return text === undefined || special.test(text) ? undefined : text;
    };
  }
  // Text without errors that begins with nothing special is the same with all of these options.
  const table = shared(module, [from], isOnce, () => {
    const made = new TextTable(new Stream(module, { from, to: "UTF-8", malformed: "replace" }));
    if (made.isNamed()) return made;
    made.stream.close();
  });
  return (bytes) => table(bytes.length)?.text(bytes, special);
}

/** Returns a function that returns the bytes of a text likewise; `ask` has the options of its stream. */
export function writer(module, to, options, ask, isOnce) {
  const { bom = "auto", unmappable = "fail" } = options;
  const isText = (value) => typeof value === "string";
  if (![to, bom, unmappable].every(isText) || !hasOnly(options, ["bom", "unmappable"])) return none;
  const form = ["auto", "keep", "strip"].includes(bom) && unmappable === "fail" ? formOf(to) : undefined;
  const tableFor = shared(module, [to, bom, unmappable], isOnce, () => new ByteTable(new Stream(module, ask)));
  return (text) => {
    if (!isText(text)) return undefined;
    const byTable = () => tableFor(text.length)?.bytes(text);
    if (!form) return byTable();
    return (text.length <= SHORT ? byTable() : undefined) ?? hostBytes(form, text);
  };
}
