// The cases of `spec/cases` in Node: whole, and in pieces through a stream. Run with `node --test
// web/test/cases.test.mjs`, after `node web/build.mjs wasm package`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import * as charpipe from "../dist/index.js";

before(() => charpipe.load("all"));

/** The report of a case that says nothing else. */
const QUIET = {
  malformed: { count: 0, first: [], read_as: null },
  unmappable: { count: 0, first: [] },
  relabelled: null,
  controls: null,
  records: null,
  records_out: null,
  record_newlines: null,
  records_cut: null,
  passed: false,
  diagnostics: [],
};

/** The cases of a list for this door. One that is not for it says why. */
function cases(list) {
  const text = readFileSync(new URL(`../../spec/cases/${list}`, import.meta.url), "utf8");
  const all = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  for (const { not_for: reasons } of all) assert.notEqual(reasons?.npm, "");
  return all.filter(({ not_for: reasons }) => reasons?.npm === undefined);
}

const bytes = (entry, key) =>
  new Uint8Array(Buffer.from(entry[`${key}_hex`] ?? entry[key] ?? "", `${key}_hex` in entry ? "hex" : "utf8"));

/** A value of a report. Diagnostics are without their messages. */
function reported(keys, key) {
  const value = keys[key] ?? null;
  if (key !== "diagnostics") return value;
  return value.map(({ code, severity, offset }) => ({ code, severity, offset }));
}

function checkReport(entry, how, report) {
  const expected = { ...QUIET, bytes_out: bytes(entry, "output").length, ...entry.report };
  for (const key in expected) assert.deepEqual(reported(report, key), expected[key], `${entry.name}, ${how}: ${key}`);
  for (const key in entry.verdict ?? {}) {
    assert.deepEqual(reported(report.verdict, key), entry.verdict[key], `${entry.name}, ${how}: ${key}`);
  }
}

function checkError(entry, how, error) {
  const what = `${entry.name}, ${how}: ${error?.message}`;
  const place = (keys) => ["code", "offset", "record", "column"].map((key) => keys[key] ?? null);
  assert.deepEqual(error && place(error), entry.error && place(entry.error), what);
  if (!entry.error) return;
  assert.equal(error.bytes && Buffer.from(error.bytes).toString("hex").toUpperCase(), entry.error.bytes, what);
  assert.equal(error.char, entry.error.char, what);
}

/** Runs a conversion whole. Returns the output, the report and the error. */
function whole(entry, options) {
  try {
    const { bytes: output, report } = charpipe.convert(bytes(entry, "input"), options);
    return { output, report };
  } catch (error) {
    return { output: error.output, report: error.report, error };
  }
}

/** Runs a conversion through a stream, in pieces of `size` bytes. */
async function inPieces(entry, options, size) {
  const stream = new charpipe.ConverterStream(options);
  const input = bytes(entry, "input");
  const writing = (async () => {
    const writer = stream.writable.getWriter();
    for (let at = 0; at < input.length; at += size) await writer.write(input.subarray(at, at + size));
    await writer.close();
  })().catch(() => {});
  const [output, reader] = [[], stream.readable.getReader()];
  let failure;
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) output.push(...value);
  } catch (error) {
    failure = error;
  }
  await writing;
  return { output: Uint8Array.from(output), report: stream.report, error: failure };
}

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
const FLAGS = { true: true, false: false };

test("every conversion of the suite", async () => {
  const found = cases("convert.jsonl");
  for (const entry of found) {
    const options = Object.entries(entry.options).map(([name, value]) => [camel(name), FLAGS[value] ?? value]);
    const given = Object.fromEntries(options);
    if (entry.refused) {
      assert.throws(() => charpipe.convert(bytes(entry, "input"), given), { code: entry.refused }, entry.name);
      continue;
    }
    for (const size of [undefined, 1, 2, 3, 7]) {
      const { output, report, error } = size ? await inPieces(entry, given, size) : whole(entry, given);
      const how = size ? `pieces of ${size}` : "whole";
      checkError(entry, how, error);
      assert.deepEqual(Buffer.from(output), Buffer.from(bytes(entry, "output")), `${entry.name}, ${how}`);
      checkReport(entry, how, report);
    }
  }
  assert.ok(found.length > 200, `${found.length}`);
});
