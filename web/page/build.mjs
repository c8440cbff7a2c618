// Builds the page: one HTML file with its script, its style and the module, which works without a server.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));

/** The most bytes of script and style of our own. */
const LIMIT = 60_000;

/** Returns the link to the manual; nothing without an address. */
export const manualLink = (homepage) => (homepage ? ` · <a href="${encodeURI(homepage)}">Manual</a>` : "");

/** Builds it in the folder `to`. Its manual is at the address `manual`; by default where the package says. */
export function buildPage({ dist, esbuild, to, manual }) {
  const bundle = (file, define = {}) =>
    esbuild.buildSync({
      entryPoints: [join(here, file)],
      bundle: true,
      write: false,
      minify: true,
      format: "iife",
      target: "es2022",
      external: ["node:*"],
      define: { "import.meta.url": '"about:blank"', ...define },
      charset: "utf8",
    }).outputFiles[0].text;
  const worker = bundle("worker.js");
  const script = bundle("page.js", { WORKER_SOURCE: JSON.stringify(worker) });
  const style = bundle("page.css");
  const own = Buffer.byteLength(script) + Buffer.byteLength(style);
  if (own > LIMIT) throw new Error(`the page has ${own} bytes of script and style; the limit is ${LIMIT}`);

  const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)}`,
    "worker-src blob:",
    // The empty icon: without it, browsers ask the server for one.
    "img-src data:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const wasm = gzipSync(readFileSync(join(dist, "charpipe-all.wasm")), { level: 9 }).toString("base64");
  // packaging/stage names the address; a build of the sources has none.
  const { homepage } = JSON.parse(readFileSync(join(here, "..", "package.json"), "utf8"));
  const parts = { MANUAL: manualLink(manual ?? homepage), POLICY: policy, STYLE: style, SCRIPT: script, WASM: wasm };
  const html = readFileSync(join(here, "page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, "index.html"), html);
  process.stdout.write(`page: ${own} bytes of script and style, ${Buffer.byteLength(html)} bytes in all\n`);
}
