// Tests the package in Node: `node --test web/test/package.test.mjs`, after `node web/build.mjs wasm package`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import * as charpipe from "../dist/index.js";
import { current } from "../dist/load.js";
import { Stream } from "../dist/module.js";

const dist = new URL("../dist/", import.meta.url);
const data = (name) => new Uint8Array(readFileSync(new URL(`../../examples/data/${name}`, import.meta.url)));
const bytes = (...values) => Uint8Array.from(values);

/** What a stream of its own makes of a whole input: every faster way is compared with it. */
function decodedByStream(input, options) {
  const stream = new Stream(current(), { ...options, to: "UTF-8" });
  try {
    return stream.string(input, "UTF-8");
  } finally {
    stream.close();
  }
}

/** The same for a text that is encoded. */
function encodedByStream(text, to, options) {
  const stream = new Stream(current(), { relabel: "never", as: "text", ...options, from: "UTF-8", to });
  try {
    return stream.encoded(text);
  } finally {
    stream.close();
  }
}

/** Returns the text, or the bytes as Latin-1, that an action gives; of its error what a stream must have in common. */
function outcome(action) {
  try {
    const value = action();
    return typeof value === "string" ? value : Buffer.from(value).toString("latin1");
  } catch (error) {
    return [error.code, error.offset, error.text ?? Buffer.from(error.output ?? []).toString("latin1")];
  }
}

/** Returns a function that returns numbers below `end`, the same ones each time. */
function dice() {
  let state = 1;
  return (end) => ((state = (state * 1103515245 + 12345) % 2 ** 31) >>> 8) % end;
}

test("functions before load say so", () => {
  assert.throws(() => charpipe.decode(bytes(0)), { code: "usage", message: "call and await load() first" });
});

test("load takes a name, a module and bytes", async () => {
  await assert.rejects(charpipe.load("no such"), { code: "usage" });
  const wasm = readFileSync(new URL("charpipe-small.wasm", dist));
  charpipe.loadSync(wasm);
  assert.equal(charpipe.decode(bytes(0xc1), { from: "IBM037" }), "A");
  assert.throws(() => charpipe.decode(bytes(0xc1), { from: "Shift_JIS" }), { code: "unknown-label" });
  assert.throws(() => charpipe.sniff(bytes(1)), { code: "usage", message: /load\("all"\)/ });
  assert.throws(() => charpipe.fields("A 1 1 text", bytes(1)), { code: "usage", message: /load\("all"\)/ });
  await charpipe.load(await WebAssembly.compile(wasm));
  await charpipe.load(new Response(wasm, { headers: { "content-type": "application/wasm" } }));
  await charpipe.load();
  assert.equal(charpipe.decode(bytes(0x88, 0x9f), { from: "Shift_JIS" }), "亜");
});

test("convert detects, converts and corrects the label", () => {
  const { bytes: output, report } = charpipe.convert(data("hello-ibm1047.xml"));
  const text = new TextDecoder().decode(output);
  assert.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<customers>/);
  assert.equal(report.from, "IBM1047");
  assert.deepEqual(report.relabelled, { from: "IBM1047", to: "UTF-8" });
  assert.equal(report.verdict.rule, "rfc7303:declaration");
});

test("options are in camel case or as on the command line", () => {
  const newline = bytes(0xc1, 0x15);
  assert.equal(charpipe.decode(newline, { from: "IBM1047", ebcdicNl: "zos" }), "A\n");
  assert.equal(charpipe.decode(newline, { from: "IBM1047", "ebcdic-nl": "zos" }), "A\n");
  assert.equal(charpipe.decode(bytes(0xc1, 0x40, 0xc2, 0x40), { from: "IBM037", records: "fb:2" }), "A\nB\n");
  assert.throws(() => charpipe.convert(bytes(), { bom: "yes" }), {
    code: "bad-option",
    message: /auto, keep, add, strip/,
  });
  assert.throws(() => charpipe.convert(bytes(), { from: "a\nto=b" }), { code: "usage" });
});

test("the types name all options and their words", () => {
  const types = readFileSync(new URL("index.d.ts", dist), "utf8");
  const body = types.slice(types.indexOf("interface Options {"), types.indexOf("/** An error of any function"));
  const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  for (const { name, value, words } of charpipe.options()) {
    const line = body.split("\n").find((line) => line.startsWith(`  ${camel(name)}?: `));
    assert.ok(line, name);
    if (value === "flag") assert.match(line, /boolean;$/, name);
    if (value === "word" && name !== "unmappable") {
      assert.equal(line.split("?: ")[1], `${words.map((word) => JSON.stringify(word)).join(" | ")};`, name);
    }
  }
});

test("errors have code, offset and bytes", () => {
  const error = assertThrows(() => charpipe.convert(bytes(0x61, 0x62, 0xff), { from: "UTF-8" }));
  assert.ok(error instanceof charpipe.CharpipeError);
  assert.deepEqual([error.code, error.offset, [...error.bytes]], ["malformed", 2, [0xff]]);
  // Only the largest module counts lines.
  assert.deepEqual([error.line, error.column, error.record], [undefined, undefined, undefined]);
  assert.deepEqual([...error.output], [0x61, 0x62]);
  // Up to the malformed byte.
  assert.equal(error.report.bytes_in, 2);
  const unmappable = assertThrows(() => charpipe.encode("5 €", "ISO-8859-1"));
  assert.deepEqual([unmappable.code, unmappable.char, unmappable.offset], ["unmappable", "€", 2]);
  const decoding = assertThrows(() => charpipe.decode(bytes(0x61, 0xff), { from: "US-ASCII" }));
  assert.deepEqual([decoding.text, decoding.offset], ["a", 1]);
  assert.throws(() => charpipe.decode("text"), TypeError);
});

function assertThrows(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("what is binary is refused, and a label that lies is reported", () => {
  const picture = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d);
  for (const options of [{}, { malformed: "replace" }, { fallback: "UTF-8,windows-1252" }]) {
    assert.throws(() => charpipe.convert(picture, options), { code: "unknown-encoding", offset: 0 });
  }
  const lie = new TextEncoder().encode("<?xml version='1.0' encoding='ISO-8859-1'?><a>café</a>");
  const [note] = charpipe.convert(lie).report.verdict.diagnostics;
  assert.deepEqual([note.code, note.severity], ["looks-like-utf8", "warning"]);
});

test("detect gives the verdict", () => {
  const verdict = charpipe.detect(data("utf16le-bom.xml"));
  assert.deepEqual([verdict.encoding, verdict.source, verdict.bom], ["UTF-16LE", "bom", "FFFE"]);
  assert.equal(charpipe.detect(new Uint8Array(0)).encoding, "UTF-8");
});

/** Text in every encoding, and bytes that are malformed in most. */
function samples() {
  const text = "Müller £5 Ωλ дом 日本語カナ 한글 𠮷 end\r\n";
  const junk = Uint8Array.from({ length: 700 }, (_, at) => (at * 197 + (at >> 3) * 31) & 0xff);
  return charpipe.names().map(({ name, encode }) => {
    const encoded = encode ? charpipe.encode(text, name, { unmappable: "drop", bom: "strip" }) : bytes();
    return { name, input: Uint8Array.from([...encoded, ...junk]) };
  });
}

test("large inputs give the same text, by way of UTF-8 or of UTF-16", () => {
  const japanese = charpipe.encode("日本語の文書。カタカナと漢字𠮷\r\n", "UTF-8");
  for (const { name, encode } of charpipe.names()) {
    const text = new TextDecoder().decode(japanese).repeat(20);
    const part = encode ? [...charpipe.encode(text, name, { unmappable: "drop", bom: "strip" })] : [];
    const junk = Array.from({ length: 61 }, (_, at) => (at * 197 + (at >> 3) * 31) & 0xff);
    const unit = Uint8Array.from([...part, ...junk]);
    const input = new Uint8Array(Math.ceil(80_000 / unit.length) * unit.length);
    for (let at = 0; at < input.length; at += unit.length) input.set(unit, at);
    // An option that changes nothing keeps UTF-16 away.
    const [fast, sure] = [
      { from: name, malformed: "replace" },
      { from: name, malformed: "replace", bom: "auto" },
    ];
    assert.equal(charpipe.decode(input, fast), charpipe.decode(input, sure), name);
    const failures = ["fail", "fail"].map((malformed, index) => {
      try {
        return charpipe.decode(input, { ...[fast, sure][index], malformed });
      } catch (error) {
        return [error.code, error.offset, error.text, error.message];
      }
    });
    assert.deepEqual(failures[0], failures[1], name);
  }
  const xml = `<?xml version="1.0" encoding="Shift_JIS"?><a>${"日本語".repeat(20_000)}</a>`;
  assert.match(charpipe.decode(charpipe.encode(xml, "Shift_JIS"), { from: "Shift_JIS" }), /encoding="UTF-8"/);
});

test("a document's label, and newline conventions in labels", () => {
  const xml = charpipe.encode('<?xml version="1.0" encoding="IBM037"?><a/>', "IBM037");
  assert.match(charpipe.decode(xml, { from: "IBM037" }), /UTF-8/);
  assert.equal(charpipe.decode(bytes(0xc1, 0x15), { from: "IBM1047,nl=zos" }), "A\n");
  assert.throws(() => charpipe.decode(bytes(0xc1), { from: "no such" }), { code: "unknown-label" });
});

/** Feeds pieces to a stream and joins what comes out. */
async function through(stream, pieces) {
  const output = [];
  const writing = (async () => {
    const writer = stream.writable.getWriter();
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  })();
  writing.catch(() => {});
  for await (const piece of stream.readable) output.push(piece);
  await writing;
  return output;
}

const cut = (input, at) => [input.subarray(0, at), input.subarray(at)];

test("streams give the same at every cut", async () => {
  const wanted = [
    "UTF-8",
    "UTF-16LE",
    "Shift_JIS",
    "EUC-JP",
    "gb18030",
    "Big5",
    "EUC-KR",
    "IBM939",
    "IBM1047",
    "ISO-2022-JP",
  ];
  for (const { name, input } of samples().filter(({ name }) => wanted.includes(name))) {
    const part = input.subarray(0, 120);
    const options = { from: name, malformed: "replace", as: "text" };
    const whole = charpipe.decode(part, options);
    for (let at = 0; at <= part.length; at++) {
      const decoded = (await through(new charpipe.DecoderStream(options), cut(part, at))).join("");
      assert.equal(decoded, whole, `${name} at ${at}`);
    }
    const single = Array.from(part, (byte) => bytes(byte));
    assert.equal((await through(new charpipe.DecoderStream(options), single)).join(""), whole, name);
  }
});

test("an error comes after all good output, however large the chunk and however slow the reader", async () => {
  const input = new Uint8Array(700_000).fill(0x61);
  input[699_999] = 0xff;
  for (const chunks of [[input], cut(input, 300_000), cut(input, 699_999)]) {
    let len = 0;
    const stream = new charpipe.DecoderStream("UTF-8");
    const writer = stream.writable.getWriter();
    const writing = Promise.allSettled([...chunks.map((chunk) => writer.write(chunk)), writer.close()]);
    const readAll = async () => {
      for await (const piece of stream.readable) {
        len += piece.length;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    await assert.rejects(readAll(), { code: "malformed", offset: 699_999 });
    assert.equal(len, 699_999);
    assert.ok((await writing).some(({ reason }) => reason?.code === "malformed"));
    assert.equal(stream.report.bytes_out, 699_999);
  }
});

test("a stream converts no more than its reader asks for", async () => {
  const stream = new charpipe.ConverterStream({ from: "IBM037" });
  const [reader, writer] = [stream.readable.getReader(), stream.writable.getWriter()];
  const written = writer.write(new Uint8Array(16 << 20).fill(0xc1));
  let len = 0;
  for (let pieces = 1; pieces <= 3; pieces++) {
    len += (await reader.read()).value.length;
    await new Promise((resolve) => setTimeout(resolve, 1));
    assert.ok(stream.report.bytes_out <= len + (1 << 20), `${stream.report.bytes_out} bytes, and ${len} were read`);
  }
  await reader.cancel("enough");
  await written.catch(() => {});
  await assert.rejects(writer.write(bytes(0xc1)));
  assert.ok(stream.report.bytes_in < 16 << 20);
});

test("a stream can be aborted while it waits for its reader", async () => {
  const stream = new charpipe.ConverterStream({ from: "IBM037" });
  const [reader, writer] = [stream.readable.getReader(), stream.writable.getWriter()];
  const writing = writer.write(bytes(0xc1)).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 1));
  await writer.abort(new Error("no more"));
  await writing;
  await assert.rejects(reader.read(), { message: "no more" });
});

test("encoding streams keep characters that a string cuts", async () => {
  const stream = new charpipe.EncoderStream("UTF-16LE");
  const output = await through(stream, ["a\ud83d", "", "\ude00", "\ud83d"]);
  assert.equal(Buffer.concat(output).toString("hex"), "61003dd800defdff");
  assert.equal(stream.report.bytes_out, 8);
});

test("streams fail with position and bytes, after the good output", async () => {
  const stream = new charpipe.DecoderStream("UTF-8");
  const reader = stream.readable.getReader();
  const writer = stream.writable.getWriter();
  const writing = Promise.allSettled([writer.write(bytes(0x61)), writer.write(bytes(0x62, 0xff, 0x63))]);
  let text = "";
  const readAll = async () => {
    for (;;) text += (await reader.read()).value;
  };
  const error = await readAll().catch((error) => error);
  assert.equal(text, "ab");
  assert.deepEqual([error.code, error.offset, [...error.bytes]], ["malformed", 2, [0xff]]);
  assert.deepEqual([error.line, error.column, error.record], [undefined, undefined, undefined]);
  await writing;
  const converter = new charpipe.ConverterStream({ from: "IBM037", to: "UTF-8" });
  const output = await through(converter, [bytes(0xc1), bytes(), bytes(0xc2)]);
  assert.equal(Buffer.concat(output).toString(), "AB");
  assert.equal(converter.verdict.codec, "IBM037");
});

/** Charsets that Node's own decoder (ICU) reads in another way than browsers do. The page's test compares these. */
const ICU = /^(Shift_JIS|EUC-JP|ISO-2022-JP|gb18030|GBK|Big5|windows-949|EUC-KR|IBM866|KOI8-U|windows-(874|125[0-8]))$/;

/** Decodes pieces, one after the other. */
function inPieces(from, pieces) {
  const stream = new Stream(current(), { from, to: "UTF-8", malformed: "replace", relabel: "never", as: "text" });
  const output = [];
  for (const piece of pieces) stream.push(piece, (part) => output.push(part.slice()));
  stream.finish((part) => output.push(part.slice()));
  stream.close();
  return Buffer.concat(output).toString();
}

test("decoding agrees with TextDecoder, whole and at every cut", () => {
  let compared = 0;
  for (const { name, input } of samples()) {
    let host;
    try {
      host = new TextDecoder(name);
    } catch {
      continue;
    }
    if (ICU.test(name) || host.encoding !== name.toLowerCase()) continue;
    const ours = charpipe.decode(input, { from: name, malformed: "replace", relabel: "never", as: "text" });
    assert.equal(ours, host.decode(input), name);
    for (let at = 0; at <= 160; at++) {
      const pieces = cut(input.subarray(0, 160), at);
      const theirs = host.decode(pieces[0], { stream: true }) + host.decode(pieces[1]);
      assert.equal(inPieces(name, pieces), theirs, `${name} at ${at}`);
    }
    compared += 1;
  }
  assert.ok(compared >= 14, `${compared} charsets`);
});

/** Inputs with the sequences of the Encoding Standard that are longer than a pair or need a state, as in whatwg.rs. */
function* sequences() {
  const part = (name, byte, from, input) => [`${name}-${byte.toString(16)}`, from, Uint8Array.from(input)];
  for (let a = 0x81; a <= 0xfe; a++) {
    const input = [];
    for (let b = 0x30; b <= 0x39; b++) {
      for (let c = 0x80; c <= 0xff; c++) {
        for (let d = 0x2f; d <= 0x3a; d++) input.push(a, b, c, d, 0x0a);
      }
    }
    yield part("gb18030", a, "gb18030", input);
  }
  for (let b = 0xa0; b <= 0xff; b++) {
    const input = [];
    for (let c = 0x80; c <= 0xff; c++) input.push(0x8f, b, c, 0x20, 0x20, 0x0a);
    yield part("euc-jp-8f", b, "EUC-JP", input);
  }
  for (let a = 0x20; a <= 0x7f; a++) {
    const input = [];
    for (let b = 0x20; b <= 0x7f; b++) input.push(0x1b, 0x24, 0x42, a, b, 0x1b, 0x28, 0x42, 0x0a);
    yield part("iso-2022-jp", a, "ISO-2022-JP", input);
  }
}

test("long sequences and those with a state are decoded as by the Encoding Standard", () => {
  const spec = readFileSync(new URL("../../spec/whatwg-sequences.tsv", import.meta.url), "utf8");
  const rows = spec.split("\n").filter((line) => line && !line.startsWith("#"));
  const wanted = new Map(rows.slice(1).map((row) => row.split("\t")));
  const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
  for (const [id, from, input] of sequences()) {
    assert.equal(digest(charpipe.decode(input, { from, malformed: "replace", as: "text" })), wanted.get(id), id);
    if (input.length < 2000) {
      const pieces = Array.from({ length: Math.ceil(input.length / 5) }, (_, at) => input.subarray(5 * at, 5 * at + 5));
      assert.equal(digest(inPieces(from, pieces)), wanted.get(id), `${id} in pieces`);
    }
    wanted.delete(id);
  }
  assert.deepEqual([...wanted.keys()], []);
});

test("labels mean under the web's policy what they mean to TextDecoder", () => {
  const page = new TextEncoder().encode("<!DOCTYPE html><p>text");
  let compared = 0;
  for (const label of charpipe.names().flatMap(({ name, aliases }) => [name, ...aliases])) {
    let host;
    try {
      host = new TextDecoder(label).encoding;
    } catch {
      continue;
    }
    const verdict = charpipe.detect(page, { policy: "whatwg", contentType: `text/html; charset=${label}` });
    assert.equal(verdict.encoding?.toLowerCase(), host, label);
    compared += 1;
  }
  assert.ok(compared >= 210, `${compared} labels`);
});

test("yen sign and overline are not written as ASCII, unlike on the web", () => {
  for (const to of ["Shift_JIS", "EUC-JP"]) {
    for (const char of ["\u00A5", "\u203E"])
      assert.throws(() => charpipe.encode(char, to), { code: "unmappable", char });
  }
});

test("a bug in the module breaks that module only", async () => {
  await charpipe.load("all");
  const module = current();
  assert.throws(() => module.call("charpipe_free", 0xfffffff0), { code: "internal" });
  assert.throws(() => charpipe.decode(bytes(0x61)), { code: "internal" });
  await charpipe.load("all");
  assert.equal(charpipe.decode(bytes(0x61)), "a");
});

test("an option that needs another module names it", async () => {
  await charpipe.load();
  for (const [name, options] of [
    ["mojibake", { mojibake: "repair" }],
    ["normalize", { normalize: "nfc" }],
    ["translit", { unmappable: "translit" }],
  ]) {
    const error = assertThrows(() => charpipe.convert(bytes(0x61), { to: "US-ASCII", ...options }));
    assert.match(error.message, new RegExp(`it lacks the feature \`${name}\`; load\\("all"\\) has it$`));
  }
});

test("what only the module with everything has", async () => {
  await charpipe.load("all");
  const name = charpipe.encode("é €", "US-ASCII", { unmappable: "translit" });
  assert.equal(Buffer.from(name).toString(), "e EUR");
  assert.equal(charpipe.decode(Buffer.from("e\u0301"), { normalize: "nfc" }), "é");
  assert.equal(charpipe.decode(Buffer.from("cafÃ©"), { mojibake: "repair" }), "café");
  const { cells } = charpipe.explain("IBM939", bytes(0xc1, 0x0e, 0x45, 0x66, 0x0f));
  assert.deepEqual(cells, [
    [1, "A"],
    [1, 0],
    [2, "本"],
    [1, 0],
  ]);
  assert.equal(charpipe.records("fb:2", bytes(1, 2, 3, 4)).records.length, 2);
  await charpipe.load();
});

test("the fields of a record", async () => {
  await charpipe.load("all");
  const copybook = `       01  CLIENT.
           05  NAME    PIC X(3).
           05  AMOUNT  PIC S9(3)V99 COMP-3 OCCURS 2 TIMES.
`;
  const record = bytes(0xd1, 0x96, 0x85, 0x12, 0x34, 0x5d, 0x12, 0x34, 0x56);
  const read = charpipe.fields(copybook, record, { from: "IBM1047" });
  assert.deepEqual([read.codec, read.record, read.lengths, read.length, read.cut], ["IBM1047", "CLIENT", [9, 9], 9, false]);
  assert.deepEqual(
    read.fields.map(({ name, offset, length, kind, value }) => [name, offset, length, kind, value]),
    [
      ["NAME", 0, 3, "text", "Joe"],
      ["AMOUNT[1]", 3, 3, "packed.2", "-123.45"],
      ["AMOUNT[2]", 6, 3, "packed.2", null],
    ],
  );
  assert.equal(read.fields[2].error.code, "bad-number");
  // The record is refused for it, unless bad fields are null.
  const { code, field, offset } = read.error;
  assert.deepEqual([code, field, offset], ["bad-number", "AMOUNT[2]", 6]);
  assert.equal(charpipe.fields(copybook, record, { from: "IBM1047", onBad: "null" }).error, null);
  // As bytes, and with a record that is too short; a count that is wrong does not throw.
  const short = charpipe.fields(new TextEncoder().encode(copybook), new Uint8Array());
  assert.deepEqual(new Set(short.fields.map(({ error }) => error.code)), new Set(["record-too-short"]));
  const longer = charpipe.fields("A 1 1 text\n", bytes(0xc1, 0xc2));
  assert.deepEqual([longer.error.code, longer.error.field, longer.length], ["longer-than-layout", null, 1]);
  assert.equal(charpipe.fields("A 1 1 text\n", bytes(0xc1, 0xc2), { overlong: "cut" }).error, null);
  const counted = charpipe.fields("01 R.\n 05 N PIC 9.\n 05 A PIC X OCCURS 0 TO 2 DEPENDING ON N.\n", bytes(0xf7));
  assert.deepEqual([counted.error.code, counted.error.field, counted.error.offset], ["bad-count", "N", 0]);
  // Options have the names and the values of `charpipe rows`.
  const dated = "D 1 8 zoned,unsigned\nA-B 9 2 text\nFILLER 11 1 text\n";
  const data = Buffer.from("20240229x\0-");
  const seen = (options) => charpipe.fields(dated, data, { from: "latin1", ...options }).fields.map(({ value }) => value);
  assert.deepEqual(seen({}), ["20240229", "x\0"]);
  assert.deepEqual(seen({ dates: "D=YYYYMMDD", trim: "nuls", filler: true }), ["2024-02-29", "x", "-"]);
  assert.deepEqual(seen({ controls: "space", select: ["A-B"] }), ["x "]);
  assert.equal(charpipe.fields(dated, data, { underscores: true }).fields[1].name, "A_B");
  assert.throws(() => charpipe.fields(dated, data, { jobs: 2 }), { message: /no meaning for one record/ });
  // Types of records, and markup in names and values, which stays as it is.
  const types = "01 R.\n 05 T PIC X.\n 05 A PIC 9.\n 05 B REDEFINES A PIC X.\n";
  const typed = charpipe.fields(types, bytes(0xc2, 0xc1), { when: ["T=A: A", "T=B: B"] });
  assert.deepEqual([typed.type, typed.fields.map(({ value }) => value)], ["B", ["B", "A"]]);
  const markup = charpipe.fields("<b>&'\" 1 9 text\n", Buffer.from("<script>&"), { from: "UTF-8" });
  assert.deepEqual([markup.fields[0].name, markup.fields[0].value], ["<b>&'\"", "<script>&"]);

  const error = assertThrows(() => charpipe.fields("01 A.\n   05 B PIC X(3) OCURS 3.\n", record));
  assert.deepEqual([error.code, error.line, error.column, error.offset], ["bad-layout", 2, 18, undefined]);
  assert.match(error.message, /^line 2, column 18: found OCURS, expected a clause/);
  assert.throws(() => charpipe.fields("", record), { code: "bad-layout" });
  assert.throws(() => charpipe.fields(copybook, record, { from: "no such" }), { code: "unknown-label" });
  assert.throws(() => charpipe.fields(copybook, record, { when: "T=1: A\nfloat=ieee" }), { code: "usage" });
  assert.throws(() => charpipe.fields(copybook, "text"), TypeError);
  // A short layout with a million fields does not become a long result.
  const many = charpipe.fields("A 1 1*1000000 raw\n", bytes(7));
  assert.deepEqual([many.fields.length, many.cut], [10_000, true]);
  await charpipe.load();
});

test("records with options, and rows", async () => {
  await charpipe.load("all");
  const input = Buffer.from("headAAaBBbCCctail");
  const at = (shape, options) => charpipe.records(shape, input, options).records;
  assert.deepEqual(at("fb:3", { skipHead: 4, skipTail: "4" }), [[[4, 3]], [[7, 3]], [[10, 3]]]);
  assert.deepEqual(at("fb:3", { skipHead: 4, skipTail: 4, recordPrefix: 1, recordSuffix: 1 }), [[[5, 1]], [[8, 1]], [[11, 1]]]);
  assert.deepEqual(at("fb:1", { skipHead: "16r" }), [[[16, 1]]]);
  const counted = "LEN 1 1 binary\nTEXT 2 3 text\n";
  const three = bytes(4, 0x61, 0x62, 0x63, 2, 0x61, 1);
  assert.deepEqual(charpipe.records("layout", three, { layout: counted, lengthField: "LEN" }).records, [[[0, 4]], [[4, 2]], [[6, 1]]]);
  assert.deepEqual(charpipe.records("fb:4", input, {}).error.code, "record-cut");
  assert.throws(() => charpipe.records("fb:4", input, { jobs: 2 }), { code: "usage" });

  const options = { from: "latin1", lengthField: "LEN", shortRecords: "null", format: "jsonl", addColumns: ["number", "offset"] };
  const { text, report } = charpipe.rows(counted, three, options);
  assert.equal(text.split("\n")[1], '{"_number":2,"_offset":4,"LEN":2,"TEXT":"a"}');
  assert.deepEqual([report.rows, report.bytes_in, report.bytes_out, report.error], [3, 7, text.length, null]);
  const error = assertThrows(() => charpipe.rows("A 1 2 packed\n", bytes(0x12, 0x3c, 0x12, 0x34)));
  assert.deepEqual([error.code, error.offset, error.record, error.text, error.report.rows], ["bad-number", 2, 2, "A\n123\n", 1]);
  assert.throws(() => charpipe.rows("01 A.\n   05 B PIC X(3) OCURS 3.\n", three), { code: "bad-layout", line: 2, column: 18 });
  assert.throws(() => charpipe.rows(counted, three, { addColumns: "file" }), { code: "usage" });
  assert.throws(() => charpipe.rows(counted, three, { format: "xml" }), { code: "usage", message: /csv, jsonl/ });
  assert.equal(charpipe.rows("A 1 2 text\n", Buffer.from("=1"), { from: "latin1", formulas: "quote" }).text, "A\n'=1\n");
  const blank = Buffer.from("  ");
  assert.equal(charpipe.rows("A 1 2 text\n", blank, { from: "latin1", select: ["A"], quoteEmpty: true }).text, 'A\n""\n');
  const missing = { from: "latin1", emptyIsNull: true, onBad: "null", quoteEmpty: true };
  assert.equal(charpipe.rows("A 1 2 text\nN 1 2 zoned\n", blank, missing).text, 'A,N\n"",\n');
  assert.throws(() => charpipe.rows("A 1 2 text\n", blank, { quoteEmpty: "yes" }), { code: "usage", message: /true, false/ });
  await charpipe.load();
  assert.throws(() => charpipe.rows(counted, three), { code: "usage", message: /load\("all"\)/ });
  assert.throws(() => charpipe.records("fb:3", input, {}), { code: "usage" });
});

test("the schema of a layout", async () => {
  await charpipe.load("all");
  const copybook = "01 R.\n 05 BORN-ON PIC 9(8).\n 05 PAY PIC S9(3)V99 COMP-3 OCCURS 2.\n";
  const options = { dates: ["BORN-ON=YYYYMMDD"], underscores: true, addColumns: "number" };
  assert.equal(
    charpipe.schema(copybook, "sqlite", options),
    `CREATE TABLE "R" (\n  "_number" INTEGER,\n  "BORN_ON" TEXT,\n  "PAY[1]" TEXT,\n  "PAY[2]" TEXT\n);\n`,
  );
  const avro = JSON.parse(charpipe.schema(new TextEncoder().encode(copybook), "avro"));
  assert.deepEqual([avro.name, avro.fields.map(({ name }) => name)], ["R", ["BORN_ON", "PAY"]]);
  const spark = JSON.parse(charpipe.schema(copybook, "spark", { integers: true, select: "BORN-ON" }));
  assert.deepEqual(spark.fields, [{ name: "BORN-ON", type: "integer", nullable: true, metadata: {} }]);
  assert.equal(JSON.parse(charpipe.schema(copybook, "json-schema")).properties.PAY.maxItems, 2);
  // Errors.
  const error = assertThrows(() => charpipe.schema("01 A.\n   05 B PIC X(3) OCURS 3.\n", "avro"));
  assert.deepEqual([error.code, error.line, error.column], ["bad-layout", 2, 18]);
  const wrong = { code: "usage", message: /^format: "arrow" is not one of duckdb, postgresql/ };
  assert.throws(() => charpipe.schema(copybook, "arrow"), wrong);
  assert.throws(() => charpipe.schema(copybook, "avro", { trim: "none" }), { message: /no meaning for a schema/ });
  assert.throws(() => charpipe.schema(copybook, "avro", { select: "NO" }), { code: "bad-layout" });
  await charpipe.load();
  assert.throws(() => charpipe.schema(copybook, "avro"), { code: "usage", message: /load\("all"\)/ });
});

test("the module's memory does not grow with the input", () => {
  const input = new Uint8Array(1 << 20).fill(0xc1);
  for (const [from, to] of [
    ["IBM037", "UTF-8"],
    ["IBM939", "UTF-16"],
    ["ISO-8859-1", "IBM1047"],
  ]) {
    const stream = new Stream(current(), { from, to, malformed: "replace", unmappable: "replace" });
    const memory = () => current().exports.memory.buffer.byteLength;
    stream.push(input, () => {});
    const before = memory();
    for (let piece = 0; piece < 32; piece++) stream.push(input, () => {});
    stream.finish(() => {});
    assert.equal(memory(), before, from);
    assert.equal(stream.report().bytes_in, 33 << 20);
    stream.close();
  }
});

test("sizes", async () => {
  const brotli = async (name) => {
    const file = readFileSync(new URL(name, dist));
    const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: file.length };
    return (await promisify(brotliCompress)(file, { params })).length;
  };
  const limits = { "charpipe.wasm": 550_000, "charpipe-small.wasm": 363_000, "charpipe-all.wasm": 1_275_000, "charpipe-command.wasm": 2_000_000 };
  const check = async ([name, most]) => {
    const size = await brotli(name);
    console.log(`${name}: ${size} bytes with brotli; the limit is ${most}`);
    assert.ok(size <= most, `${name}: ${size}`);
  };
  await Promise.all(Object.entries(limits).map(check));
  const script = readdirSync(dist).filter((name) => name.endsWith(".js") && name !== "iconv-lite.js");
  const len = script.reduce((sum, name) => sum + statSync(new URL(name, dist)).size, 0);
  // It is not to grow without a reason (6.1 KB are the tables that learn, which take a third of the module's time or less).
  assert.ok(len < 29_000, `${len} bytes of script`);
});

test("a decoder and an encoder do with each value what decode and encode do", () => {
  const outcome = (action) => {
    try {
      return action();
    } catch (error) {
      const { code, message, offset, text, output } = error;
      return { code, message, offset, text, output };
    }
  };
  const values = [
    bytes(),
    bytes(0x41),
    bytes(0xef, 0xbb, 0xbf, 0x41),
    bytes(0xfe, 0xff, 0x00, 0x41),
    bytes(0xc1, 0x40, 0xff),
    bytes(0x41, 0xe9),
    bytes(0x82, 0xa0, 0x82),
    new TextEncoder().encode("<?xml version='1.0' encoding='ISO-8859-1'?><a/>"),
    new Uint8Array(100).fill(0x42),
    // More than goes into the module at a time, and the same with an error at its end.
    new Uint8Array(600_000).fill(0x41),
    new Uint8Array(300_001).fill(0x41).fill(0xff, 300_000),
  ];
  for (const options of [{}, { from: "IBM037" }, { from: "US-ASCII" }, { from: "Shift_JIS", malformed: "replace" }]) {
    const decoder = new charpipe.Decoder(options);
    // Each after each other one: no value may depend on the one before.
    for (const _ of [1, 2]) {
      for (const value of [...values, ...[...values].reverse()]) {
        const expected = outcome(() => decodedByStream(value, options));
        assert.deepEqual(outcome(() => charpipe.decode(value, options)), expected, `${value.subarray(0, 9)}`);
        assert.deepEqual(outcome(() => decoder.decode(value)), expected, `${value.subarray(0, 9)}`);
      }
    }
    decoder.close();
  }
  const texts = ["", "a", "5 €", "\ufeffa", "é\ud800", "漢字", "a".repeat(300_000), "é".repeat(200_000) + "漢"];
  for (const [to, options] of [["ISO-8859-1", {}], ["IBM037", { unmappable: "replace" }], ["UTF-16", {}], ["Shift_JIS", {}]]) {
    const encoder = new charpipe.Encoder(to, options);
    for (const text of [...texts, ...[...texts].reverse()]) {
      const expected = outcome(() => encodedByStream(text, to, options));
      assert.deepEqual(outcome(() => charpipe.encode(text, to, options)), expected, `${to}: ${text.slice(0, 9)}`);
      assert.deepEqual(outcome(() => encoder.encode(text)), expected, `${to}: ${text.slice(0, 9)}`);
    }
    encoder.close();
  }
  assert.throws(() => new charpipe.Decoder({ from: "none" }), { code: "unknown-label" });
});

test("short values from a table, which is made after many, are what a stream makes of them", () => {
  const below = dice();
  const some = (list, len) => Array.from({ length: len }, () => list[below(list.length)]);
  const chars = ["a", "9", "<", ">", " ", "\n", "\x85", "\xA0", "\0", "~", "+", "\x1B", "é", "ÿ", "Ж", "あ", "漢", "€", "\uFEFF", "\uD83D"];
  const starts = ["", "<?xml version='1.0' encoding='IBM037'?>", " <a>", "\x85<a>", "@charset \"x\";", "%PDF-1.4", "GIF89a", "PK\x03\x04", "{\\rtf1", "\uFEFF", "x <a"];
  const known = new Set(charpipe.names().map(({ name }) => name));
  let looked = 0;
  const checkDecoder = (options) => {
    const decoder = new charpipe.Decoder(options);
    const check = (value) => {
      const expected = outcome(() => decodedByStream(value, options));
      assert.deepEqual(outcome(() => decoder.decode(value)), expected, `${Object.entries(options)}: ${value}`);
      assert.deepEqual(outcome(() => charpipe.decode(value, options)), expected, `${Object.entries(options)}: ${value}`);
      return typeof expected === "string";
    };
    const all = Array.from({ length: 256 }, (_, byte) => byte);
    const before = all.map((byte) => outcome(() => decoder.decode(bytes(byte))));
    const single = all.filter((byte) => typeof before[byte] === "string");
    for (let i = 0; i < 1000; i++) outcome(() => decoder.decode(bytes(...single.slice(0, 1))));
    for (const byte of single) assert.equal(decoder.decode(bytes(byte)), before[byte]);
    for (let i = 0; i < 15; i++) looked += check(Uint8Array.from(some(single, below(70)))) ? 1 : 0;
    for (let i = 0; i < 10; i++) check(Uint8Array.from({ length: below(9) }, () => below(256)));
    for (const start of starts) {
      const text = start + some(chars, below(20)).join("");
      for (const to of ["UTF-8", options.from].filter((name) => known.has(name))) {
        check(charpipe.encode(text, to, { unmappable: "drop" }));
      }
    }
    decoder.close();
    assert.throws(() => decoder.decode(bytes(0x41)));
  };
  const checkEncoder = (to, options) => {
    const encoder = new charpipe.Encoder(to, options);
    for (let i = 0; i < 1000; i++) outcome(() => encoder.encode("1"));
    const texts = [...starts, ...chars, "", "aé".repeat(9), "a".repeat(64), "a".repeat(65), "a".repeat(70)];
    for (let i = 0; i < 15; i++) texts.push(some(chars, below(5)).join(""));
    for (const text of texts) {
      const expected = outcome(() => encodedByStream(text, to, options));
      assert.deepEqual(outcome(() => encoder.encode(text)), expected, `${to} ${text}`);
      assert.deepEqual(outcome(() => charpipe.encode(text, to, options)), expected, `${to} ${text}`);
    }
    encoder.close();
    assert.throws(() => encoder.encode("a"));
  };
  for (const { name } of charpipe.names()) {
    checkDecoder({ from: name });
    checkEncoder(name, {});
  }
  assert.ok(looked > 200 * 15, `${looked}`);
  // Tables are shared, and only some are kept.
  assert.equal(current().tables.size, 16);
  for (const from of ["windows-1252", "IBM1047", "Shift_JIS", "US-ASCII", "ISO-8859-1"]) {
    for (const options of [{ malformed: "replace" }, { malformed: "drop" }, { eol: "crlf" }, { bom: "add" }, { controls: "space" }, { relabel: "never" }, { strict: true }, { policy: "whatwg" }]) {
      checkDecoder({ from, ...options });
    }
    for (const options of [{ unmappable: "replace" }, { unmappable: "xml" }, { bom: "keep" }, { bom: "strip" }, { eol: "crlf" }, { relabel: "auto" }, { as: "xml" }]) {
      checkEncoder(from, options);
    }
  }
  const others = [{}, { from: undefined }, { from: "auto" }, { from: " AUTO" }, { from: ["IBM037"] }, { fallback: "IBM037" }];
  for (const options of others) checkDecoder(options);
});

test("pairs of bytes and characters, which tables learn, are what a stream makes of them", () => {
  const outcome = (action) => {
    try {
      const value = action();
      return typeof value === "string" ? value : Buffer.from(value).toString("latin1");
    } catch (error) {
      return error.code;
    }
  };
  const names = charpipe.names().filter(({ single_byte }) => !single_byte).map(({ name }) => name);
  const more = ["UTF-8", "UTF-16LE", "IBM300", "IBM939", "Shift_JIS", "EUC-JP", "ISO-2022-JP", "gb18030", "Big5", "EUC-KR"];
  assert.ok(more.every((name) => names.includes(name)) && names.length > 60);
  const counts = [0, 0];
  for (const name of names) {
    // Odd numbers, so that every byte comes first and second.
    const step = process.env.CHARPIPE_FULL ? 1 : more.includes(name) ? 13 : 251;
    // With a longer list of options no table is made.
    const [decoder, decoderOfStream] = [{}, { relabel: "never" }].map((other) => new charpipe.Decoder({ from: name, malformed: "replace", ...other }));
    const options = { unmappable: "replace" };
    const [encoder, encoderOfStream] = [{}, { eol: "keep" }].map((other) => new charpipe.Encoder(name, { ...options, ...other }));
    // Some have only characters of two bytes.
    const encoded = (char) => outcome(() => charpipe.encode(char, name, { bom: "strip" }));
    const char = encoded("A") === "unmappable" ? "\uFF21" : "A";
    const letter = Buffer.from(encoded(char), "latin1");
    for (let i = 0; i < 1000; i++) {
      decoder.decode(letter);
      encoder.encode(char);
    }
    // Between two letters, to see whether it changes what comes after it; and twice, to see what was learned.
    for (let pair = 0; pair < 65536; pair += step) {
      const value = Uint8Array.from([...letter, pair >> 8, pair & 255, ...letter]);
      const expected = outcome(() => decoderOfStream.decode(value));
      for (const _ of [1, 2]) assert.equal(outcome(() => decoder.decode(value)), expected, `${name}: ${value}`);
      counts[0] += expected.length === 3 ? 1 : 0;
    }
    for (let unit = 0; unit < 65536; unit += step) {
      const text = char + String.fromCharCode(unit) + char;
      const expected = outcome(() => encoderOfStream.encode(text));
      for (const _ of [1, 2]) assert.equal(outcome(() => encoder.encode(text)), expected, `${name}: ${unit}`);
      counts[1] += expected.length === 2 * letter.length + 2 ? 1 : 0;
    }
    for (const stream of [decoder, decoderOfStream, encoder, encoderOfStream]) stream.close();
  }
  assert.ok(counts[0] > 10_000 && counts[1] > 10_000, `${counts}`);
});

test("text in UTF-16LE, which the host converts, is what a stream makes of it", () => {
  const outcome = (action) => {
    try {
      return [action()].map((value) => (typeof value === "string" ? value : Buffer.from(value).toString("latin1")))[0];
    } catch (error) {
      return [error.code, error.offset, error.text ?? error.output];
    }
  };
  const long = "Grüße, 漢字 𠮷\r\n".repeat(6000);
  const units = (text) => new Uint8Array(Buffer.from(text, "utf16le"));
  const xml = '<?xml version="1.0" encoding="UTF-16LE"?>\n';
  const short = ["", "a", "\uFEFFa", "a\uFEFF", "\uD800", "漢字 𠮷", `${xml}<a/>`];
  for (const text of [...short, long, `\uFEFF${long}`, `${xml}<a>${long}</a>`, ` <!DOCTYPE html><p>${long}`, `${long}\uD800${long}`, `a${long}\uFEFF`]) {
    for (const options of [{}, { as: "text" }, { eol: "lf" }, { malformed: "replace" }, { bom: "keep" }]) {
      for (const bytes of [units(text), units(text).subarray(0, -1)]) {
        const decoder = new charpipe.Decoder({ from: "UTF-16LE", ...options });
        const expected = outcome(() => decoder.decode(bytes));
        assert.deepEqual(outcome(() => charpipe.decode(bytes, { from: "utf16le", ...options })), expected);
        decoder.close();
      }
    }
    for (const options of [{}, { bom: "strip" }, { bom: "add" }, { bom: "yes" }, { eol: "lf" }]) {
      const convert = () =>
        charpipe.convert(new TextEncoder().encode(text), { relabel: "never", as: "text", ...options, from: "UTF-8", to: "UTF-16LE" });
      const expected = outcome(() => convert().bytes);
      assert.deepEqual(outcome(() => charpipe.encode(text, "UTF-16LE", options)), expected, JSON.stringify(options));
      const encode = () => new charpipe.Encoder("utf-16-le", options).encode(text);
      assert.deepEqual(outcome(encode), expected, JSON.stringify(options));
    }
  }
  // No options, in any form.
  for (const none of [undefined, null, {}]) {
    assert.deepEqual([...charpipe.encode("a", "UTF-16LE", none)], [0x61, 0]);
    assert.equal(charpipe.decode(bytes(0x61), none), "a");
  }
  // A pair of surrogates may stand wherever a piece ends.
  for (const start of ["", "a"]) {
    const text = start + "𠮷".repeat(70_000);
    assert.deepEqual(outcome(() => charpipe.encode(text, "UTF-8")), Buffer.from(text).toString("latin1"));
  }
});

test("long text that a table converts is what a stream makes of it", (t) => {
  const outcome = (action) => {
    try {
      return action();
    } catch (error) {
      return [error.code, error.offset, error.text];
    }
  };
  const same = (action, expected, what) => {
    const found = outcome(action);
    if (found !== expected) assert.deepEqual(found, expected, what);
  };
  // What many charsets have, and what only some have.
  const parts = ["ABC xyz, 1-2\n", "Zoë, 5 £ {~}\r\n", "漢字かなカナ。 abc\n", "한국어 문서\n", "中文文本\n", "\0\x85\t", "<a>", "𠮷😀", "日1本2語", "か\u309A"];
  const common = ["Shift_JIS", "gb18030", "EUC-KR", "IBM939", "IBM300", "UTF-16BE", "ISO-2022-JP"];
  const some = charpipe.names().filter(({ name }, at) => common.includes(name) || at % 9 === 0 || process.env.CHARPIPE_FULL);
  const MiB = 1024 * 1024;
  // It may end in the middle of a character.
  const long = (bytes) => Buffer.alloc(MiB + 1 + bytes.length, bytes);
  const [byStream, intoStream] = ["string", "encoded"].map((way) => t.mock.method(Stream.prototype, way).mock);
  const byTable = [0, 0];
  const count = (at, mock, before) => (byTable[at] += mock.callCount() === before ? 1 : 0);
  for (const { name } of some) {
    for (const part of common.includes(name) ? parts : parts.slice(0, 1)) {
      const text = part.repeat(MiB / part.length + 1);
      const options = { relabel: "never", as: "text", from: "UTF-8", to: name };
      const expected = outcome(() => Buffer.from(charpipe.convert(Buffer.from(text), options).bytes).toString("latin1"));
      const before = intoStream.callCount();
      same(() => Buffer.from(charpipe.encode(text, name)).toString("latin1"), expected, `${name}: ${part}`);
      count(0, intoStream, before);
      const bytes = outcome(() => charpipe.encode(part, name, { bom: "strip" }));
      if (!(bytes instanceof Uint8Array)) continue;
      const input = long(bytes);
      for (const options of [{}, { as: "text" }]) {
        const decoded = outcome(() => decodedByStream(input, { from: name, ...options }));
        assert.ok(typeof decoded === "string" || decoded[0] === "malformed");
        const decoder = new charpipe.Decoder({ from: name, ...options });
        for (const action of [() => charpipe.decode(input, { from: name, ...options }), () => decoder.decode(input)]) {
          const callsBefore = byStream.callCount();
          same(action, decoded, `${name}: ${part}`);
          count(1, byStream, callsBefore);
        }
        decoder.close();
      }
    }
  }
  assert.ok(byTable[0] > 30 && byTable[1] > 4 * 30, `${byTable}`);
  // Where something else is: at the beginning, in the middle, at the end of what goes through the table at a time.
  const [kana, euro] = [charpipe.encode("かな", "Shift_JIS"), Uint8Array.of(0x80)];
  for (const from of ["Shift_JIS", "windows-31j", "GB18030", "IBM939", "windows-1252"]) {
    for (const at of [0, 5000, 8191, MiB]) {
      for (const other of [euro, kana.subarray(0, 1), Uint8Array.of(0x1b), Uint8Array.of(0xfd, 0xff)]) {
        const input = long(kana);
        input.set(other, at);
        for (const options of [{}, { as: "text" }]) {
          const expected = outcome(() => decodedByStream(input, { from, ...options }));
          same(() => charpipe.decode(input, { from, ...options }), expected, `${from} ${at} ${other}`);
        }
      }
    }
  }
  const documents = ['<?xml version="1.0" encoding="EUC-JP"?><a>かな</a>', " <!DOCTYPE html><meta charset=GBK>かな", '@charset "GBK"; /* か */', "\uFEFFか"];
  for (const document of documents) {
    for (const from of ["Shift_JIS", "EUC-JP", "windows-1252", undefined]) {
      const input = long(Buffer.from(charpipe.encode(document, from === "windows-1252" ? "UTF-8" : (from ?? "UTF-8"), { unmappable: "drop" })));
      for (const options of [{}, { as: "text" }, { as: "xml" }, { as: "html" }, { malformed: "replace" }]) {
        const expected = outcome(() => decodedByStream(input, { from, ...options }));
        same(() => charpipe.decode(input, { from, ...options }), expected, `${from} ${document}`);
      }
    }
  }
});

test("text of any length, from anywhere in memory, is what a stream makes of it", () => {
  const below = dice();
  const words = ["ABC 12\n", "Grüße, ", "£5 €", "漢字かな", "中文文本，", "한국어 힣", "日1本2", "𠮷😀", "\x1B\x0E", "~{", "\u0301", "<a>", "\u3000"];
  const names = ["UTF-8", "UTF-16LE", "UTF-16BE", "UTF-16", "windows-1252", "ISO-8859-1", "IBM1047", "IBM939", "Shift_JIS", "gb18030", "GBK", "EUC-KR", "Big5", "ISO-2022-JP", "US-ASCII"];
  const lengths = [0, 1, 2, 3, 63, 64, 65, 66, 127, 128, 129, 300, 1000, 4095, 4096, 4097, 8190, 8191, 8192, 8193, 16383, 16384, 16385, 20000, 40000];
  let whole = 0;
  for (const name of names) {
    const [decoder, textDecoder, encoder] = [new charpipe.Decoder({ from: name }), new charpipe.Decoder({ from: name, as: "text" }), new charpipe.Encoder(name)];
    // Until there is a table.
    for (let i = 0; i < 1000; i++) outcome(() => [decoder.decode(bytes(0x41)), encoder.encode("A")][0]);
    for (const len of lengths) {
      for (const kinds of [1, 2, 5, 6, words.length]) {
        const some = Array.from({ length: kinds }, () => words[below(words.length)]);
        let text = "";
        while (text.length < len) text += some[below(kinds)];
        text = text.slice(0, len);
        const encoded = outcome(() => encodedByStream(text, name, {}));
        assert.deepEqual(outcome(() => encoder.encode(text)), encoded, `${name} ${text}`);
        assert.deepEqual(outcome(() => charpipe.encode(text, name)), encoded, `${name} ${text}`);
        const input = encodedByStream(text, name, { unmappable: "drop", bom: "strip" });
        const at = below(4);
        const moved = new Uint8Array(at + input.length).subarray(at);
        moved.set(input);
        for (const value of [moved, moved.subarray(0, -1)]) {
          const decoded = outcome(() => decodedByStream(value, { from: name }));
          whole += typeof decoded === "string" ? 1 : 0;
          assert.deepEqual(outcome(() => decoder.decode(value)), decoded, `${name} ${text}`);
          assert.deepEqual(outcome(() => charpipe.decode(value, { from: name })), decoded, `${name} ${text}`);
          const asText = outcome(() => decodedByStream(value, { from: name, as: "text" }));
          assert.deepEqual(outcome(() => textDecoder.decode(value)), asText, `${name} ${text}`);
        }
      }
    }
    for (const one of [decoder, textDecoder, encoder]) one.close();
  }
  assert.ok(whole > names.length * lengths.length * 5, `${whole}`);
});

test("what a byte order is chosen by is not looked up", () => {
  const input = new Uint8Array(Buffer.from("<?xml version='1.0'?><a/>", "utf16le"));
  const long = new Uint8Array(Buffer.from(`<?xml version='1.0'?><a>${"x".repeat(200_000)}</a>`, "utf16le"));
  for (const from of ["UTF-16", "ISO-10646-UCS-2"]) {
    for (const options of [{ from }, { from, as: "text" }]) {
      const decoder = new charpipe.Decoder(options);
      for (let i = 0; i < 1000; i++) assert.equal(decoder.decode(bytes(0, 0x41)), "A");
      for (let i = 0; i < 50; i++) assert.equal(charpipe.decode(bytes(0, 0x41), options), "A");
      for (const value of [input, long, input.subarray(2), bytes(0xff, 0xfe, 0x41, 0), bytes(0xfe, 0xff, 0, 0x41)]) {
        const expected = decodedByStream(value, options);
        assert.equal(decoder.decode(value), expected);
        assert.equal(charpipe.decode(value, options), expected);
      }
      decoder.close();
    }
  }
});

test("a table that is not kept any more is right, and its stream is closed", () => {
  const names = charpipe.names().filter(({ single_byte }) => single_byte).map(({ name }) => name);
  const held = new charpipe.Decoder({ from: "IBM1047" });
  for (let i = 0; i < 1000; i++) held.decode(bytes(0xc1));
  const memory = () => current().exports.memory.buffer.byteLength;
  let after;
  for (let round = 0; round < 40; round++) {
    for (const from of names.slice(0, 20)) {
      for (const action of [() => charpipe.decode(new Uint8Array(300_000).fill(0x4b), { from }), () => charpipe.encode("12".repeat(150_000), from)]) {
        try {
          action();
        } catch (error) {
          assert.ok(["malformed", "unmappable"].includes(error.code), error);
        }
      }
    }
    after ??= memory();
  }
  assert.equal(memory(), after);
  assert.equal(held.decode(bytes(0xc1, 0xc2, 0x4b)), "AB.");
  held.close();
});

test("text is the same where there is no Buffer, as in a browser", () => {
  // In a process of its own, as the functions look for Buffer when they are loaded.
  const script = `
    import { readFileSync } from "node:fs";
    const module = readFileSync(new URL("dist/charpipe.wasm", process.argv[1]));
    delete globalThis.Buffer;
    const { Decoder, Encoder, loadSync } = await import(new URL("dist/index.js", process.argv[1]));
    loadSync(module);
    const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16)).join(" ");
    for (const name of ["UTF-8", "UTF-16LE", "windows-1252", "gb18030", "Shift_JIS", "IBM939", "IBM1047"]) {
      for (const text of ["A1 b\\n", "é ü", "漢字かな", "中文 ABC", "𠮷"]) {
        for (const len of [20, 300, 20_000]) {
          const decoder = new Decoder({ from: name, malformed: "replace" });
          const encoder = new Encoder(name, { unmappable: "replace" });
          const long = text.repeat(len / text.length);
          const bytes = encoder.encode(long);
          const [before, hexBefore] = [decoder.decode(bytes), hex(bytes)];
          for (let i = 0; i < 1000; i++) decoder.decode(bytes.subarray(0, 2)), encoder.encode(long.slice(0, 2));
          if (decoder.decode(bytes) !== before || hex(encoder.encode(long)) !== hexBefore) throw name + text + len;
        }
      }
    }
    console.log("same");`;
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script, new URL("..", import.meta.url).href], { encoding: "utf8" });
  assert.equal(child.stdout, "same\n", child.stderr);
});

test("long text in Latin-1, which is translated byte by byte, is what a stream makes of it", () => {
  const latin1 = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
  // Each character after each other one.
  const pairs = (chars) => chars.map((first) => chars.map((second) => first + second).join("")).join("");
  const long = (text) => text.repeat(Math.ceil((1024 * 1024) / Math.max(text.length, 1)));
  const check = (text, to, options) => {
    const encoded = new TextEncoder().encode(text);
    const ask = { relabel: "never", as: "text", ...options, from: "UTF-8", to };
    const outcome = (action) => {
      try {
        return Buffer.from(action()).toString("latin1");
      } catch (error) {
        return [error.code, error.offset, Buffer.from(error.output ?? []).toString("latin1")];
      }
    };
    const expected = outcome(() => charpipe.convert(encoded, ask).bytes);
    assert.deepEqual(outcome(() => charpipe.encode(text, to, options)), expected, `${to} ${Object.entries(options ?? {})}`);
    return typeof expected === "string" && expected.length === text.length;
  };
  let translated = 0;
  for (const { name } of charpipe.names()) {
    const encoder = new charpipe.Encoder(name);
    const hasByte = (char) => {
      try {
        return encoder.encode(char).length === 1;
      } catch {
        return false;
      }
    };
    translated += check(long(pairs(latin1.filter(hasByte))), name, {});
    encoder.close();
  }
  assert.ok(translated > 200, `${translated}`);
  for (const to of ["windows-1252", "IBM1047", "IBM939", "ISO-2022-JP", "UTF-7", "UTF-16BE", "none"]) {
    for (const text of [long("\0\r\n\x85Zoë £5 {~}"), `${long("abcd")}ÿ`, `${long("abc")}€`]) {
      for (const bom of [undefined, "strip", "add", "yes"]) check(text, to, { bom });
      for (const unmappable of ["replace", "drop", "xml"]) check(text, to, { unmappable });
      check(text, to, { eol: "crlf" });
    }
  }
  // Whatever the options are made of, a table is used for the same ones only.
  const [ascii, accents] = [long("abc"), `é${long("abc")}`];
  check(ascii, "windows-1252", Object.create({ bom: "add" }));
  check(ascii, "windows-1252", { bom: "add" });
  check(accents, "US-ASCII", { unmappable: "replace" });
  check(accents, "US-ASCII", Object.create({ unmappable: "replace" }));
  for (const unmappable of [NaN, null, 1n, [], ["drop", "replace"], () => 1]) check(ascii, "IBM037", { unmappable });
  check(ascii, "IBM037", null);
  for (const name of ["IBM1047", "windows-1252", "none"]) check(ascii, { toString: () => name }, {});
  check(new String(accents), "windows-1252", {});
});
