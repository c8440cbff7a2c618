// The verdict as a sentence, its reasons, the other candidates, and what each policy says.

import { chart, detect, explain } from "../src/index.js";
import { byId, hexes, make, visible } from "./dom.js";

const SOURCES = {
  user: "because the options say so",
  bom: "because of its byte order mark",
  charset: "because of the Content-Type",
  declaration: "because its own declaration says so",
  signature: "because of the pattern of its first bytes",
  meta: "because its meta element says so",
  statistics: "by a guess from byte statistics",
  fallback: "only because it is the fallback: nothing identifies the encoding",
  default: "only because that is the default: nothing in the file identifies the encoding",
};

const POLICIES = ["rfc7303", "rfc3023", "whatwg", "rome-strict", "rome-lenient", "feedparser"];

/** How many bytes of the file are compared between encodings with several bytes for a character. */
const COMPARED = 16 * 1024;
/** How many of the bytes are shown that two encodings read differently. */
const SHOWN = 12;

/** What bytes look like, in words. */
const LOOKS = { legacy: "text in a charset without a label", ebcdic: "EBCDIC" };

/** How many bytes detection looks at. */
const WINDOW = 64 * 1024;

/** Returns the ranges of bytes that decided. */
export function evidence(verdict) {
  const ranges = [];
  // The bytes did not decide.
  if (["user", "charset"].includes(verdict.source)) return ranges;
  if (verdict.bom) ranges.push([0, verdict.bom.length / 2]);
  else if (verdict.signature && verdict.source !== "meta") ranges.push([0, verdict.signature.length / 2]);
  if (verdict.declared_span) ranges.push(verdict.declared_span);
  return ranges;
}

export function sentence({ verdict, size }) {
  const looks = verdict.looks ? ` It looks like ${LOOKS[verdict.looks] ?? verdict.looks}.` : "";
  if (!verdict.codec) return `The encoding is unknown.${looks}`;
  const kind = { xml: "XML", html: "HTML", text: "Text" }[verdict.kind];
  const ascii =
    verdict.ascii && verdict.codec === "UTF-8"
      ? ` (${size > WINDOW ? "its first 64 KiB are" : "all of it is"} ASCII)`
      : "";
  return `${kind} in ${verdict.encoding}${ascii}, ${SOURCES[verdict.source] ?? ""}.${looks}`;
}

export function showVerdict(file, options, readAs) {
  const verdict = file.verdict;
  const target = byId("sentence");
  target.textContent = sentence(file);
  target.classList.toggle("guess", ["statistics", "fallback", "default"].includes(verdict.source) && !verdict.ascii);
  const reasons = [`Rule ${verdict.rule ?? "none"} of the policy ${verdict.policy}.`];
  if (verdict.bom) reasons.push(`Byte order mark: ${verdict.bom.match(/../g).join(" ")}.`);
  if (verdict.declared) {
    const [from, to] = verdict.declared_span ?? [];
    const where = from === undefined ? "" : `, in the bytes ${from} to ${to - 1}`;
    reasons.push(`The document declares “${verdict.declared}”${where}.`);
  }
  const at = ({ line, column, offset }) => {
    if (offset === null) return "";
    return line ? ` (line ${line}, column ${column}, byte ${offset})` : ` (byte ${offset})`;
  };
  for (const note of verdict.diagnostics) {
    reasons.push(`${note.severity === "hint" ? "Hint" : "Warning"}: ${note.message}${at(note)}.`);
  }
  if (verdict.error) reasons.push(`Error: ${verdict.error.message}${at(verdict.error)}.`);
  byId("reasons").replaceChildren(...reasons.map((reason) => make("li", {}, reason)));
  showPolicies(file, options);
  showCandidates(file, readAs);
}

function showPolicies(file, options) {
  const rows = POLICIES.map((policy) => {
    const verdict = detect(file.head, { ...options, guess: false, policy });
    const encoding = verdict.encoding ?? verdict.error?.message ?? "unknown";
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, policy),
      make("td", {}, encoding),
      make("td", {}, verdict.rule ?? ""),
    );
  });
  byId("policies").tBodies[0].replaceChildren(...rows);
}

/** The candidates of statistics, each with the bytes of the file that it reads differently from the first. */
function showCandidates(file, readAs) {
  const guess = file.verdict.candidates.length > 0 ? file.verdict : file.guess;
  const candidates = guess.candidates.slice(0, 6);
  byId("others").hidden = candidates.length < 2;
  if (candidates.length < 2) return;
  byId("others").open = guess === file.verdict;
  const list = candidates.map(({ codec, score }, index) => {
    const choose = make("button", { type: "button", onclick: () => readAs(codec) }, `Read as ${codec}`);
    const place = index === 0 ? "the likeliest" : differences(file, candidates[0].codec, codec);
    return make("li", {}, `${codec} (score ${score.toFixed(2)}): `, place, " ", choose);
  });
  byId("candidates").replaceChildren(make("ul", {}, ...list));
}

/** Describes the bytes of the file that two encodings read differently, both ways. */
function differences(file, a, b) {
  const [left, right] = [chart(a), chart(b)].map(({ cells }) => cells);
  const isSingle = (cells) => cells.every((cell) => cell === null || typeof cell === "string");
  const isBytewise = isSingle(left) && isSingle(right);
  const found = isBytewise ? differingBytes(file, left, right) : differingSequences(file, a, b);
  const looked = isBytewise ? file.head.length : Math.min(COMPARED, file.head.length);
  const part = looked < file.size ? `the first ${looked} bytes` : "every byte";
  if (found.length === 0) return `reads ${part} of this file in the same way`;
  const shown = found.map(
    ({ bytes, x, y, count }) => `${bytes} is ${x || "no text"} or ${y || "no text"} (${count} times)`,
  );
  const more = shown.length > SHOWN ? `; and ${shown.length - SHOWN} more` : "";
  return shown.slice(0, SHOWN).join("; ") + more;
}

function differingBytes(file, left, right) {
  const name = (cell) => (cell === null ? "not valid" : visible(cell));
  const found = [];
  for (let byte = 0; byte < 256; byte++) {
    const count = file.counts[byte];
    if (count === 0 || left[byte] === right[byte]) continue;
    found.push({ bytes: hexes([byte]), x: name(left[byte]), y: name(right[byte]), count });
  }
  return found;
}

function differingSequences(file, a, b) {
  const head = file.head.subarray(0, COMPARED);
  const [left, right] = [a, b].map((label) => explain(label, head, head.length === file.size).cells);
  const found = new Map();
  for (const { begin, end, x, y } of spans(left, right)) {
    if (x === y) continue;
    const bytes = hexes(head.subarray(begin, Math.min(end, begin + 8))) + (end > begin + 8 ? " …" : "");
    const count = (found.get(bytes)?.count ?? 0) + 1;
    found.set(bytes, { bytes, x, y, count });
  }
  return [...found.values()];
}

/** Yields the shortest ranges that are whole cells in both lists, with their text in each. */
function* spans(left, right) {
  const read = (text) => (text === null ? "\uFFFD" : Array.from(text || "", visible).join(""));
  let [begin, x, y] = [0, "", ""];
  let [i, j, leftEnd, rightEnd] = [0, 0, 0, 0];
  while (leftEnd <= rightEnd ? i < left.length : j < right.length) {
    if (leftEnd <= rightEnd) {
      leftEnd += left[i][0];
      x += read(left[i++][1]);
    } else {
      rightEnd += right[j][0];
      y += read(right[j++][1]);
    }
    if (leftEnd !== rightEnd) continue;
    yield { begin, end: leftEnd, x, y };
    [begin, x, y] = [leftEnd, "", ""];
  }
}
