// The verdict as a sentence, its reasons, the other candidates, and what each policy says.

import { chart, detect } from "../src/index.js";
import { byId, hexes, make, visible } from "./dom.js";

const SOURCES = {
  user: "because you said so",
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

/** Returns the ranges of bytes that decided. */
export function evidence(verdict) {
  const ranges = [];
  if (verdict.bom) ranges.push([0, verdict.bom.length / 2]);
  else if (verdict.signature && verdict.source !== "meta") ranges.push([0, verdict.signature.length / 2]);
  if (verdict.declared_span) ranges.push(verdict.declared_span);
  return ranges;
}

export function sentence(verdict) {
  const looks = verdict.looks ? ` It looks like ${verdict.looks}.` : "";
  if (!verdict.codec) return `The encoding is unknown.${looks}`;
  const kind = { xml: "XML", html: "HTML", text: "Text" }[verdict.kind];
  const ascii = verdict.ascii && verdict.codec === "UTF-8" ? " (all of it is ASCII)" : "";
  return `${kind} in ${verdict.encoding}${ascii}, ${SOURCES[verdict.source] ?? ""}.${looks}`;
}

export function showVerdict(file, options, readAs) {
  const verdict = file.verdict;
  const target = byId("sentence");
  target.textContent = sentence(verdict);
  target.classList.toggle("guess", ["statistics", "fallback", "default"].includes(verdict.source) && !verdict.ascii);
  const reasons = [`Rule ${verdict.rule ?? "none"} of the policy ${verdict.policy}.`];
  if (verdict.bom) reasons.push(`Byte order mark: ${verdict.bom.match(/../g).join(" ")}.`);
  if (verdict.declared) {
    const [from, to] = verdict.declared_span;
    reasons.push(`The document declares “${verdict.declared}”, in the bytes ${from} to ${to - 1}.`);
  }
  for (const { severity, message, offset } of verdict.diagnostics) {
    reasons.push(`${severity === "hint" ? "Hint" : "Warning"}: ${message} (byte ${offset}).`);
  }
  if (verdict.error) reasons.push(`Error at byte ${verdict.error.offset}: ${verdict.error.message}.`);
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
  if (!isSingle(left) || !isSingle(right)) return "not all bytes are characters by themselves; compare the charts";
  const shown = [];
  for (let byte = 0; byte < 256; byte++) {
    const count = file.counts[byte];
    if (count === 0 || left[byte] === right[byte]) continue;
    const [x, y] = [left[byte], right[byte]].map((cell) => (cell === null ? "not valid" : visible(cell)));
    shown.push(`${hexes([byte])} is ${x} or ${y} (${count} times)`);
  }
  if (shown.length === 0) return "reads every byte of this file in the same way";
  const more = shown.length > 12 ? `; and ${shown.length - 12} more` : "";
  return shown.slice(0, 12).join("; ") + more;
}
