// The options, the preview, the command line, and the conversion in a worker.

import { convert, options as allOptions } from "../src/index.js";
import { current } from "../src/load.js";
import { Stream } from "../src/module.js";
import { byId, make } from "./dom.js";

/** The options in words. Everybody sees the first group; the others are behind a fold each. */
const GROUPS = {
  Options: {
    from: "Encoding of the file",
    to: "Encoding to write",
    malformed: "Invalid bytes",
    unmappable: "Characters the target lacks",
    "ebcdic-nl": "Newlines in EBCDIC",
    eol: "Line endings to write",
    records: "Format of the records",
    relabel: "The label in the document",
  },
  "Finding the encoding": {
    guess: "Guess from statistics",
    fallback: "If nothing is found, try",
    "ebcdic-fallback": "Code page of unlabelled EBCDIC",
    as: "Kind of document",
    "content-type": "Content-Type header",
    policy: "If labels contradict each other",
    prescan: "Bytes to search for a meta label",
    unknown: "A file that is not text",
    strict: "Warnings are errors",
  },
  "What is written": {
    bom: "Byte order mark",
    "best-fit": "Use similar characters",
    controls: "Control characters",
    mojibake: "Text that was decoded wrongly",
    normalize: "Unicode normalization",
  },
  "Mainframe records": {
    "to-records": "Write records",
    trim: "Trim at the end of records",
    "carriage-control": "Carriage control in column 1",
    columns: "Columns that are text",
    gaps: "Bytes outside these columns",
    "shift-blanks": "Spaces for shift codes",
    "record-newlines": "Newlines inside a record",
    overlong: "Text too long for its record",
    "tape-file": "File of a tape image",
  },
};
/** Options that make no difference here. */
const HIDDEN = ["jobs"];

/** How much of the output is shown, and of how much input. */
const PREVIEW = 64 * 1024;
const SHOWN = 4000;

let list = [];

export function setUpOptions(changed) {
  list = allOptions().filter((option) => !HIDDEN.includes(option.name));
  const known = Object.values(GROUPS).flatMap(Object.keys);
  // Should an option have no words here yet, it has its name.
  const rest = list.filter(({ name }) => !known.includes(name)).map(({ name }) => [name, name]);
  const groups = Object.entries(GROUPS).map(([title, words]) => [title, Object.entries(words)]);
  const [first, ...others] = rest.length > 0 ? [...groups, ["Other options", rest]] : groups;
  const fieldset = ([title, words]) => {
    const options = words.map(([name, text]) => [list.find((option) => option.name === name), text]);
    const fields = options.filter(([option]) => option).map(([option, text]) => field(option, text));
    return make("fieldset", {}, make("legend", {}, title), ...fields);
  };
  const folds = others.map((group) => make("details", {}, make("summary", {}, group[0]), fieldset(group)));
  byId("options").replaceChildren(fieldset(first), ...folds);
  byId("options").addEventListener("change", changed);
  byId("options").addEventListener("submit", (event) => event.preventDefault());
}

function field({ name, value, words }, text) {
  const id = `option-${name}`;
  const title = `--${name}`;
  if (value === "flag") return make("label", { class: "flag", title }, make("input", { type: "checkbox", id }), text);
  if (value === "word") {
    const choices = ["", ...words].map((word) => make("option", { value: word }, word || "(default)"));
    return make("label", { title }, text, make("select", { id }, ...choices));
  }
  const hint = { from: "auto", to: "UTF-8", malformed: "fail, replace …", records: "fb:80, rdw, vb …" }[name];
  const isLabel = value === "label";
  return make(
    "label",
    { title },
    text,
    make("input", { id, list: isLabel && "encodings", placeholder: hint, autocomplete: "off", spellcheck: "false" }),
  );
}

/** Returns the options that are set. */
export function chosenOptions() {
  const chosen = {};
  for (const { name, value } of list) {
    const input = byId(`option-${name}`);
    const text = value === "flag" ? input.checked && "true" : input.value.trim();
    if (text) chosen[name] = text;
  }
  return chosen;
}

/** Sets the options. Names that are not known, and values that a choice lacks, are left out. */
export function setOptions(options) {
  for (const { name, value, words } of list) {
    const text = options[name] ?? "";
    const input = byId(`option-${name}`);
    if (value === "flag") input.checked = text === "true";
    else if (value !== "word" || words.includes(text) || text === "") input.value = text;
  }
}

/** Options as the fragment of an address. */
export const toFragment = (options) => new URLSearchParams(options).toString();
export const fromFragment = (fragment) => Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, "")));

/** Writes the command line that does the same. */
export function commandLine(options, name) {
  const flags = list.filter((option) => option.value === "flag").map((option) => option.name);
  const words = Object.entries(options).map(([key, value]) =>
    // A value that begins with a hyphen would be taken for an option.
    flags.includes(key) ? `--${key}` : `--${key}${value.startsWith("-") ? "=" : " "}${quoted(value)}`,
  );
  const path = name.startsWith("-") ? `./${name}` : name;
  return ["charpipe", ...words, "-o", quoted(outputName(path)), quoted(path)].join(" ");
}

/** Quotes a word for a shell. */
export const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The name of the download: NAME.converted.EXT. */
export function outputName(name) {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.converted${name.slice(dot)}` : `${name}.converted`;
}

/** Shows what the beginning of the file becomes, and what changes. */
export function showPreview(file, options) {
  const target = byId("preview");
  if (!file) return;
  const head = file.head.subarray(0, PREVIEW);
  const { output, report, problem } = convertHead(head, head.length === file.size, options);
  const to = report?.to ?? "UTF-8";
  let text = "";
  try {
    text =
      to === "UTF-8"
        ? new TextDecoder().decode(output)
        : new TextDecoder().decode(
            convert(output, { from: to, malformed: "replace", relabel: "never", as: "text" }).bytes,
          );
  } catch {
    text = "";
  }
  target.textContent = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  const ends = report && !problem ? changedLineEnds(head, text, report.from, options) : "";
  byId("outcome").textContent = problem || [report && changes(report), ends].filter(Boolean).join(" ");
}

/** Returns the text of bytes. `decode` has ways for many values, which the page can do without: they are 4 KB of script. */
export const textOf = (bytes, options) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(convert(bytes, options).bytes);

/** Converts the beginning of a file. Its end may cut a character or a record, which is no error of the file. */
export function convertHead(head, isWhole, options) {
  const pieces = [];
  const give = (piece) => pieces.push(piece.slice());
  let [stream, report, problem] = [null, null, ""];
  try {
    stream = new Stream(current(), options);
    stream.push(head, give);
    try {
      stream.finish(give);
    } catch (error) {
      if (isWhole) throw error;
    }
  } catch (error) {
    problem = `Error: ${error.message}.`;
  }
  if (stream && !stream.module.broken) {
    report = stream.report();
    stream.close();
  }
  const output = new Uint8Array(pieces.reduce((len, piece) => len + piece.length, 0));
  pieces.reduce((at, piece) => (output.set(piece, at), at + piece.length), 0);
  return { output, report, problem };
}

const LINE_ENDS = { "\r\n": "CRLF", "\r": "CR", "\n": "LF", "\x85": "NEL" };

/** Says how the ends of the lines change. Those of records are no characters of the input. */
function changedLineEnds(head, text, from, options) {
  if (!from || options.records || options["to-records"]) return "";
  const kinds = (text) => {
    const found = new Set(text.match(/\r\n|[\r\n\x85]/g));
    return Object.keys(LINE_ENDS)
      .filter((end) => found.has(end))
      .map((end) => LINE_ENDS[end])
      .join(", ");
  };
  const asIs = { from, malformed: "replace", relabel: "never", as: "text", eol: "keep" };
  if (options["ebcdic-nl"]) asIs["ebcdic-nl"] = options["ebcdic-nl"];
  const [before, after] = [kinds(textOf(head, asIs)), kinds(text)];
  return before && before !== after ? `Ends of lines: ${before} before, ${after || "none"} after.` : "";
}

/** What a conversion changes besides the encoding. */
function changes(report) {
  const parts = [`From ${report.from ?? "unknown"} to ${report.to}`];
  if (report.relabelled)
    parts.push(
      `the label becomes “${report.relabelled.to}” (it was ${report.relabelled.from ? `“${report.relabelled.from}”` : "absent"})`,
    );
  const count = (faults, what) =>
    faults?.count > 0 && parts.push(`${faults.count} ${what} replaced, dropped or escaped`);
  count(report.malformed, "malformed sequences");
  count(report.unmappable, "characters that the target lacks");
  count(report.controls, "control characters");
  if (report.mojibake?.count > 0) parts.push(`${report.mojibake.count} places of wrongly decoded text repaired`);
  if (report.records !== null) parts.push(`${report.records} records`);
  for (const { message } of report.diagnostics) parts.push(message);
  return `${parts.join("; ")}.`;
}

/**
 * Lets the user choose where to save, if the browser can write there as the output comes. Returns undefined if it cannot,
 * and null if the user does not want to save.
 */
export async function choosePlace(name) {
  try {
    return await window.showSaveFilePicker?.({ suggestedName: name });
  } catch (error) {
    if (error.name === "AbortError") return null;
    // The browser does not allow it here.
    return undefined;
  }
}

/**
 * Does a job in a worker: a conversion, or with a layout the rows of the records: {module, file, options, layout, place}.
 * Returns what the worker says last. `started` gets a function that cancels.
 */
export function runInWorker(job, progressed, started) {
  return new Promise((resolve) => {
    const address = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
    const worker = new Worker(address);
    const end = (result) => {
      URL.revokeObjectURL(address);
      resolve(result);
    };
    // It ends itself, after the file that is not complete.
    started(() => {
      worker.postMessage("cancel");
      end({ cancelled: true });
    });
    worker.onmessage = ({ data }) => {
      if ("progress" in data) return progressed(data.progress);
      worker.terminate();
      return end(data);
    };
    worker.onerror = (event) =>
      end({ failure: { code: "internal", message: event.message || "the worker cannot start" } });
    worker.postMessage(job);
  });
}

/** Gives a blob to the user as a file. */
export function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export { changes };
