// Hex beside text, in step: the same cells on both sides.

import { explain } from "../src/index.js";
import { byId, codePoints, hex, hexes, make, shape } from "./dom.js";
import { evidence } from "./verdict.js";

const WIDTH = 16;
const LINES = 24;
/** How many bytes before a place are read, to find out what it belongs to. */
const BEFORE = 4096;

let file;
let label;
let start = 0;
let cells = [];
let chosen = 0;

/** Shows the bytes from `offset` on. */
export function showDump(of, as, offset = 0) {
  [file, label] = [of, as];
  start = Math.max(0, Math.min(Math.floor(offset / WIDTH) * WIDTH, Math.max(0, file.head.length - 1)));
  start -= start % WIDTH;
  cells = findCells();
  draw();
}

/** Returns the cells on this page: {at, len, text}. */
function findCells() {
  const end = Math.min(start + WIDTH * LINES, file.head.length);
  const begin = Math.max(0, start - BEFORE);
  const isLast = end === file.size;
  let at = begin;
  const { cells: all } = explain(label, file.head.subarray(begin, Math.min(end + 8, file.head.length)), isLast);
  const found = [];
  for (const [len, text] of all) {
    if (at + len > start && at < end) found.push({ at, len, text });
    at += len;
  }
  return found;
}

function kind(cell) {
  const isEvidence = evidence(file.verdict).some(([from, to]) => cell.at < to && cell.at + cell.len > from);
  return [cell.text === null && "bad", cell.text === 0 && "shift", isEvidence && "evidence"].filter(Boolean).join(" ");
}

function draw() {
  const lines = [];
  for (let at = start; at < Math.min(start + WIDTH * LINES, file.head.length); at += WIDTH) {
    const [bytes, texts] = [make("span"), make("span")];
    cells.forEach((cell, index) => {
      const [from, to] = [Math.max(cell.at, at), Math.min(cell.at + cell.len, at + WIDTH)];
      if (from >= to) return;
      const attributes = { class: kind(cell), "data-cell": index };
      bytes.append(make("i", attributes, hexes(file.head.subarray(from, to))), to === at + WIDTH ? "" : " ");
      if (cell.at >= at) {
        const text = cell.text === null ? "�" : cell.text === 0 ? "·" : shape(cell.text);
        texts.append(make("i", attributes, text));
      }
    });
    const offset = make("span", { class: "at" }, at.toString(16).toUpperCase().padStart(6, "0"));
    lines.push(make("div", { class: "line" }, offset, bytes, texts));
  }
  byId("dump").replaceChildren(...lines);
  byId("previous").disabled = start === 0;
  byId("next").disabled = start + WIDTH * LINES >= file.head.length;
  choose(Math.min(chosen, cells.length - 1), false);
}

function choose(index, isAsked = true) {
  chosen = Math.max(0, index);
  for (const element of byId("dump").querySelectorAll(".chosen")) element.classList.remove("chosen");
  const cell = cells[chosen];
  if (!cell || !isAsked) return;
  for (const element of byId("dump").querySelectorAll(`[data-cell="${chosen}"]`)) element.classList.add("chosen");
  const bytes = hexes(file.head.subarray(cell.at, cell.at + cell.len));
  const what =
    cell.text === null
      ? `not valid ${label}: ${reason(cell)}`
      : cell.text === 0
        ? "no text: it changes how the next bytes are read"
        : `${shape(cell.text)}, ${codePoints(cell.text)}`;
  byId("about-byte").textContent = `Byte ${cell.at} (hex ${cell.at.toString(16).toUpperCase()}): ${bytes} is ${what}.`;
}

function reason(cell) {
  const isCut = cell.at + cell.len === file.size;
  if (isCut && cell.len > 1) return "the file ends within this character";
  return cell.len === 1
    ? `no character begins or goes on with ${hex(file.head[cell.at])} here`
    : "these bytes are no character";
}

export function setUpDump() {
  const dump = byId("dump");
  dump.addEventListener("click", (event) => {
    const index = event.target.dataset?.cell;
    if (index !== undefined) choose(Number(index));
  });
  dump.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) choose(Math.max(0, Math.min(cells.length - 1, chosen + step)));
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") chooseByte(event.key === "ArrowUp" ? -WIDTH : WIDTH);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(cells.length - 1);
    else return;
    event.preventDefault();
  });
  byId("previous").addEventListener("click", () => showDump(file, label, start - WIDTH * LINES));
  byId("next").addEventListener("click", () => showDump(file, label, start + WIDTH * LINES));
  byId("go").addEventListener("change", (event) => goTo(Number(event.target.value)));
}

function chooseByte(by) {
  const at = (cells[chosen]?.at ?? start) + by;
  const index = cells.findIndex((cell) => at >= cell.at && at < cell.at + cell.len);
  if (index >= 0) choose(index);
}

/** Shows a byte and chooses it. */
export function goTo(offset) {
  if (!file || !Number.isFinite(offset)) return;
  if (offset < 0 || offset >= file.head.length) {
    const known =
      file.size > file.head.length ? "Only the first MiB of the file is shown here" : "The file ends before";
    byId("about-byte").textContent = `${known}: there is no byte ${offset}.`;
    return;
  }
  showDump(file, label, offset);
  const index = cells.findIndex((cell) => offset >= cell.at && offset < cell.at + cell.len);
  if (index >= 0) choose(index);
}
