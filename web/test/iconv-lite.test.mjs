// Tests `charpipe/iconv-lite`: `ICONV_LITE=DIR node --test web/test/iconv-lite.test.mjs`; DIR has
// node_modules/iconv-lite.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import * as charpipe from "../dist/index.js";
import { MIXED, register, registerMixed } from "../dist/iconv-lite.js";
import ibm1047 from "../dist/tables/ibm1047.js";

const iconv = createRequire(resolve(process.env.ICONV_LITE ?? ".", "package.json"))("iconv-lite");

/** The pages in which the bytes of these tests are characters. */
const MIXED_WITH_SHIFTS = /^IBM(930|933|935|937|939|1364|1371|1388|1390|1399)$/;

test("one page alone, without the module", () => {
  assert.ok(!iconv.encodingExists("IBM1047"));
  register(iconv, [ibm1047]);
  assert.equal(iconv.decode(Buffer.from([0xc8, 0x89]), "IBM1047"), "Hi");
  assert.ok(!iconv.encodingExists("IBM273"));
});

test("every single-byte page decodes and encodes as charpipe does", async () => {
  await charpipe.load();
  register(iconv);
  const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  const files = readdirSync(new URL("../dist/tables/", import.meta.url)).filter((name) => name.endsWith(".js"));
  let pages = 0;
  for (const file of files.filter((name) => name !== "index.js")) {
    const { name, labels, chars } = await import(`../dist/tables/${file}`);
    const text = charpipe.decode(bytes, { from: name, malformed: "replace" });
    assert.equal(chars, text, name);
    assert.equal(iconv.decode(bytes, name), text, name);
    const own = [...new Set(text.replaceAll("\uFFFD", ""))].join("");
    assert.deepEqual([...iconv.encode(own, name)], [...charpipe.encode(own, name)], name);
    for (const label of labels) assert.ok(iconv.encodingExists(label), label);
    pages += 1;
  }
  console.log(`${pages} single-byte pages`);
  assert.ok(pages >= 95, `${pages} pages`);
});

test("pages with double bytes, by the module", async () => {
  await charpipe.load();
  registerMixed(iconv);
  assert.ok(Object.keys(MIXED).length >= 8);
  for (const name of Object.keys(MIXED)) {
    const text = charpipe.decode(Buffer.from([0xc1, 0x0e, 0x40, 0x40, 0x42, 0xc1, 0x0f, 0xf1]), {
      from: name,
      malformed: "drop",
    });
    const bytes = iconv.encode(text, name);
    assert.deepEqual([...bytes], [...charpipe.encode(text, name, { unmappable: "replace" })], name);
    if (!MIXED_WITH_SHIFTS.test(name)) continue;
    assert.equal(iconv.decode(bytes, name), text, name);
    // In pieces, with the shift state kept.
    const decoder = iconv.getDecoder(name);
    let pieces = "";
    for (const byte of bytes) pieces += decoder.write(Buffer.from([byte])) ?? "";
    assert.equal(pieces + (decoder.end() ?? ""), text, name);
  }
  assert.equal(iconv.decode(Buffer.from([0x0e, 0x45, 0x66, 0x0f]), "IBM939"), "本");
  assert.equal(iconv.decode(Buffer.from([0xc1, 0x0e, 0x45]), "IBM939"), "A\uFFFD");
});
