// Measures values of all lengths in Node, beside TextDecoder and iconv-lite: `node benches/npm/small.mjs [MODULE]`, after
// `.ci/run web`, which builds the package and fetches iconv-lite. MODULE is charpipe.wasm by default.
//
// Prints the least CPU time of a call in 15 rounds: µs, and for 4 MB the MB of encoded text per second. `decode`
// and `encode` are the functions, Decoder and Encoder what is made once. All results are compared.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert";
import { Decoder, Encoder, decode, encode, loadSync } from "../../web/dist/index.js";

const root = new URL("../../", import.meta.url);
const iconv = createRequire(new URL("target/web-tools/package.json", root))("iconv-lite");
loadSync(readFileSync(new URL(`web/dist/${process.argv[2] ?? "charpipe.wasm"}`, root)));

const GERMAN = "Der fällige Betrag: größer";
const ROWS = [
  ["windows-1252", GERMAN],
  ["UTF-16LE", GERMAN],
  ["GB18030", "中文文本的编码转换工具"],
  ["Shift_JIS", "日本語の文書をシフトJISで"],
  ["EUC-KR", "한국어 문서의 부호화"],
  ["UTF-8", GERMAN],
];

/** Returns the microseconds of CPU time that a call takes, in the fastest round. */
function least(times, action) {
  let best = Infinity;
  for (let round = 0; round < 15; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i++) action();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / times);
  }
  return best;
}

function row(name, text, shown) {
  const bytes = encode(text, name, { bom: "strip" });
  const [decoder, encoder] = [new Decoder({ from: name }), new Encoder(name, { bom: "strip" })];
  const [host, buffer] = [new TextDecoder(name), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)];
  const reads = [
    () => decode(bytes, { from: name }),
    () => decoder.decode(bytes),
    () => host.decode(bytes),
    () => iconv.decode(buffer, name),
  ];
  const writes = [
    () => encode(text, name, { bom: "strip" }),
    () => encoder.encode(text),
    () => iconv.encode(text, name),
  ];
  for (const read of reads) assert.equal(read(), text);
  for (const write of writes) assert.deepEqual(Buffer.from(write()), buffer);
  const times = Math.ceil(200_000 / (40 + text.length));
  const cells = [...reads, ...writes].map((action) => shown(least(times, action), bytes.length));
  console.log(`| ${[name, text.length, ...cells].join(" | ")} |`);
  decoder.close();
  encoder.close();
}

const head = "charset | characters | decode | Decoder | TextDecoder | iconv-lite | encode | Encoder | iconv-lite";
const title = (text) => console.log(`\n${text}\n\n| ${head} |\n|---${"|--:".repeat(8)}|`);
title("Short values, µs");
for (const [name, text] of ROWS) row(name, text, (time) => time.toFixed(2));
title("Values of other lengths, µs");
for (const [name, text] of ROWS) {
  const long = `${text}\n`.repeat(1e5 / text.length);
  for (const len of [100, 1000, 10_000, 100_000]) row(name, long.slice(0, len), (time) => time.toFixed(2));
}
title("Long text, MB/s");
for (const [name, text] of ROWS) {
  row(name, `${text}\n`.repeat(4e6 / (2 * text.length)), (time, len) => Math.round(len / time));
}
