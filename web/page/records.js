// The records of a file, with a ruler over their columns.

import { explain, records, sniff } from "../src/index.js";
import { byId, make, shape } from "./dom.js";

const SHOWN = 100;
const WIDEST = 400;

/** Finds out which record formats fit, and fills in the only one. */
export function findRecords(file) {
  const isWhole = file.size === file.head.length;
  const found = sniff(file.head, isWhole).filter((one) => one.survives);
  byId("shapes").replaceChildren(...found.map((one) => make("option", { value: one.shape })));
  byId("shape").value = found.length === 1 ? found[0].shape : "";
  file.shapes = found;
}

/** Shows the records. */
export function showRecords(file, label) {
  const [about, list] = [byId("records-about"), byId("records-list")];
  const wanted = byId("shape").value.trim();
  list.replaceChildren();
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
  const range =
    lengths.length > 0
      ? `, ${Math.min(...lengths.slice(0, 1e5))} to ${Math.max(...lengths.slice(0, 1e5))} bytes long`
      : "";
  const why = file.shapes.find((one) => one.shape === wanted)?.why.join("; ");
  const failure = found.error ? ` ${found.error.message} (byte ${found.error.offset}).` : "";
  const part = file.size > file.head.length ? " in the first MiB" : "";
  about.textContent = `${lengths.length} records${part}${range}.${why ? ` Evidence: ${why}.` : ""}${failure}`;
  const widest = Math.min(WIDEST, Math.max(0, ...lengths.slice(0, SHOWN)));
  const lines = found.records.slice(0, SHOWN).map((pieces, index) => {
    const data = join(pieces.map(([at, len]) => file.head.subarray(at, at + len))).subarray(0, WIDEST);
    return line(`${index + 1}`.padStart(6), `${lengths[index]}`.padStart(6), textOf(label, data));
  });
  list.replaceChildren(line("record", "length", ruler(widest)), ...lines);
  if (found.records.length > SHOWN) list.append(make("p", {}, `… and ${found.records.length - SHOWN} more`));
}

const line = (number, len, text) => make("div", { class: "record" }, make("b", {}, `${number} ${len}  `), text);

/** Columns from 1: ----+----1----+----2 */
function ruler(len) {
  return Array.from({ length: len }, (_, at) =>
    (at + 1) % 10 === 0 ? ((at + 1) / 10) % 10 : (at + 1) % 5 === 0 ? "+" : "-",
  ).join("");
}

/** A character for each byte, so that columns keep their places. */
function textOf(label, data) {
  return explain(label, data)
    .cells.map(([len, text]) => (text ? shape(text).padEnd(len) : "·".repeat(len)))
    .join("");
}

function join(pieces) {
  if (pieces.length === 1) return pieces[0];
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
