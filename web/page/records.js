// The records of a file, with a ruler over their columns.

import { join } from "./join.js";
import { records, sniff } from "../src/index.js";
import { ruler, texts } from "./columns.js";
import { byId, make } from "./dom.js";
import { currentLayout, layoutShape, showFields } from "./fields.js";
import { showRows } from "./rows.js";

const SHOWN = 100;
const WIDEST = 400;

/** The format that the layout suggested last. */
let suggested = "";
/** The records that are shown: their pieces, the file, and the encoding. */
let shown = { pieces: [] };

/** Finds out which record formats fit, and fills in the only one, or else that of the layout. */
export function findRecords(file) {
  const isWhole = file.size === file.head.length;
  const found = sniff(file.head, isWhole).filter((one) => one.survives);
  byId("shapes").replaceChildren(...found.map((one) => make("option", { value: one.shape })));
  byId("shape").value = found.length === 1 ? found[0].shape : "";
  byId("record").value = "1";
  file.shapes = found;
  suggestShape();
}

/** Fills in the format that the layout suggests, if nobody named another one. */
export function suggestShape() {
  const input = byId("shape");
  if (!["", suggested].includes(input.value.trim())) return;
  suggested = layoutShape();
  input.value = suggested;
}

/** Shows the records. */
export function showRecords(file, label) {
  const [about, list] = [byId("records-about"), byId("records-list")];
  const wanted = byId("shape").value.trim();
  list.replaceChildren();
  shown = { pieces: [], file, label };
  showFields(null);
  showRows();
  if (!wanted) {
    const fitting = file.shapes.map((one) => one.shape).join(", ");
    about.textContent = fitting
      ? `Several formats fit: ${fitting}.`
      : "The file has no record format that can be told from its bytes. If it has records, name the format: fb:80 for 80 bytes each.";
    return;
  }
  let found;
  try {
    found = records(wanted, file.head, file.size === file.head.length);
  } catch (error) {
    about.textContent = error.message;
    return;
  }
  const lengths = found.records.map((pieces) => pieces.reduce((sum, [, len]) => sum + len, 0));
  const [least, most] = [Math.min, Math.max].map((of) => of(...lengths.slice(0, 1e5)));
  const range = lengths.length === 0 ? "" : least === most ? ` of ${most} bytes` : `, ${least} to ${most} bytes long`;
  const why = file.shapes.find((one) => one.shape === wanted)?.why.join("; ");
  const failure = found.error ? ` ${capital(found.error.message)} (byte ${found.error.offset}).` : "";
  const part = file.size > file.head.length ? " in the first MiB" : "";
  const count = lengths.length === 1 ? "1 record" : `${lengths.length} records`;
  about.textContent = `${count}${range}${part}.${why ? ` Evidence: ${why}.` : ""}${failure}`;
  const widest = Math.min(WIDEST, Math.max(0, ...lengths.slice(0, SHOWN)));
  [shown.pieces, shown.error] = [found.records, found.error];
  const lines = found.records.slice(0, SHOWN).map((_, index) => {
    const text = texts(label, dataOf(index).subarray(0, WIDEST)).join("");
    return line({ "data-record": index + 1 }, `${index + 1}`.padStart(6), `${lengths[index]}`.padStart(6), text);
  });
  list.replaceChildren(line({}, "record", "length", ruler(widest)), ...lines);
  if (found.records.length > SHOWN) list.append(make("p", {}, `… and ${found.records.length - SHOWN} more`));
  showRecord();
  const isWhole = file.size === file.head.length;
  showRows({ ...currentLayout(), label, shape: wanted, file, isWhole, count: found.records.length, dataOf });
}

/** Returns the record format, if all of the file fits it. */
export const shapeInUse = () => (shown.pieces.length > 0 && !shown.error ? byId("shape").value.trim() : "");

/** Shows the fields of the record that is chosen. */
function showRecord() {
  const { pieces, label } = shown;
  const number = Math.max(1, Math.min(Math.trunc(Number(byId("record").value)) || 1, pieces.length));
  for (const line of byId("records-list").querySelectorAll("[data-record]")) {
    line.classList.toggle("chosen", line.dataset.record === String(number));
  }
  if (pieces.length === 0) return;
  byId("record").value = number;
  showFields({ number, bytes: dataOf(number - 1), label });
}

export function setUpRecords() {
  byId("record").addEventListener("change", showRecord);
  byId("records-list").addEventListener("click", (event) => {
    const number = event.target.closest("[data-record]")?.dataset.record;
    if (!number) return;
    byId("record").value = number;
    showRecord();
  });
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

const line = (attributes, number, len, text) =>
  make("div", { class: "record", ...attributes }, make("b", {}, `${number} ${len}  `), text);

/** Returns the bytes of a record. */
const dataOf = (index) => join(shown.pieces[index].map(([at, len]) => shown.file.head.subarray(at, at + len)));

