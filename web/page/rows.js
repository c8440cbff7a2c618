// The records as a table with a row for each, and saved as CSV, JSON Lines and Arrow, like those of `charpipe rows`.

import { fields, schema } from "../src/index.js";
import { byId, make, shape } from "./dom.js";
import { quoted } from "./convert.js";

/** How many rows and columns are shown, and how many characters of a value. */
const ROWS = 1000;
const COLUMNS = 60;
const CHARACTERS = 80;
/** How many records are read before the page can react again. */
const AT_ONCE = 40;

/** The formats of the rows that are saved, with the endings of their files. Each has a button. */
const ENDINGS = { csv: "csv", jsonl: "jsonl", arrow: "arrows" };

/** What is shown: {layout, layoutName, label, shape, file, count, dataOf}. Undefined if there are no rows. */
let shown;
/** Of several tasks that were begun, only the last one goes on. */
let begun = 0;

/** Returns the names of the columns of a layout. */
export function columnsIn(layout, options) {
  const lines = schema(layout, "sqlite", options).match(/^ {2}"(?:[^"]|"")*"/gm) ?? [];
  return lines.map((line) => line.slice(3, -1).replaceAll('""', '"'));
}

/** Returns the values of a record by their columns. */
export function valuesOf(columns, { fields, type }) {
  const values = new Map(fields.map(({ name, value }) => [name, value]));
  if (type !== null) values.set("_type", type);
  return columns.map((name) => values.get(name) ?? null);
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
}

function summary({ fields, records }) {
  const { count, columns, isWhole } = shown;
  const parts = [count > ROWS ? `The first ${ROWS} of ${count} rows${isWhole ? "" : " in the first MiB"}.` : count === 1 ? "1 row." : `${count} rows.`];
  if (columns.length > COLUMNS) parts.push(`The first ${COLUMNS} of ${columns.length} columns are shown.`);
  if (fields > 0) parts.push(unreadable(fields).trim());
  if (records > 0) parts.push(`The layout does not fit ${records === 1 ? "1 record" : `${records} records`}: the command stops there.`);
  if (!isWhole) parts.push("All rows of the file are saved.");
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

/** Returns what the worker needs for all rows of the file, and the name of the output. */
export function rowsJob(format) {
  const { layout, label, shape, file } = shown;
  return { file: file.blob, layout, options: { from: label, records: shape, onBad: "null", format }, name: rowsName(file.name, ENDINGS[format]) };
}

const unreadable = (count) => (count > 0 ? ` ${count === 1 ? "1 field" : `${count} fields`} cannot be read: empty here.` : "");

/** Says what became of the rows. */
export function rowsSaved({ cancelled, failure, report }, name) {
  const rows = report && (report.rows === 1 ? "1 row was" : `${report.rows} rows were`);
  byId("rows-about").textContent = cancelled
    ? "Cancelled. Nothing was saved."
    : failure
      ? `Error: ${failure.message}. Nothing was saved.`
      : `${rows} written to ${name}.${unreadable(report.nulls)}`;
}

export function setUpRows(copy, save) {
  for (const format of Object.keys(ENDINGS)) byId(`rows-${format}`).addEventListener("click", () => save(format));
  byId("rows-copy").addEventListener("click", () => copy("rows-command", "rows-about"));
}
