// Hex beside text, in step: the same cells on both sides.

import { explain } from "../src/index.js";
import { byId, codePoints, hexes, make, shape } from "./dom.js";
import { evidence } from "./verdict.js";

const LINES = 24;
/** How many bytes a line has: fewer if the text beside 16 would not be on the screen. */
let width = 16;
/** How many bytes before a place are read, to find out what it belongs to. */
const BEFORE = 4096;
/** How many bytes after the page are read, for a character that the page cuts. */
const AFTER = 8;

let file;
let label;
let start = 0;
/** The part of the file that was read: its bytes, and where they begin. */
let part = { begin: 0, bytes: new Uint8Array() };
let cells = [];
let chosen = 0;
/** How many pages were asked for. A page that comes late is not shown. */
let asked = 0;

/** Shows the bytes from `offset` on, and calls `then`. What is not in the head of the file is read first. */
export function showDump(of, as, offset = 0, then = () => {}) {
  [file, label] = [of, as];
  asked += 1;
  width = matchMedia("(max-width: 36rem)").matches ? 8 : 16;
  const turn = asked;
  const first = Math.max(0, Math.min(offset, file.size - 1));
  const page = first - (first % width);
  const [begin, end] = [Math.max(0, page - BEFORE), Math.min(page + width * LINES + AFTER, file.size)];
  const show = (bytes) => {
    if (turn !== asked) return;
    [start, part] = [page, { begin, bytes }];
    cells = findCells();
    draw();
    then();
  };
  if (end <= file.head.length) return show(file.head.subarray(begin, end));
  const buffer = file.blob.slice(begin, end).arrayBuffer();
  buffer.then((buffer) => show(new Uint8Array(buffer)), cannotRead);
}

function cannotRead() {
  byId("about-byte").textContent = "The file cannot be read any more: it was changed, moved or removed.";
}

/** Returns the bytes between two positions. */
const bytesOf = (from, to) => part.bytes.subarray(from - part.begin, to - part.begin);

/** Returns the cells on this page: {at, len, text}. */
function findCells() {
  const end = start + width * LINES;
  let at = part.begin;
  const found = [];
  for (const [len, text] of explain(label, part.bytes, at + part.bytes.length === file.size).cells) {
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
  for (let at = start; at < Math.min(start + width * LINES, file.size); at += width) {
    const [bytes, texts] = [make("span"), make("span")];
    cells.forEach((cell, index) => {
      const [from, to] = [Math.max(cell.at, at), Math.min(cell.at + cell.len, at + width)];
      if (from >= to) return;
      const attributes = { class: kind(cell), "data-cell": index };
      bytes.append(make("i", attributes, hexes(bytesOf(from, to))), to === at + width ? "" : " ");
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
  byId("next").disabled = start + width * LINES >= file.size;
  choose(Math.min(chosen, cells.length - 1), false);
}

function choose(index, isAsked = true) {
  chosen = Math.max(0, index);
  for (const element of byId("dump").querySelectorAll(".chosen")) element.classList.remove("chosen");
  const cell = cells[chosen];
  if (!cell || !isAsked) return;
  for (const element of byId("dump").querySelectorAll(`[data-cell="${chosen}"]`)) element.classList.add("chosen");
  const bytes = hexes(bytesOf(cell.at, cell.at + cell.len));
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
    ? `no character begins or goes on with ${hexes(bytesOf(cell.at, cell.at + 1))} here`
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
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") chooseByte(event.key === "ArrowUp" ? -width : width);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(cells.length - 1);
    else return;
    event.preventDefault();
  });
  byId("previous").addEventListener("click", () => showDump(file, label, start - width * LINES));
  byId("next").addEventListener("click", () => showDump(file, label, start + width * LINES));
  byId("go").addEventListener("change", (event) => goTo(Number(event.target.value)));
}

function chooseByte(by) {
  const at = (cells[chosen]?.at ?? start) + by;
  const index = cells.findIndex((cell) => at >= cell.at && at < cell.at + cell.len);
  if (index >= 0) choose(index);
}

/** Shows a byte and chooses it. */
export function goTo(offset) {
  if (!file || !Number.isInteger(offset)) return;
  if (offset < 0 || offset >= file.size) {
    byId("about-byte").textContent = `There is no byte ${offset}: the file has ${file.size} bytes, from 0.`;
    return;
  }
  showDump(file, label, offset, () => {
    const index = cells.findIndex((cell) => offset >= cell.at && offset < cell.at + cell.len);
    if (index >= 0) choose(index);
  });
}
