// Text that was once decoded with the wrong charset: what it would become, with what changes marked.

import { convertHead, textOf } from "./convert.js";
import { byId, make, shape } from "./dom.js";

/** How much of the file is looked at, and how many characters are shown on each side. */
const LOOKED = 64 * 1024;
const AROUND = 24;

/** Shows the repairs in a file that is read in `label`; nothing if there are none, or no file. */
export function showMojibake(file, label, options) {
  const repairs = !file || options.mojibake || options.records ? undefined : findRepairs(file, label);
  byId("mojibake").hidden = !repairs;
  byId("mojibake-list").replaceChildren();
  if (!repairs) return;
  const { count, first, lines } = repairs;
  const part = file.size > LOOKED ? "The first 64 KiB have" : "The text has";
  const places = count === 1 ? "1 place" : `${count} places`;
  const shown = count > first.length ? ` The first ${first.length}:` : "";
  byId("mojibake-about").textContent = `${part} ${places} that look decoded with the wrong charset once before.${shown}`;
  byId("mojibake-list").replaceChildren(...first.map((repair) => make("li", {}, ...marked(repair, lines))));
}

/** Returns {count, first, lines}, or undefined if nothing would be repaired. */
function findRepairs(file, label) {
  const head = file.head.subarray(0, LOOKED);
  const asIs = { from: label, malformed: "replace", relabel: "never", as: "text" };
  const { report } = convertHead(head, head.length === file.size, { ...asIs, mojibake: "repair" });
  if (!report?.mojibake?.count) return undefined;
  return { ...report.mojibake, lines: textOf(head, asIs).split(/\r\n|[\r\n]/) };
}

/** Returns the place of a repair, and the text around it, with what was there and what it becomes. */
function marked({ line, column, before, after }, lines) {
  const text = Array.from(lines[line - 1] ?? "");
  const [from, to] = [column - 1, column - 1 + Array.from(before).length];
  const change = [make("del", {}, shape(before)), make("ins", {}, shape(after))];
  const place = `Line ${line}, column ${column}: `;
  // Ends of lines that are counted differently are no reason to show the wrong text.
  if (text.slice(from, to).join("") !== before) return [place, ...change];
  const part = (begin, end) => shape(text.slice(Math.max(0, begin), end).join(""));
  return [place, part(from - AROUND, from), ...change, part(to, to + AROUND)];
}
