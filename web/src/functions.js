// The functions that all entries of the package have. index.d.ts documents them.

import { asBytes } from "./bytes.js";
import { hasOnly, reader, writer } from "./direct.js";
import { CharpipeError } from "./error.js";
import { current, loadSync } from "./load.js";
import { Stream, optionLines } from "./module.js";
import { isBinary, layoutBytes, needs, openRows } from "./rows.js";

export { CharpipeError, loadSync };
export { DecoderStream, EncoderStream, ConverterStream, RowsStream } from "./streams.js";
export { Decoder, Encoder } from "./values.js";

export function convert(input, options = {}) {
  const bytes = asBytes(input);
  const stream = new Stream(current(), options);
  try {
    return { bytes: stream.all(bytes), report: stream.report() };
  } finally {
    stream.close();
  }
}

/** Inputs from this length on are worth a look. */
const LARGE = 64 * 1024;
/** The options with which UTF-8 and UTF-16 give the same text. */
const PLAIN = ["from", "malformed", "as", "eol", "ebcdicNl", "ebcdic-nl"];
/** How many bytes of a large input are looked at to see which way is faster. */
const LOOKED = 4 * 1024;

/** Whether the beginning of an input is plain text, most characters of which have three bytes or four in UTF-8. */
function isWide(bytes, options) {
  const stream = new Stream(current(), { ...options, to: "UTF-8" });
  let [len, chars] = [0, 0];
  const add = (piece) => {
    len += piece.length;
    chars += piece.filter((byte) => (byte & 0xc0) !== 0x80).length;
  };
  try {
    stream.push(bytes.subarray(0, LOOKED), add);
    return stream.verdict()?.kind === "text" && len > 2 * chars;
  } catch {
    return false;
  } finally {
    stream.close();
  }
}

/**
 * Returns the encoding in which the module gives text to the host. If most characters have three bytes in UTF-8, as in
 * Japanese, the host is faster with UTF-16. The label of a document is to be that of UTF-8, so this is for text only.
 */
function encodingForHost(bytes, options) {
  const isLarge = bytes.length >= LARGE && hasOnly(options, PLAIN);
  return isLarge && isWide(bytes, options) ? "UTF-16LE" : "UTF-8";
}

export function decode(input, options = {}) {
  const bytes = asBytes(input);
  options = { ...options };
  const text = reader(current(), options, true)(bytes);
  if (text !== undefined) return text;
  const to = encodingForHost(bytes, options);
  const stream = new Stream(current(), { ...options, to });
  try {
    return stream.string(bytes, to);
  } finally {
    stream.close();
  }
}

export function encode(text, to, options = {}) {
  const module = current();
  options = { ...options };
  const ask = { relabel: "never", as: "text", ...options, from: "UTF-8", to };
  const bytes = writer(module, to, options, ask, true)(text);
  if (bytes) return bytes;
  const stream = new Stream(module, ask);
  try {
    return stream.encoded(text);
  } finally {
    stream.close();
  }
}

export function detect(input, options = {}) {
  const bytes = asBytes(input);
  const stream = new Stream(current(), options, "charpipe_open_detector");
  try {
    stream.push(bytes, () => {});
    stream.finish(() => {});
    return stream.verdict();
  } finally {
    stream.close();
  }
}

export function names() {
  const module = current();
  return module.json(module.call("charpipe_names"));
}

export function options() {
  const module = current();
  return module.json(module.call("charpipe_options"));
}

export function version() {
  const module = current();
  return module.text(module.call("charpipe_version"));
}

export function chart(label, lead = new Uint8Array()) {
  const module = current();
  const bytes = asBytes(lead);
  const call = (text, at) => module.json(module.call("charpipe_chart", text, at, bytes.length));
  return module.withText(label, (text) => module.withBytes(bytes, (at) => call(text, at)));
}

/** Calls a function that takes a text and bytes. */
function inspect(name, text, input, isLast) {
  needs(name);
  const module = current();
  const bytes = asBytes(input);
  const call = (text, at) => module.json(module.call(name, text, at, bytes.length, isLast ? 1 : 0));
  return module.withText(text, (text) => module.withBytes(bytes, (at) => call(text, at)));
}

export function explain(label, input, isLast = true) {
  return inspect("charpipe_explain", label, input, isLast);
}

export function records(shape, input, how = true) {
  if (typeof how !== "object") return inspect("charpipe_records", shape, input, how);
  needs("charpipe_records_with");
  const module = current();
  const { layout = "", ...options } = how;
  const [text, bytes] = [layoutBytes(layout), asBytes(input)];
  const call = (options, layout, input) =>
    module.json(module.call("charpipe_records_with", options, layout, text.length, input, bytes.length));
  return module.withText(optionLines({ ...options, records: shape }), (options) =>
    module.withBytes(text, (layout) => module.withBytes(bytes, (input) => call(options, layout, input))),
  );
}

export function sniff(input, isLast = true) {
  needs("charpipe_sniff");
  const module = current();
  const bytes = asBytes(input);
  const call = (at) => module.json(module.call("charpipe_sniff", at, bytes.length, isLast ? 1 : 0));
  return module.withBytes(bytes, call).hypotheses;
}

export function rows(layout, input, options = {}) {
  const bytes = asBytes(input);
  const stream = openRows(layout, options);
  try {
    if (isBinary(options)) return { bytes: stream.all(bytes), report: stream.report() };
    return { text: stream.string(bytes, "UTF-8"), report: stream.report() };
  } catch (error) {
    if (error instanceof CharpipeError && error.code !== "internal") error.report = stream.report();
    throw error;
  } finally {
    stream.close();
  }
}

export function fields(layout, record, options = {}) {
  needs("charpipe_fields");
  const module = current();
  const [text, bytes] = [layoutBytes(layout), asBytes(record)];
  const call = (options, layout, record) =>
    module.json(module.call("charpipe_fields", options, layout, text.length, record, bytes.length));
  return module.withText(optionLines(options), (options) =>
    module.withBytes(text, (layout) => module.withBytes(bytes, (record) => call(options, layout, record))),
  );
}

export function schema(layout, format, options = {}) {
  needs("charpipe_schema");
  const module = current();
  const text = layoutBytes(layout);
  const call = (options, layout, format) =>
    module.json(module.call("charpipe_schema", options, layout, text.length, format)).schema;
  return module.withText(optionLines(options), (options) =>
    module.withBytes(text, (layout) => module.withText(format, (format) => call(options, layout, format))),
  );
}
