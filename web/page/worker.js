// Does a job with a file of any size, a piece at a time, beside the page. The output goes to the place that the user chose,
// or else into blobs, which the browser may keep on disk: memory does not grow with the file.

import { CharpipeError, load } from "../src/index.js";
import { current } from "../src/load.js";
import { Stream } from "../src/module.js";
import { openRows } from "../src/rows.js";

/** How many bytes are read at a time, at most. */
const PIECE = 1024 * 1024;
/** How many blobs become one. */
const BLOBS = 64;

let isCancelled = false;

self.onmessage = async ({ data }) => {
  if (data === "cancel") {
    isCancelled = true;
    return;
  }
  try {
    await load(data.module);
    self.postMessage(await run(data));
  } catch (error) {
    self.postMessage({ failure: plain(error) });
  }
  self.close();
};

async function run({ file, options, layout, place }) {
  const stream = layout ? openRows(layout, options) : new Stream(current(), options);
  const sink = place ? await toPlace(place) : toBlobs();
  // The same buffer for all output, as garbage is collected late.
  let [output, len] = [new Uint8Array(2 * PIECE), 0];
  const give = (piece) => {
    if (len + piece.length > output.length) {
      const larger = new Uint8Array(2 * (len + piece.length));
      larger.set(output.subarray(0, len));
      output = larger;
    }
    output.set(piece, len);
    len += piece.length;
  };
  const put = async () => {
    if (len > 0) await sink.put(output.subarray(0, len));
    len = 0;
  };
  try {
    let at = 0;
    for await (const piece of pieces(file)) {
      at += piece.length;
      stream.push(piece, give);
      await put();
      self.postMessage({ progress: at / file.size });
      if (isCancelled) break;
    }
    if (isCancelled) {
      await sink.abort();
      return { cancelled: true };
    }
    // Not every browser notices that a file has become shorter.
    if (at !== file.size) throw new DOMException("too few bytes", "NotReadableError");
    stream.finish(give);
    await put();
    return { output: await sink.end(), report: stream.report() };
  } catch (error) {
    const isOurs = error instanceof CharpipeError && error.code !== "internal";
    await sink.abort();
    return { failure: plain(error), len: sink.len + len, report: isOurs ? stream.report() : null };
  }
}

/** Reads a file piece by piece, into the same memory if the browser can do that. A piece is valid until the next one. */
async function* pieces(file) {
  let [reader, view] = [undefined, new Uint8Array(PIECE)];
  try {
    reader = file.stream().getReader({ mode: "byob" });
  } catch {
    reader = file.stream().getReader();
  }
  for (;;) {
    // The error of the stream does not say that it is the file's.
    const { value, done } = await reader.read(view).catch(() => {
      throw new DOMException("unreadable", "NotReadableError");
    });
    if (done) return;
    yield value;
    view = new Uint8Array(value.buffer);
  }
}

/** Collects the output in blobs. */
function toBlobs() {
  let blobs = [];
  const put = (bytes) => {
    blobs.push(new Blob([bytes]));
    sink.len += bytes.length;
    if (blobs.length >= BLOBS) blobs = [new Blob(blobs)];
  };
  const sink = { len: 0, put, end: () => new Blob(blobs), abort: () => {} };
  return sink;
}

/** Writes the output where the user wants it, as it comes. What is not complete never gets the name. */
async function toPlace(place) {
  const writable = await place.createWritable();
  const put = async (bytes) => {
    await writable.write(bytes);
    sink.len += bytes.length;
  };
  const sink = { len: 0, put, end: () => writable.close(), abort: () => writable.abort().catch(() => {}) };
  return sink;
}

/** An error can be posted only as plain data. */
function plain(error) {
  const unread = ["NotReadableError", "NotFoundError"].includes(error.name);
  const message = unread ? "the file cannot be read any more: it was changed, moved or removed" : error.message;
  return { code: error.code ?? error.name, message, offset: error.offset };
}
