// Measures decoding to strings beside the host's TextDecoder: `node web/test/speed.mjs`. Prints MB of input for each
// second of processor time, the best of many runs.

import { readFileSync } from "node:fs";
import { decode, encode, load, loadSync } from "../dist/index.js";

const RUNS = 40;
const german = "Der fällige Betrag für Müller und Schröder ist größer als im Frühjahr. ".repeat(30_000);
const japanese = "日本語の文書をシフトJISで符号化する。カタカナとひらがな、漢字かな交じり文。".repeat(20_000);

function best(action) {
  let least = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const before = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

const wasm = readFileSync(new URL("../dist/charpipe.wasm", import.meta.url));
loadSync(wasm);
const began = performance.now();
await load();
console.log(`load: ${(performance.now() - began).toFixed(0)} ms`);

for (const [name, text] of [
  ["IBM1047", german],
  ["windows-1252", german],
  ["Shift_JIS", japanese],
  ["IBM939", japanese],
  ["UTF-16LE", japanese],
  ["UTF-8", japanese],
]) {
  const bytes = encode(text, name, { bom: "strip" });
  if (decode(bytes, { from: name }) !== text) throw new Error(`${name} is wrong`);
  const rate = (time) => (bytes.length / time).toFixed(0).padStart(6);
  const ours = rate(best(() => decode(bytes, { from: name })));
  let host = "     -";
  try {
    const decoder = new TextDecoder(name);
    host = rate(best(() => decoder.decode(bytes)));
  } catch {
    // The host does not have it.
  }
  console.log(`${name.padEnd(14)} ${ours} MB/s, TextDecoder ${host}`);
}
