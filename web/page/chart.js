// The code chart of an encoding, or where two differ; and where the file has a byte.

import { chart } from "../src/index.js";
import { byId, codePoints, hex, hexes, make, visible } from "./dom.js";
import { goTo } from "./dump.js";

const HOW = "Choose a byte to see where the file has it; the arrow keys move from byte to byte.";

/** Redraws the chart. `file` may be absent. */
export function showChart(file) {
  const [a, b, lead] = ["chart-a", "chart-b", "chart-lead"].map((id) => byId(id).value.trim());
  const bytes = Uint8Array.from(lead.match(/[0-9a-f]{2}/gi) ?? [], (digits) => parseInt(digits, 16));
  const about = byId("chart-about");
  let charts;
  try {
    charts = [a, b].filter(Boolean).map((label) => chart(label, bytes));
  } catch (error) {
    about.textContent = error.message;
    return;
  }
  if (charts.length === 0) return;
  const [one, other] = charts;
  const differing = other ? one.cells.filter((cell, byte) => !same(cell, other.cells[byte])).length : 0;
  about.textContent = other
    ? `${one.codec} and ${other.codec} differ in ${differing} of 256 bytes. ${HOW}`
    : `${one.codec}. Columns are the first hex digit, rows the second. ${HOW}`;
  byId("chart").replaceChildren(table(one, other, bytes, file));
  byId("chart-differences").hidden = differing === 0;
  if (differing > 0) byId("chart-list").replaceChildren(differences(one, other, bytes, file));
}

/** Lists the bytes in which two encodings differ; first those that the file has most often. */
function differences(one, other, lead, file) {
  const bytes = one.cells.map((_, byte) => byte).filter((byte) => !same(one.cells[byte], other.cells[byte]));
  const count = file && lead.length === 0 ? (byte) => file.counts[byte] : () => 0;
  bytes.sort((a, b) => count(b) - count(a) || a - b);
  const head = make("tr", {}, ...["Byte", one.codec, other.codec, "In the file"].map((name) => make("th", { scope: "col" }, name)));
  const cell = (value) => make("td", {}, typeof value === "string" ? `${visible(value)} (${codePoints(value)})` : describe(value));
  const row = (byte) => {
    const times = file && lead.length === 0 ? `${count(byte)}` : "–";
    return make("tr", {}, make("th", { scope: "row" }, hexes([...lead, byte])), cell(one.cells[byte]), cell(other.cells[byte]), make("td", {}, times));
  };
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...bytes.map(row)));
}

const same = (a, b) => (typeof a === "string" || a === null || b === null ? a === b : b?.leads === true);

function table(one, other, lead, file) {
  const digits = [..."0123456789ABCDEF"];
  const head = make("tr", {}, make("td"), ...digits.map((digit) => make("th", { scope: "col" }, `${digit}x`)));
  const rows = digits.map((low, row) => {
    const cells = digits.map((_, column) => cell(one, other, lead, column * 16 + row, file));
    return make("tr", {}, make("th", { scope: "row" }, `x${low}`), ...cells);
  });
  const chart = make("table", { class: "chart" }, make("thead", {}, head), make("tbody", {}, ...rows));
  chart.addEventListener("keydown", move);
  return chart;
}

/** Moves with the arrow keys. The tab key stops at one cell only, and then leaves the chart. */
function move(event) {
  const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -16, ArrowRight: 16 }[event.key];
  const byte = Number(event.target.dataset.byte);
  if (!step || Number.isNaN(byte)) return;
  event.preventDefault();
  event.currentTarget.querySelector("[tabindex='0']").tabIndex = -1;
  const next = event.currentTarget.querySelector(`[data-byte="${(byte + step + 256) % 256}"]`);
  next.tabIndex = 0;
  next.focus();
}

function describe(cell) {
  if (cell === null) return "nothing";
  return typeof cell === "string" ? codePoints(cell) : "more bytes follow";
}

function face(cell) {
  if (cell === null) return "";
  if (typeof cell !== "string") return "→";
  const text = visible(cell);
  return text.length > 1 && text !== cell ? make("span", { class: "name" }, text) : text;
}

function cell(one, other, lead, byte, file) {
  const [a, b] = [one.cells[byte], other?.cells[byte]];
  const differs = other !== undefined && !same(a, b);
  const name = `${[...lead, byte].map(hex).join(" ")}: ${describe(a)}${differs ? `, in ${other.codec} ${describe(b)}` : ""}`;
  const faces = [face(a), ...(differs ? [make("small", {}, face(b) || "–")] : [])];
  const label = `${faces.map((each) => each.textContent ?? each).join("")} ${name}`;
  const onclick = () => uses(lead, byte, name, file);
  const place = { "data-byte": byte, tabindex: byte === 0 ? 0 : -1 };
  const button = make("button", { type: "button", "aria-label": label, title: name, onclick, ...place }, ...faces);
  return make("td", { class: differs && "differs" }, button);
}

/** Says how often the file has the bytes, and shows the first place. */
function uses(lead, byte, name, file) {
  const about = byId("chart-about");
  if (!file) {
    about.textContent = `${name}. There is no file yet.`;
    return;
  }
  const wanted = [...lead.filter((each) => each !== 0x0e && each !== 0x0f), byte];
  let [count, first] = [0, -1];
  for (let at = file.head.indexOf(wanted[0]); at >= 0; at = file.head.indexOf(wanted[0], at + 1)) {
    if (!wanted.every((each, index) => file.head[at + index] === each)) continue;
    count += 1;
    if (first < 0) first = at;
  }
  const where = count > 0 ? `, first at byte ${first}` : "";
  const part = file.size > file.head.length ? "The first MiB of the file" : "The file";
  const what = wanted.length > 1 ? "these bytes" : "it";
  about.textContent = `${name}. ${part} has ${what} ${count} times${where}.`;
  if (count > 0) goTo(first);
}
