// The records as a table with a row for each, and as CSV and JSON Lines, like those of `charpipe rows`.

import { fields, schema } from "../src/index.js";
import { byId, make, shape } from "./dom.js";
import { download, quoted } from "./convert.js";

/** How many rows and columns are shown, and how many characters of a value. */
const ROWS = 1000;
const COLUMNS = 60;
const CHARACTERS = 80;
/** How many records are read before the page can react again. */
const AT_ONCE = 40;

/** What is shown: {layout, layoutName, label, shape, file, count, dataOf}. Undefined if there are no rows. */
let shown;
/** Of several tasks that were begun, only the last one goes on. */
let begun = 0;

/** Returns the names of the columns of a layout. */
export function columnsIn(layout, options) {
  const lines = schema(layout, "sqlite", options).match(/^ {2}"(?:[^"]|"")*"/gm) ?? [];
  return lines.map((line) => line.slice(3, -1).replaceAll('""', '"'));
}

/** Returns a line of CSV. A line that would be empty is `""`, because many programs skip empty lines. */
export function csvLine(values) {
  const word = (value) => (/[",\r\n]/.test(value ?? "") ? `"${value.replaceAll('"', '""')}"` : (value ?? ""));
  return `${values.map(word).join(",") || '""'}\n`;
}

/** Returns the values of a record by their columns. */
export function valuesOf(columns, { fields, type }) {
  const values = new Map(fields.map(({ name, value }) => [name, value]));
  if (type !== null) values.set("_type", type);
  return columns.map((name) => values.get(name) ?? null);
}

/**
 * Returns a line of JSON for a record. Groups become objects, arrays arrays, and numbers are written as they are. An array
 * without elements has no fields, so its place comes from the columns.
 */
export function jsonLine(columns, { fields, type }) {
  const found = new Map(fields.map(({ name, kind, value }) => [name, json(kind, value)]));
  if (type !== null) found.set("_type", JSON.stringify(type));
  const row = new Map();
  for (const name of columns) {
    const value = found.get(name);
    // A record of one type does not have the groups of the others.
    if (value === undefined && type !== null) continue;
    const steps = name.match(/[^.[\]]+|\[\d+\]/g).map((step) => (step[0] === "[" ? Number(step.slice(1, -1)) - 1 : step));
    let place = row;
    for (let at = 0; at < steps.length && place; at++) {
      const made = at + 1 === steps.length ? value : typeof steps[at + 1] === "number" ? [] : new Map();
      place = enter(place, steps[at], made, value !== undefined);
    }
  }
  return `${written(row)}\n`;
}

/** Returns what is at a step, which becomes `made` if there is nothing. Only a value makes an element of an array. */
function enter(place, step, made, isValue) {
  if (place instanceof Map) {
    if (!place.has(step) && made !== undefined) place.set(step, made);
    return place.get(step);
  }
  if (isValue) place[step] ??= made;
  return place[step];
}

/** Returns a value as JSON. Numbers are copied as they are written. */
function json(kind, value) {
  const isNumber = !/^(text|graphic|raw)/.test(kind) && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(value ?? "");
  return isNumber ? value : JSON.stringify(value);
}

function written(part) {
  if (typeof part === "string") return part;
  if (Array.isArray(part)) return `[${Array.from(part, (one) => (one === undefined ? "null" : written(one))).join(",")}]`;
  return `{${[...part].map(([name, one]) => `${JSON.stringify(name)}:${written(one)}`).join(",")}}`;
}

/** Reads the records, and calls `give` with the fields of each. Returns false if another task was begun meanwhile. */
async function read(count, progressed, give) {
  begun += 1;
  const [turn, { layout, label, dataOf }] = [begun, shown];
  for (let index = 0; index < count; index++) {
    if (index % AT_ONCE === 0) {
      progressed(index);
      await new Promise((done) => setTimeout(done));
      if (turn !== begun) return false;
    }
    give(fields(layout, dataOf(index), { from: label, onBad: "null" }));
  }
  return true;
}

/** Shows the rows of the records; nothing if `records` is undefined, or if it has no layout. */
export async function showRows(records) {
  begun += 1;
  shown = records?.count > 0 && records.layout.length > 0 ? records : undefined;
  byId("rows").hidden = !shown;
  byId("rows-table").replaceChildren();
  if (!shown) return;
  const about = byId("rows-about");
  const wanted = Math.min(ROWS, shown.count);
  const [rows, problems] = [[], { fields: 0, records: 0 }];
  try {
    shown.columns = columnsIn(shown.layout, { from: shown.label });
    const progressed = (done) => (about.textContent = `Reading ${done} of ${wanted} rows …`);
    const isDone = await read(wanted, progressed, (record) => {
      rows.push(valuesOf(shown.columns, record));
      problems.fields += record.fields.filter(({ error }) => error).length;
      if (record.error) problems.records += 1;
    });
    if (!isDone) return;
  } catch (error) {
    begun += 1;
    about.textContent = error.message;
    return;
  }
  shown.problems = problems;
  about.textContent = summary(problems);
  byId("rows-command").textContent = rowsCommand(shown);
  byId("rows-table").replaceChildren(table(rows));
  // A part of a file would look like the whole.
  for (const id of ["rows-csv", "rows-jsonl"]) byId(id).hidden = !shown.isWhole;
}

function summary({ fields, records }) {
  const { count, columns, isWhole } = shown;
  const parts = [count > ROWS ? `The first ${ROWS} of ${count} rows${isWhole ? "" : " in the first MiB"}.` : count === 1 ? "1 row." : `${count} rows.`];
  if (columns.length > COLUMNS) parts.push(`The first ${COLUMNS} of ${columns.length} columns are shown.`);
  if (fields > 0) parts.push(`${fields === 1 ? "1 field" : `${fields} fields`} cannot be read: empty here.`);
  if (records > 0) parts.push(`The layout does not fit ${records === 1 ? "1 record" : `${records} records`}: the command stops there.`);
  if (!isWhole) parts.push("The file is too large to be saved as rows here; the command reads all of it.");
  return parts.join(" ");
}

function table(rows) {
  const names = shown.columns.slice(0, COLUMNS);
  const head = make("tr", {}, make("th", { scope: "col" }, "#"), ...names.map((name) => make("th", { scope: "col" }, name)));
  const cell = (value) => make("td", { class: value === null && "none" }, cut(shape(value ?? "–")));
  const line = (values, at) => make("tr", {}, make("th", { scope: "row" }, `${at + 1}`), ...values.slice(0, COLUMNS).map(cell));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows.map(line)));
}

const cut = (text) => (text.length > CHARACTERS ? `${text.slice(0, CHARACTERS)}…` : text);

/** Writes the command line that makes the same rows. */
export function rowsCommand({ layoutName, label, shape, file, problems }) {
  const bad = problems.fields > 0 ? ["--on-bad", "null"] : [];
  const name = file.name.startsWith("-") ? `./${file.name}` : file.name;
  const words = ["--layout", layoutName, "--from", label, "--records", shape, ...bad, "-o", rowsName(name, "csv"), name];
  return `charpipe rows ${words.map(quoted).join(" ")}`;
}

const rowsName = (name, ending) => `${name.replace(/(?<=[^/])\.[^./]*$/, "")}.${ending}`;

/** Saves all rows. */
async function save(ending) {
  const about = byId("rows-about");
  const { columns, count, file } = shown;
  const lines = ending === "csv" ? [csvLine(columns)] : [];
  const line = (record) => (ending === "csv" ? csvLine(valuesOf(columns, record)) : jsonLine(columns, record));
  const progressed = (done) => (about.textContent = `Writing ${done} of ${count} rows …`);
  if (!(await read(count, progressed, (record) => lines.push(line(record))))) return;
  const name = rowsName(file.name, ending);
  about.textContent = `${count} rows were written to ${name}.`;
  download(new Blob(lines), name);
}

export function setUpRows(copy) {
  byId("rows-csv").addEventListener("click", () => save("csv"));
  byId("rows-jsonl").addEventListener("click", () => save("jsonl"));
  byId("rows-copy").addEventListener("click", () => copy("rows-command", "rows-about"));
}
