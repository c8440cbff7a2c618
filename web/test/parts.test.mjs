// Tests in Node what the page computes: `node --test web/test/parts.test.mjs`, after `node web/build.mjs`. What it
// shows is tested in a browser, by page.test.mjs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { hexLines, ruler, texts } from "../page/columns.js";
import { columnsOf, inUtf8, summary, tellApart, valueOf } from "../page/fields.js";
import { manualLink } from "../page/build.mjs";
import { columnsIn, rowsCommand, valuesOf } from "../page/rows.js";
import { convert, fields, load, rows } from "../src/index.js";

const bytes = (...values) => Uint8Array.from(values);

before(() => load(readFileSync(new URL("../dist/charpipe-all.wasm", import.meta.url))));

test("a layout is told apart from data by its name, or by where it was dropped", () => {
  const [data, copybook, other] = ["ACCT.bin", "ACCT.CPY", "ACCT.txt"].map((name) => ({ name }));
  assert.deepEqual(tellApart([data], false), { layout: undefined, data });
  assert.deepEqual(tellApart([copybook], false), { layout: copybook, data: undefined });
  assert.deepEqual(tellApart([data, copybook], false), { layout: copybook, data });
  assert.deepEqual(tellApart([data, copybook], true), { layout: copybook, data });
  assert.deepEqual(tellApart([other], true), { layout: other, data: undefined });
  assert.deepEqual(tellApart([], true), { layout: undefined, data: undefined });
});

test("a record below its ruler: every byte has one column", () => {
  assert.equal(ruler(23), "----+----1----+----2---");
  assert.equal(ruler(0), "");
  const record = bytes(0xc1, 0x0e, 0x45, 0x66, 0x0f, 0x00);
  assert.deepEqual(texts("IBM939", record), ["A", "·", "本", " ", "·", "·"]);
  assert.deepEqual(texts("UTF-8", bytes(0x61, 0xff, 0xc3, 0xa9)), ["a", "·", "é", " "]);
  assert.deepEqual(hexLines(record), [[..."C04600"], [..."1E56F0"]]);
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const label of ["IBM1047", "UTF-8", "Shift_JIS", "UTF-16LE", "IBM930"]) {
    assert.equal(texts(label, all).length, 256, label);
  }
});

test("fields in words", () => {
  const layout = "NAME 1 4 text\nCOUNT 5 1 zoned,unsigned\nAMOUNT 6 2 packed.1\nREST 8 1 raw\n";
  const record = bytes(0x4c, 0x82, 0x6e, 0x00, 0xf7, 0x12, 0x34, 0xab, 0x00);
  const read = fields(layout, record, { onBad: "null" });
  assert.deepEqual(read.fields.map(columnsOf), ["1–4", "5", "6–7", "8"]);
  assert.deepEqual(read.fields.map(valueOf), [
    "“<b>·”",
    "7",
    "12 34 is not a number; expected a digit in each half byte, and a sign from A to F in the last one",
    "AB",
  ]);
  assert.equal(
    summary(read, 3, record.length),
    "Record 3 in IBM037: 9 bytes. 1 of 4 fields cannot be read. The layout describes only 8 of them.",
  );
  assert.equal(valueOf({ kind: "packed", value: null, error: null }), "none");
  assert.equal(valueOf({ kind: "text", value: "x".repeat(1000), error: null }).length, 203);
  const counted = "01 R.\n 05 N PIC 9.\n 05 A PIC X OCCURS 0 TO 2 DEPENDING ON N.\n";
  assert.equal(
    summary(fields(counted, bytes(0xf7)), 1, 1),
    "Record 1 in IBM037: 1 byte. The fields after N cannot be found: F7 is the count 7, but A occurs 0 to 2 times.",
  );
  assert.match(summary(fields("A 1 1*1000000 raw\n", bytes(7)), 1, 1), /Only the first 1000 fields are shown\.$/);
});

test("the columns of rows are those of the command", () => {
  const layout = "A 1 1 text\nB 2 2*2 zoned,unsigned\n";
  const columns = columnsIn(layout, {});
  assert.deepEqual(columns, ["A", "B[1]", "B[2]"]);
  assert.deepEqual(valuesOf(columns, fields(layout, bytes(0xc1, 0xf0, 0xf1, 0xf0, 0xf2))), ["A", "1", "2"]);
  assert.equal(rows(layout, bytes(0xc1, 0xf0, 0xf1, 0xf0, 0xf2)).text, "A,B[1],B[2]\nA,1,2\n");
});

test("the command for rows", () => {
  const about = { layoutName: "MY LAYOUT.cpy", label: "IBM1047", shape: "fb:8", file: { name: "-clients.v2.bin" } };
  assert.equal(
    rowsCommand({ ...about, problems: { fields: 0 } }),
    "charpipe rows --layout 'MY LAYOUT.cpy' --from IBM1047 --records fb:8 -o ./-clients.v2.csv ./-clients.v2.bin",
  );
  assert.match(rowsCommand({ ...about, problems: { fields: 1 } }), / --on-bad null -o /);
});

test("a copybook in EBCDIC, in cards and in lines", () => {
  const copybook = "       01  CLIENT.\n           05  NAME    PIC X(4).\n";
  const utf8 = new TextEncoder().encode(copybook);
  assert.equal(inUtf8(utf8).bytes, utf8);
  for (const options of [{ toRecords: "fb:80" }, { eol: "nel" }]) {
    const { bytes, from } = inUtf8(convert(utf8, { to: "IBM037", ...options }).bytes);
    assert.equal(from, "IBM037");
    assert.deepEqual(fields(bytes, new Uint8Array()).lengths, [4, 4]);
  }
});

test("the page links to the manual if the package names its address", () => {
  assert.equal(manualLink("https://example.org/owner/charpipe"), ' · <a href="https://example.org/owner/charpipe">Manual</a>');
  assert.equal(manualLink(undefined), "");
  const { homepage } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url)));
  assert.ok(readFileSync(new URL("../dist/page/index.html", import.meta.url), "utf8").includes(`no requests.${manualLink(homepage)}</p>`));
});
