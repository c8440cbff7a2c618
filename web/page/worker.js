// Converts a file of any size, a piece at a time, beside the page. Memory does not grow with the file: the output goes
// into blobs, which the browser may keep on disk.

import { CharpipeError, load } from "../src/index.js";
import { current } from "../src/load.js";
import { Stream } from "../src/module.js";

/** How many bytes are read at a time, and how many become a blob. */
const PIECE = 4 * 1024 * 1024;

self.onmessage = async ({ data: { module, file, options } }) => {
  try {
    await load(module);
    self.postMessage(await run(file, options));
  } catch (error) {
    self.postMessage({ failure: plain(error) });
  }
};

async function run(file, options) {
  const stream = new Stream(current(), options);
  const blobs = [];
  let pieces = [];
  let held = 0;
  const give = (piece) => {
    pieces.push(piece.slice());
    held += piece.length;
    if (held >= PIECE) collect();
  };
  const collect = () => {
    if (held > 0) blobs.push(new Blob(pieces));
    [pieces, held] = [[], 0];
  };
  try {
    for (let at = 0; at < file.size; at += PIECE) {
      const end = Math.min(at + PIECE, file.size);
      const piece = new Uint8Array(await file.slice(at, end).arrayBuffer());
      // Not every browser notices that a file has become shorter.
      if (piece.length !== end - at) throw new DOMException("too few bytes", "NotReadableError");
      stream.push(piece, give);
      self.postMessage({ progress: end / file.size });
    }
    stream.finish(give);
    collect();
    return { output: new Blob(blobs), report: stream.report() };
  } catch (error) {
    collect();
    const isOurs = error instanceof CharpipeError && error.code !== "internal";
    return { failure: plain(error), output: new Blob(blobs), report: isOurs ? stream.report() : null };
  }
}

/** An error can be posted only as plain data. */
function plain(error) {
  const unread = ["NotReadableError", "NotFoundError"].includes(error.name);
  const message = unread ? "the file cannot be read any more: it was changed, moved or removed" : error.message;
  return { code: error.code ?? error.name, message, offset: error.offset };
}
