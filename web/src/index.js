// charpipe for JavaScript: index.d.ts documents every function.

import { asBytes } from "./bytes.js";
import { CharpipeError } from "./error.js";
import { current, load, loadSync } from "./load.js";
import { Stream } from "./module.js";

export { CharpipeError, load, loadSync };
export { DecoderStream, EncoderStream, ConverterStream } from "./streams.js";

const encoder = new TextEncoder();

/** Joins the pieces. */
function join(pieces) {
  if (pieces.length === 1) return pieces[0];
  const whole = new Uint8Array(pieces.reduce((len, piece) => len + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export function convert(input, options = {}) {
  const bytes = asBytes(input);
  const stream = new Stream(current(), options);
  const pieces = [];
  const give = (piece) => pieces.push(piece.slice());
  try {
    stream.push(bytes, give);
    stream.finish(give);
    return { bytes: join(pieces), report: stream.report() };
  } catch (error) {
    if (error instanceof CharpipeError && error.code !== "internal") {
      error.output = join(pieces);
      error.report = stream.report();
    }
    throw error;
  } finally {
    stream.close();
  }
}

export function decode(input, options = {}) {
  const bytes = asBytes(input);
  const stream = new Stream(current(), { ...options, to: "UTF-8" });
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  const give = (piece) => {
    text += utf8.decode(piece, { stream: true });
  };
  try {
    stream.push(bytes, give);
    stream.finish(give);
    return text + utf8.decode();
  } catch (error) {
    if (error instanceof CharpipeError) error.text = text;
    throw error;
  } finally {
    stream.close();
  }
}

export function encode(text, to, options = {}) {
  return convert(encoder.encode(text), { relabel: "never", as: "text", ...options, from: "UTF-8", to }).bytes;
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

/** Fails if the module lacks a function. */
function needs(name) {
  if (name in current().exports) return;
  const what = name.replace("charpipe_", "");
  throw new CharpipeError({ code: "usage", message: `only the module with everything has ${what}: load("all")` });
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

export function records(shape, input, isLast = true) {
  return inspect("charpipe_records", shape, input, isLast);
}

export function sniff(input, isLast = true) {
  needs("charpipe_sniff");
  const module = current();
  const bytes = asBytes(input);
  const call = (at) => module.json(module.call("charpipe_sniff", at, bytes.length, isLast ? 1 : 0));
  return module.withBytes(bytes, call).hypotheses;
}
