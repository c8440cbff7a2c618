// Opens the conversion of records to rows.

import { asBytes } from "./bytes.js";
import { CharpipeError } from "./error.js";
import { current } from "./load.js";
import { Stream } from "./module.js";

const encoder = new TextEncoder();

/** Fails if the module lacks a function. */
export function needs(name) {
  if (name in current().exports) return;
  const what = name.replace(/charpipe_(open_)?/, "");
  throw new CharpipeError({ code: "usage", message: `only the module with everything has ${what}: load("all")` });
}

export function layoutBytes(layout) {
  return typeof layout === "string" ? encoder.encode(layout) : asBytes(layout);
}

/** Returns whether the rows are bytes, and not text. */
export const isBinary = ({ format }) => format === "arrow";

export function openRows(layout, options) {
  needs("charpipe_open_rows");
  const module = current();
  const text = layoutBytes(layout);
  const open = (options) => module.withBytes(text, (layout) => module.call("charpipe_open_rows", options, layout, text.length));
  return new Stream(module, options, open);
}
