// The page: takes a file, and keeps all its parts in step.

import { detect, load, names, version } from "../src/index.js";
import { showChart } from "./chart.js";
import {
  changes,
  chosenOptions,
  commandLine,
  choosePlace,
  download,
  fromFragment,
  outputName,
  runInWorker,
  setOptions,
  setUpOptions,
  showPreview,
  toFragment,
} from "./convert.js";
import { byId, make } from "./dom.js";
import { setUpDump, showDump } from "./dump.js";
import { currentLayout, openLayout, setUpLayout, tellApart } from "./fields.js";
import { showMojibake } from "./mojibake.js";
import { findRecords, setUpRecords, shapeInUse, showRecords, suggestShape } from "./records.js";
import { rowsJob, rowsSaved, setUpRows } from "./rows.js";
import { showVerdict } from "./verdict.js";

/** How many bytes of a file are looked at. The rest is read only to convert it. */
const HEAD = 1024 * 1024;

/** "Hello, world! [é]" with a z/OS newline, in IBM1047. */
const SAMPLE = "C8 85 93 93 96 6B 40 A6 96 99 93 84 5A 40 AD 51 BD 15";

let module;
let file;
/** How many files were opened, and whether one is being converted. */
let opened = 0;
let isRunning = false;

async function start() {
  const packed = Uint8Array.from(atob(byId("wasm").textContent), (ch) => ch.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  module = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
  byId("wasm").remove();
  await load(module);
  byId("version").textContent = version();
  const options = names().map(({ name, description }) => make("option", { value: name, label: description || name }));
  byId("encodings").replaceChildren(...options);
  setUpOptions(optionsChanged);
  setUpDump();
  setUpLayout(layoutChanged);
  setUpRecords();
  setUpRows(copy, saveRows);
  setUpInput();
  setUpFields();
  setOptions(fromFragment(location.hash));
  window.addEventListener("hashchange", () => {
    setOptions(fromFragment(location.hash));
    refresh();
  });
  optionsChanged();
  showChart();
  document.documentElement.dataset.ready = "true";
}

function setUpInput() {
  const drop = byId("drop");
  byId("file").addEventListener("change", (event) => event.target.files[0] && open(event.target.files[0]));
  for (const type of ["dragover", "dragenter"]) {
    document.addEventListener(type, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  document.addEventListener("dragleave", () => drop.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const { layout, data } = tellApart([...event.dataTransfer.files], byId("layout-box").contains(event.target));
    if (layout) openLayout(layout, layoutChanged);
    if (data) open(data);
  });
  byId("paste-text").addEventListener("click", () => open(new File([byId("paste").value], "pasted.txt")));
  byId("paste-hex").addEventListener("click", openHex);
  byId("sample").addEventListener("click", () => {
    byId("paste").value = SAMPLE;
    openHex();
  });
}

function openHex() {
  const digits = byId("paste")
    .value.replace(/0x/gi, "")
    .replace(/[\s,:-]/g, "");
  if (!/^([0-9a-f]{2})*$/i.test(digits)) {
    const at = digits.search(/[^0-9a-f]/i);
    return problem(at < 0 ? "An odd number of hex digits: one is missing." : `“${digits[at]}” is not a hex digit.`);
  }
  return open(new File([Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16))], "pasted.bin"));
}

function problem(message) {
  byId("problem").textContent = message;
  byId("problem").hidden = !message;
}

/** Opens a file and shows everything about it. */
async function open(blob) {
  opened += 1;
  const turn = opened;
  await show(blob, turn);
  // Tests wait for this.
  document.documentElement.dataset.opened = String(turn);
}

/** Reads the beginning of a file, and shows it unless another one was opened meanwhile. */
async function show(blob, turn) {
  problem("");
  let head;
  try {
    head = new Uint8Array(await blob.slice(0, HEAD).arrayBuffer());
  } catch {
    return problem(`The file “${blob.name}” cannot be read. If it is a folder, open one of its files.`);
  }
  if (turn !== opened) return;
  const counts = new Array(256).fill(0);
  for (const byte of head) counts[byte] += 1;
  file = { blob, name: blob.name, size: blob.size, head, counts };
  byId("run").disabled = false;
  for (const id of ["verdict", "bytes", "records"]) byId(id).hidden = false;
  findRecords(file);
  refresh();
  showChart(file);
  byId("verdict").focus({ preventScroll: true });
}

/** Options that concern detection. */
function detectionOptions() {
  const wanted = ["from", "fallback", "ebcdic-fallback", "guess", "as", "content-type", "policy", "prescan"];
  return Object.fromEntries(Object.entries(chosenOptions()).filter(([name]) => wanted.includes(name)));
}

/** Redraws everything from the file and the options. */
function refresh() {
  byId("command").textContent = commandLine(chosenOptions(), file?.name ?? "FILE");
  if (!file) return;
  try {
    const options = detectionOptions();
    file.verdict = detect(file.head, options);
    // What statistics would say, even if the user did not ask.
    file.guess = detect(file.head, { ...options, guess: true });
    problem("");
    showVerdict(file, options, readAs);
    const label = labelInUse();
    byId("read-as").value = label;
    if (!file.verdict.codec) byId("sentence").textContent += ` Below it is read as ${label}, which is only a guess.`;
    showDump(file, label);
    showRecords(file, label);
    showRecognised();
    showDamage();
    showPreview(file, chosenOptions());
  } catch (error) {
    problem(error.message);
  }
}

/** Returns the encoding in which the file is shown. Records with a layout are in EBCDIC, unless something else is known. */
function labelInUse() {
  return file.verdict.codec ?? file.guess.codec ?? (currentLayout().layout.length > 0 ? "IBM037" : "ISO-8859-1");
}

/** Makes an encoding that of the input. */
function readAs(label) {
  setOptions({ ...chosenOptions(), from: label });
  optionsChanged();
}

function optionsChanged() {
  const fragment = toFragment(chosenOptions());
  history.replaceState(null, "", fragment ? `#${fragment}` : "#");
  refresh();
}

/** Shows the records and their fields again. */
function layoutChanged() {
  if (!file) return;
  suggestShape();
  if (file.verdict && labelInUse() !== byId("read-as").value) refresh();
  else recordsChanged();
}

function recordsChanged() {
  if (!file) return;
  showRecords(file, byId("read-as").value);
  showRecognised();
  showDamage();
}

/** Shows damaged text. Records with a layout have binary fields, which look like that. */
function showDamage() {
  const hasFields = shapeInUse() && currentLayout().layout.length > 0;
  showMojibake(hasFields ? undefined : file, byId("read-as").value, chosenOptions());
}

/** Returns the options with what was found out; undefined if nothing was. */
function recognised() {
  const label = file.verdict.codec ?? file.guess.codec;
  if (!label) return undefined;
  const options = chosenOptions();
  if (!file.verdict.codec) options.from = label;
  const shape = shapeInUse();
  if (shape) options.records = shape;
  return { label, shape, options };
}

/** Offers the conversion with what was found out. */
function showRecognised() {
  const found = recognised();
  byId("recognised").hidden = !found;
  if (!found) return;
  const { label, shape, options } = found;
  const records = shape ? `, records ${shape}` : "";
  byId("run-recognised").textContent = `Convert as recognised: ${label}${records}`;
  byId("recognised-command").textContent = commandLine(options, file.name);
  byId("recognised-about").textContent = "";
}

/** Makes what was found out the options, so that the address and the command line have it, and converts. */
function runRecognised() {
  if (isRunning) return;
  setOptions(recognised().options);
  optionsChanged();
  run();
  byId("outcome").focus();
}

function setUpFields() {
  byId("read-as").addEventListener("change", (event) => readAs(event.target.value.trim()));
  byId("shape").addEventListener("change", recordsChanged);
  for (const id of ["chart-a", "chart-b", "chart-lead"]) byId(id).addEventListener("change", () => showChart(file));
  byId("run").addEventListener("click", run);
  byId("run-recognised").addEventListener("click", runRecognised);
  byId("repair").addEventListener("click", () => {
    setOptions({ ...chosenOptions(), mojibake: "repair" });
    optionsChanged();
    byId("outcome").focus();
  });
  byId("copy").addEventListener("click", () => copy("command", "outcome"));
  byId("recognised-copy").addEventListener("click", () => copy("recognised-command", "recognised-about"));
}

/** Copies a command line to the clipboard, and says so. */
async function copy(id, about) {
  try {
    await navigator.clipboard.writeText(byId(id).textContent);
    byId(about).textContent = "The command line is in the clipboard.";
  } catch {
    getSelection().selectAllChildren(byId(id));
    byId(about).textContent = "The command line is selected: copy it with the keyboard.";
  }
}

/** Does a job in a worker, with the progress and the button that cancels. Returns nothing if there is another one. */
async function work({ name, ...job }, about, button) {
  if (isRunning) return undefined;
  isRunning = true;
  const [progress, cancel] = [byId("progress"), byId("cancel")];
  // A button that is disabled loses the focus.
  const buttons = ["run", "run-recognised", "rows-csv", "rows-jsonl", "rows-arrow"];
  for (const id of buttons) byId(id).setAttribute("aria-disabled", "true");
  const place = await choosePlace(name);
  let result = { cancelled: true };
  if (place !== null) {
    byId(about).textContent = "Converting…";
    byId(about).after(byId("working"));
    byId("working").hidden = false;
    progress.value = 0;
    let stop;
    const abort = () => stop?.();
    cancel.addEventListener("click", abort);
    const started = (action) => (stop = action);
    result = await runInWorker({ module, ...job, place }, (part) => (progress.value = part), started);
    cancel.removeEventListener("click", abort);
    if (document.activeElement === cancel) byId(button).focus();
    byId("working").hidden = true;
  }
  isRunning = false;
  for (const id of buttons) byId(id).removeAttribute("aria-disabled");
  if (!result.cancelled && !result.failure && !place) download(result.output, name);
  return result;
}

async function run() {
  const outcome = byId("outcome");
  const result = await work({ file: file.blob, options: chosenOptions(), name: outputName(file.name) }, "outcome", "run");
  if (!result) return;
  if (result.cancelled) outcome.textContent = "Cancelled. Nothing was saved.";
  else if (result.failure) {
    const place = result.failure.offset === undefined ? "" : `, and ${result.len ?? 0} bytes before it were good`;
    outcome.textContent = `Error: ${result.failure.message}${place}. Nothing was saved.`;
  } else {
    outcome.textContent = `${result.report.bytes_in} bytes became ${result.report.bytes_out}. ${changes(result.report)}`;
  }
}

async function saveRows(format) {
  const { name, ...job } = rowsJob(format);
  const result = await work({ ...job, name }, "rows-about", `rows-${format}`);
  if (result) rowsSaved(result, name);
}

start().catch((error) => problem(`The page cannot start: ${error.message}`));
