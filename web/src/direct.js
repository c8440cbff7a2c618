// What is converted without a stream of its own: by the host, or by a table that was learned from the module. If neither
// can be sure, the functions here return undefined, and the module converts.

import { formOf, hostBytes, hostText } from "./host.js";
import { ByteTable, TextTable } from "./learned.js";
import { Stream } from "./module.js";

/** How much work comes before a table is made, which takes as long as some hundreds of short values. */
const MANY = 1000;

/** How many tables are kept for a module, of 256 KiB each: the last ones. */
const KEPT = 16;

/** Up to so many characters, a table takes less time than the host. */
const FEW = 64;

/** What a document begins with that may have a label, or a mark, and what a text begins with that has a mark. */
const DOCUMENT = /^[\s\x85]*(<|$)|^\uFEFF/;
const MARKED = /^(\uFEFF|$)/;

const hosts = { 8: hostText("8"), "16le": hostText("16le") };

/** Neither can be sure of anything. */
export const none = () => undefined;

/** Whether no option but those of `names` is given. */
export function hasOnly(options, names) {
  return Object.keys(options).every((name) => names.includes(name));
}

/**
 * Returns a function that returns a table that `make` makes after `MANY` units of work, of which it is told with each
 * call. All that ask with the same `key` share it.
 */
function shared({ tables }, key, make) {
  key = JSON.stringify(key);
  const kept = tables.get(key) ?? { work: 0 };
  if (kept.work === 0) {
    tables.set(key, kept);
    if (tables.size > KEPT) tables.delete(tables.keys().next().value);
  }
  return (work) => {
    if (kept.work < MANY && (kept.work += work) >= MANY) kept.table = make();
    return kept.table;
  };
}

/** Returns a function that returns the text of bytes. `work` is what a call costs otherwise, beside its length. */
export function reader(module, options, work) {
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
  const table = shared(module, [from], () => {
    const made = new TextTable(new Stream(module, { from, to: "UTF-8", malformed: "replace" }));
    return made.isNamed() ? made : undefined;
  });
  return (bytes) => table(work + bytes.length / 256)?.text(bytes, special);
}

/** Returns a function that returns the bytes of a text; `ask` has the options of its stream. */
export function writer(module, to, options, ask, work) {
  const { bom = "auto", unmappable } = options;
  const isText = (value) => typeof value === "string";
  if (![to, bom, unmappable ?? ""].every(isText) || !hasOnly(options, ["bom", "unmappable"])) return none;
  const isPlain = unmappable === undefined && ["auto", "keep", "strip"].includes(bom);
  const form = isPlain ? formOf(to) : undefined;
  const tableFor = shared(module, [to, bom, unmappable], () => new ByteTable(new Stream(module, ask)));
  return (text) => {
    if (!isText(text)) return undefined;
    const table = tableFor(work + text.length / 256);
    const bytes = form && !(table && text.length <= FEW) ? hostBytes(form, text) : undefined;
    return bytes ?? table?.bytes(text);
  };
}
