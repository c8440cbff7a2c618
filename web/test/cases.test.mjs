// The cases of `spec/cases` in Node: conversions whole, and in pieces through a stream; rows by the fields of each
// record. Run with `node --test web/test/cases.test.mjs`, after `node web/build.mjs wasm package`.

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
  mojibake: null,
  records: null,
  records_out: null,
  record_newlines: null,
  records_cut: null,
  passed: false,
  diagnostics: [],
};

/** The cases of a list for this door. One that is not for it says why. */
function cases(list) {
  const all = allCases(list);
  for (const { not_for: reasons } of all) assert.notEqual(reasons?.npm, "");
  return all.filter(({ not_for: reasons }) => reasons?.npm === undefined);
}

function allCases(list) {
  const text = readFileSync(new URL(`../../spec/cases/${list}`, import.meta.url), "utf8");
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
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
  const place = (keys) => ["code", "offset", "line", "record", "column"].map((key) => keys[key] ?? null);
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

/** The values of a line of JSON by the paths of their fields. Numbers are text, as they are written. */
function rowOf(line) {
  const row = {};
  const flatten = (value, path) => {
    if (value === null || typeof value === "string") row[path] = value;
    else if (Array.isArray(value)) value.forEach((element, at) => flatten(element, `${path}[${at + 1}]`));
    else for (const name in value) flatten(value[name], path === "" ? name : `${path}.${name}`);
  };
  const stringOrNumber = /"(?:\\.|[^"\\])*"|-?\d[\d.eE+-]*/g;
  flatten(JSON.parse(line.replace(stringOrNumber, (part) => (part[0] === '"' ? part : `"${part}"`))), "");
  return row;
}

/** Where the byte `at` of a record is in the input. */
function offsetIn(pieces, at) {
  let end = 0;
  for (const [start, length] of pieces) {
    if (at < length) return start + at;
    at -= length;
    end = start + length;
  }
  return end + at;
}

/**
 * Reads the records of a case, which `records` finds, one by one until the first error, whose offset becomes that in the
 * input.
 */
function readRecords(entry) {
  const { records: shape, ...rest } = entry.options;
  const options = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [camel(name), FLAGS[value] ?? value.split("\n")]),
  );
  const input = bytes(entry, "input");
  const { lengths } = charpipe.fields(entry.layout, new Uint8Array(), options);
  // As in the other doors, records have the length of the layout if nothing says how they are stored.
  const found = charpipe.records(shape ?? `fb:${lengths[1]}`, input);
  const rows = [];
  for (const [index, pieces] of (found.records ?? []).entries()) {
    const record = Buffer.concat(pieces.map(([at, length]) => input.subarray(at, at + length)));
    const { fields, type, cut, error } = charpipe.fields(entry.layout, record, options);
    assert.equal(cut, false, entry.name);
    if (error) return { rows, error: { ...error, offset: offsetIn(pieces, error.offset), record: index + 1 } };
    const row = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
    rows.push(type === null ? row : { ...row, _type: type });
  }
  return { rows, error: found.error };
}

test("the fields of every record of the suite", () => {
  const found = cases("rows.jsonl");
  for (const entry of found) {
    if (entry.refused) {
      const read = () => {
        const { error } = readRecords(entry);
        if (error) throw error;
      };
      assert.throws(read, { code: entry.refused }, entry.name);
      continue;
    }
    const { rows, error } = readRecords(entry);
    assert.deepEqual(rows, entry.jsonl.split("\n").slice(0, -1).map(rowOf), entry.name);
    const place = (keys) => ["code", "offset", "record", "field", "bytes"].map((key) => keys[key] || null);
    assert.deepEqual(error && place(error), entry.error ? place(entry.error) : null, entry.name);
  }
  assert.ok(found.length > 115, `${found.length}`);
});

/** Options that have no meaning where there are no files. */
const OF_FILES = ["copy-path", "to-records", "binary-range", "jobs"];

test("the rows of every input of the suite, whole and in pieces", async () => {
  const all = allCases("rows.jsonl").filter(({ options }) => !OF_FILES.some((name) => name in options));
  for (const entry of all) {
    for (const format of ["csv", "jsonl"]) {
      const given = Object.entries(entry.options).map(([name, value]) => [camel(name), FLAGS[value] ?? value.split("\n")]);
      const options = { ...Object.fromEntries(given), format };
      const input = bytes(entry, "input");
      const whole = () => charpipe.rows(entry.layout, input, options);
      if (entry.refused) {
        assert.throws(whole, { code: entry.refused }, entry.name);
        continue;
      }
      for (const read of [whole, () => rowsInPieces(entry.layout, input, options)]) {
        let [result, error] = [null, null];
        try {
          result = await read();
        } catch (caught) {
          [result, error] = [caught, caught];
        }
        assert.equal(result.text, entry[format], entry.name);
        assert.equal(error?.code, entry.error?.code, entry.name);
        assert.equal(error?.offset, entry.error?.offset, entry.name);
        assert.equal(result.report.rows, entry.report.rows, entry.name);
      }
    }
  }
  assert.ok(all.length > 180, `${all.length}`);
});

test("the rows of Arrow of every input of the suite, whole and in pieces", async () => {
  const isArrow = ({ options, refused }) => !refused && ![...OF_FILES, "formulas", "quote-empty"].some((name) => name in options);
  const all = allCases("rows.jsonl").filter(isArrow);
  for (const entry of all) {
    const given = Object.entries(entry.options).map(([name, value]) => [camel(name), FLAGS[value] ?? value.split("\n")]);
    const options = { ...Object.fromEntries(given), format: "arrow" };
    const input = bytes(entry, "input");
    const results = [];
    for (const read of [() => charpipe.rows(entry.layout, input, options), () => rowsInPieces(entry.layout, input, options)]) {
      let [result, error] = [null, null];
      try {
        result = await read();
      } catch (caught) {
        [result, error] = [{ bytes: caught.output, report: caught.report }, caught];
      }
      assert.equal(error?.code, entry.error?.code, entry.name);
      assert.equal(result.report.rows, entry.report.rows, entry.name);
      results.push(Buffer.from(result.bytes));
    }
    assert.ok(results[0].equals(results[1]), entry.name);
    assert.equal(results[0].subarray(-8).toString("hex") === "ffffffff00000000", !entry.error, entry.name);
  }
  assert.ok(all.length > 150, `${all.length}`);
});

async function rowsInPieces(layout, input, options) {
  const stream = new charpipe.RowsStream(layout, options);
  const writer = stream.writable.getWriter();
  const written = (async () => {
    for (let at = 0; at < input.length; at += 3) await writer.write(input.subarray(at, at + 3));
    await writer.close();
  })();
  written.catch(() => {});
  const pieces = [];
  const result = () => ({ ...(options.format === "arrow" ? { bytes: Buffer.concat(pieces) } : { text: pieces.join("") }), report: stream.report });
  try {
    for await (const piece of stream.readable) pieces.push(piece);
    await written;
    return result();
  } catch (error) {
    const { bytes, ...others } = result();
    throw Object.assign(error, { output: bytes, ...others });
  }
}
