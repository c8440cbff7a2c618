// The fields of a record: a copybook or a field list, laid over its bytes.

import { convert, detect, fields } from "../src/index.js";
import { hexLines, ruler, texts } from "./columns.js";
import { byId, hexes, make, shape } from "./dom.js";

/** A page with double bytes: every kind of field can be read in it. */
const ANY_PAGE = "IBM939";
/** The longest layout, in bytes. */
const LONGEST = 16 * 1024 * 1024;
/** How much is shown: columns of the record, fields, and bytes and characters of each. */
const COLUMNS = 400;
const FIELDS = 1000;
const BYTES = 24;
const CHARACTERS = 200;

/** The layout, as bytes or as text; empty if there is none. It stays in this page. */
let layout = "";
/** The name of its file, if it came from one. */
let layoutName = "LAYOUT";
/** The record that is shown: its lines in columns, and its fields. */
let lines = [];
let found = [];

/** Tells the layout from the data among files that were dropped: by their names, or by where they were dropped. */
export function tellApart(files, isOnLayout) {
  const named = files.find((file) => /\.(cpy|cbl|cob|copybook|fields)$/i.test(file.name));
  const layout = named ?? (isOnLayout ? files[0] : undefined);
  return { layout, data: files.find((file) => file !== layout) };
}

/** Returns the record format that the layout suggests: records of its length, if all have the same one. */
export function layoutShape() {
  if (layout.length === 0) return "";
  const [shortest, longest] = look(layout).lengths;
  return longest > 0 && shortest === longest ? `fb:${longest}` : "";
}

/** Reads a layout without a record. */
const look = (layout) => fields(layout, new Uint8Array(), { from: ANY_PAGE });

/** Reads the layout in a file, and calls `changed`. */
export async function openLayout(file, changed) {
  if (file.size > LONGEST) return say(`“${file.name}” is longer than a layout can be.`, true);
  try {
    const { bytes, from } = inUtf8(new Uint8Array(await file.arrayBuffer()));
    byId("layout").value = new TextDecoder().decode(bytes);
    setLayout(bytes, changed, file.name, from && ` The file is in ${from}; for the command, convert it to UTF-8 first.`);
  } catch {
    say(`The file “${file.name}” cannot be read.`, true);
  }
}

/** Returns the layout and its name. */
export const currentLayout = () => ({ layout, layoutName });

/** Returns a layout in UTF-8. One in EBCDIC usually has lines of 80 bytes, without newlines. */
export function inUtf8(bytes) {
  if (detect(bytes).looks !== "ebcdic") return { bytes };
  const from = detect(bytes, { guess: true }).codec ?? "IBM037";
  const hasNewlines = bytes.includes(0x15) || bytes.includes(0x25);
  const isCards = bytes.length % 80 === 0 && !hasNewlines;
  const options = isCards ? { records: "fb:80" } : { ebcdicNl: "fold", eol: "lf" };
  return { bytes: convert(bytes, { from, as: "text", ...options }).bytes, from };
}

function setLayout(given, changed, name = "LAYOUT", note = "") {
  [layout, layoutName] = [given, name];
  try {
    say(layout.length > 0 ? describe(look(layout)) + note : "", false);
  } catch (error) {
    say(`The layout has an error: ${error.message}`, true);
    layout = "";
  }
  changed();
}

function describe({ record, lengths: [shortest, longest] }) {
  const len = shortest === longest ? longest : `${shortest} to ${longest}`;
  return `The records of the layout${record ? ` ${record}` : ""} have ${len} bytes.`;
}

function say(text, isProblem) {
  const about = byId("layout-about");
  about.textContent = text;
  about.hidden = !text;
  about.classList.toggle("problem", isProblem);
}

/** Shows the fields of a record: {number, bytes, label}; nothing if it is null, or if there is no layout. */
export function showFields(record) {
  const isShown = record !== null && layout.length > 0;
  byId("fields").hidden = !isShown;
  [lines, found] = [[], []];
  byId("fields-list").replaceChildren();
  byId("fields-columns").replaceChildren();
  if (!isShown) return;
  const { number, bytes, label } = record;
  let read;
  try {
    read = fields(layout, bytes, { from: label, filler: true, onBad: "null" });
  } catch (error) {
    byId("fields-about").textContent = error.message;
    return;
  }
  found = read.fields.slice(0, FIELDS).map((field) => ({
    ...field,
    isBad: field.error !== null,
    bytes: bytes.subarray(field.offset, field.offset + field.length),
  }));
  const head = bytes.subarray(0, COLUMNS);
  lines = [[...ruler(head.length)], texts(label, head), ...hexLines(head)];
  byId("fields-about").textContent = summary(read, number, bytes.length);
  byId("fields-list").replaceChildren(table());
  drawColumns();
}

/** Says what is wrong with the record as a whole. */
export function summary({ codec, type, length, fields, cut, error }, number, len) {
  const bad = fields.filter((field) => field.error).length;
  const size = len === 1 ? "1 byte" : `${len} bytes`;
  const parts = [`Record ${number} in ${codec}${type ? `, of the type ${type}` : ""}: ${size}.`];
  if (bad > 0) parts.push(`${bad} of ${fields.length} fields cannot be read.`);
  if (error?.code === "longer-than-layout") parts.push(`The layout describes only ${length} of them.`);
  else if (error) parts.push(`The fields after ${error.field} cannot be found: ${error.message}.`);
  if (cut || fields.length > FIELDS) parts.push(`Only the first ${FIELDS} fields are shown.`);
  return parts.join(" ");
}

/** What is shown as the value of a field. */
export function valueOf({ kind, value, error }) {
  if (error) return error.message;
  if (value === null) return "none";
  const text = value.length > CHARACTERS ? `${value.slice(0, CHARACTERS)}…` : value;
  return /^(text|graphic)/.test(kind) ? `“${shape(text)}”` : text;
}

/** Returns the columns of a field, as the ruler counts them. */
export const columnsOf = ({ offset, length }) =>
  length === 1 ? `${offset + 1}` : `${offset + 1}–${offset + length}`;

function table() {
  const names = ["Field", "Columns", "Kind", "Bytes", "Value"];
  const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
  const rows = found.map((field, index) => {
    const { name, kind, picture, bytes, isBad } = field;
    const place = { type: "button", "data-field": index, tabindex: index === 0 ? 0 : -1 };
    const shown = hexes(bytes.subarray(0, BYTES)) + (bytes.length > BYTES ? " …" : "");
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("button", { ...place, onclick: () => choose(index) }, name)),
      make("td", {}, columnsOf(field)),
      make("td", { title: picture }, kind),
      make("td", { class: "hex" }, shown),
      make("td", {}, make("span", { class: isBad ? "bad" : "value" }, valueOf(field))),
    );
  });
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
}

/** Draws the record in columns, with those of the chosen field marked. */
function drawColumns(chosen = { offset: 0, length: 0 }) {
  const [from, to] = [chosen.offset, chosen.offset + chosen.length];
  const marked = (line) => [
    line.slice(0, from).join(""),
    ...(to > from ? [make("i", { class: "chosen" }, line.slice(from, to).join(""))] : []),
    line.slice(to).join(""),
  ];
  byId("fields-columns").replaceChildren(...lines.map((line) => make("div", { class: "record" }, ...marked(line))));
}

function choose(index) {
  const field = found[index];
  const list = byId("fields-list");
  list.querySelector("[tabindex='0']").tabIndex = -1;
  list.querySelector(".chosen")?.classList.remove("chosen");
  const button = list.querySelector(`[data-field="${index}"]`);
  button.tabIndex = 0;
  button.focus();
  button.closest("tr").classList.add("chosen");
  drawColumns(field);
  const columns = `${field.length === 1 ? "column" : "columns"} ${columnsOf(field)}`;
  byId("fields-chosen").textContent = `${field.name}, ${columns}: ${valueOf(field)}`;
}

export function setUpLayout(changed) {
  byId("layout").addEventListener("input", ({ target }) => setLayout(target.value.trim() && target.value, changed));
  byId("layout-file").addEventListener("change", ({ target: { files } }) => files[0] && openLayout(files[0], changed));
  // The tab key stops at one field only; the arrow keys move from field to field.
  byId("fields-list").addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const index = Number(event.target.dataset.field);
    if (!step || Number.isNaN(index)) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(found.length - 1, index + step)));
  });
}
