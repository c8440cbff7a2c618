// Tests the packed package as its users have it: in each version of Node, in Deno and Bun, with bundlers, and with
// TypeScript. `HOSTS=DIR node --test web/test/packed.test.mjs`, after `node web/build.mjs`. DIR has node_modules with
// those programs.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = fileURLToPath(new URL("..", import.meta.url));
const modules = join(resolve(process.env.HOSTS ?? "."), "node_modules");
const require = createRequire(join(modules, "package.json"));
const scratch = mkdtempSync(join(tmpdir(), "charpipe-packed-"));
const project = join(scratch, "project");
const installed = join(project, "node_modules", "charpipe");

before(() => {
  const words = ["pack", "--silent", "--ignore-scripts", "--pack-destination", scratch];
  const tarball = execFileSync("npm", words, { cwd: web, encoding: "utf8" }).trim().split("\n").at(-1);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(scratch, tarball), "--strip-components=1", "-C", installed]);
  write("package.json", '{ "private": true, "type": "module" }');
});
after(() => rmSync(scratch, { recursive: true }));

/** Writes a file of the project, and returns its path. */
function write(name, text) {
  const path = join(project, name);
  writeFileSync(path, text);
  return path;
}

/** Runs a program in the project, and returns what it writes. */
function run(program, ...words) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd: project, encoding: "utf8" });
  assert.equal(status, 0, `${program} ${words.join(" ")}: ${error ?? ""}${stdout.slice(0, 4000)}${stderr.slice(-2000)}`);
  return stdout;
}

/** A program that loads the entry's own module, and then the others by their names. */
const PROGRAM = `
import { load, decode, convert } from "charpipe";
import { names } from "charpipe/small";
await load();
console.log(decode(new Uint8Array([0xc8, 0x89]), { from: "IBM1047" }), await new Response(convert(new Uint8Array([0x88, 0x9f]), { from: "Shift_JIS" }).bytes).text());
await load("all");
const all = names().length;
await load("small");
console.log(all > names().length);
`;
const PRINTED = "Hi 亜\ntrue\n";

/** The same with \`require\`. */
const COMMON = `
const { load, decode, CharpipeError } = require("charpipe");
const small = require("charpipe/small");
const { register } = require("charpipe/iconv-lite");
const table = require("charpipe/tables/ibm273");
(async () => {
  await load();
  console.log(decode(new Uint8Array([0xc8, 0x89]), { from: "IBM1047" }), decode(new Uint8Array([0x88, 0x9f]), { from: "Shift_JIS" }));
  await small.load();
  console.log(small.CharpipeError === CharpipeError && typeof register === "function" && table.chars.length === 256);
})();
`;

const nodes = { 18: "node-18/bin/node", 22: "node-22/bin/node" };
for (const [version, path] of [...Object.entries(nodes), ["of this test", process.execPath]]) {
  test(`import and require in Node ${version}`, () => {
    const node = resolve(modules, path);
    if (version in nodes) assert.match(run(node, "--version"), new RegExp(`^v${version}\\.`));
    assert.equal(run(node, write("program.mjs", PROGRAM)), PRINTED);
    assert.equal(run(node, write("program.cjs", COMMON)), PRINTED);
  });
}

for (const [version, path] of [...Object.entries(nodes), ["of this test", process.execPath]]) {
  test(`the command in Node ${version}`, () => {
    const { bin } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    const command = [resolve(modules, path), join(installed, bin.charpipe)];
    const input = write("input.bin", Buffer.from([0xc8, 0x89, 0x25]));
    assert.equal(run(...command, "-f", "IBM037", "-o", "output.txt", input), "");
    assert.equal(readFileSync(join(project, "output.txt"), "utf8"), "Hi\n");
    const { status, stderr } = spawnSync(command[0], [command[1], "--no-such-option"], { encoding: "utf8" });
    assert.equal(status, 2);
    assert.match(stderr, /^charpipe: /);
    assert.doesNotMatch(stderr, /Warning/);
  });
}

test("Deno", () => {
  const words = ["run", "--quiet", "--no-remote", "--node-modules-dir=manual", "--allow-read"];
  assert.equal(run(join(modules, ".bin", "deno"), ...words, write("program.mjs", PROGRAM)), PRINTED);
});

test("Bun", () => {
  const bun = join(modules, ".bin", "bun");
  assert.equal(run(bun, write("program.mjs", PROGRAM)), PRINTED);
  assert.equal(run(bun, write("program.cjs", COMMON)), PRINTED);
});

/** What is bundled: the largest module, and nothing of the others. */
const APP = `
import { load, sniff } from "charpipe/all";
await load();
console.log(typeof sniff(new Uint8Array(800).fill(0x40)).length);
`;

/** Returns the modules in a folder. */
const modulesIn = (folder) => readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".wasm"));

/** Checks that only the module that is used was deployed, and that the program finds it. */
function check(output, program) {
  const deployed = modulesIn(output);
  assert.equal(deployed.length, 1, deployed.join(", "));
  const largest = readFileSync(join(installed, "dist", "charpipe-all.wasm"));
  assert.ok(readFileSync(join(output, deployed[0])).equals(largest));
  assert.equal(run(process.execPath, join(output, program)), "number\n");
}

test("webpack", async () => {
  const output = join(project, "webpack");
  const webpack = require("webpack");
  const stats = await new Promise((done, fail) => {
    const settings = {
      mode: "production",
      context: project,
      entry: write("app.js", APP),
      target: "node18",
      experiments: { outputModule: true },
      output: { path: output, filename: "app.mjs", module: true, chunkFormat: "module", publicPath: "auto" },
    };
    webpack(settings, (error, stats) => (error ? fail(error) : done(stats)));
  });
  assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
  check(output, "app.mjs");
});

test("webpack, for a browser: no module of Node, and no path of this machine", async () => {
  const output = join(project, "webpack-web");
  const webpack = require("webpack");
  const settings = { mode: "production", context: project, entry: write("app.js", APP), output: { path: output } };
  const stats = await new Promise((done, fail) => webpack(settings, (error, stats) => (error ? fail(error) : done(stats))));
  assert.equal(stats.toString({ all: false, errors: true }), "");
  assert.equal(modulesIn(output).length, 1);
  assert.ok(!readFileSync(join(output, "main.js"), "utf8").includes(project));
});

test("vite", async () => {
  const { build } = await import(pathToFileURL(require.resolve("vite")).href);
  write("app.js", APP);
  write("index.html", '<!doctype html><script type="module" src="./app.js"></script>');
  const output = join(project, "vite");
  await build({ root: project, logLevel: "error", base: "./", build: { outDir: output, target: "esnext" } });
  const deployed = modulesIn(output);
  assert.equal(deployed.length, 1, deployed.join(", "));
  assert.match(deployed[0], /charpipe-all/);
  const scripts = readdirSync(join(output, "assets")).filter((name) => name.endsWith(".js"));
  assert.ok(scripts.some((name) => readFileSync(join(output, "assets", name), "utf8").includes(deployed[0].split("/").at(-1))));
});

test("vite's development server, with the package left out of its optimizer", async () => {
  const { createServer } = await import(pathToFileURL(require.resolve("vite")).href);
  write("app.js", APP);
  const settings = { root: project, logLevel: "error", optimizeDeps: { exclude: ["charpipe"] }, server: { port: 0 } };
  const server = await createServer(settings);
  try {
    await server.listen();
    const at = `http://localhost:${server.httpServer.address().port}`;
    const fetched = async (path) => Buffer.from(await (await fetch(new URL(path, at))).arrayBuffer());
    const [, entry] = /from "([^"]*all\.js[^"]*)"/.exec(String(await fetched("/app.js")));
    const [, place] = /new URL\("([^"]*charpipe-all\.wasm[^"]*)"/.exec(String(await fetched(entry)));
    const module = await fetched(new URL(place, new URL(entry, at)));
    assert.ok(module.equals(readFileSync(join(installed, "dist", "charpipe-all.wasm"))));
  } finally {
    await server.close();
  }
});

test("rollup, with the module copied beside the bundle", async () => {
  const { rollup } = require("rollup");
  const { nodeResolve } = require("@rollup/plugin-node-resolve");
  const output = join(project, "rollup");
  const bundle = await rollup({ input: write("app.js", APP), plugins: [nodeResolve()] });
  await bundle.write({ file: join(output, "app.mjs"), format: "es" });
  copyFileSync(join(installed, "dist", "charpipe-all.wasm"), join(output, "charpipe-all.wasm"));
  check(output, "app.mjs");
});

test("esbuild, with the module copied beside the bundle, and with the module in it", () => {
  const esbuild = require("esbuild");
  const output = join(project, "esbuild");
  const settings = { bundle: true, format: "esm", platform: "node", target: "node18", absWorkingDir: project };
  esbuild.buildSync({ ...settings, entryPoints: [write("app.js", APP)], outfile: join(output, "app.mjs") });
  copyFileSync(join(installed, "dist", "charpipe-all.wasm"), join(output, "charpipe-all.wasm"));
  check(output, "app.mjs");
  const inside = APP.replace("await load()", "loadSync(wasm)").replace("load,", "loadSync,");
  const entry = write("inside.js", `import wasm from "charpipe/charpipe-all.wasm";${inside}`);
  const outfile = join(project, "inside", "app.mjs");
  esbuild.buildSync({ ...settings, entryPoints: [entry], outfile, loader: { ".wasm": "binary" } });
  assert.equal(run(process.execPath, outfile), "number\n");
});

test("a module that was not deployed: the error says where to read on", () => {
  const esbuild = require("esbuild");
  const outfile = join(project, "alone", "app.mjs");
  const entry = write("app.js", APP.replace("await load();", "await load().catch((error) => console.log(error.code, error.message));process.exit();"));
  esbuild.buildSync({ bundle: true, format: "esm", platform: "node", entryPoints: [entry], outfile });
  assert.match(run(process.execPath, outfile), /^read cannot load file:.*charpipe-all\.wasm: .*docs\/web\.md says how to deploy/);
});

/** The uses that need bytes of an ArrayBuffer of their own. */
const TYPES = `
import { load, convert, encode, CharpipeError, ConverterStream, DecoderStream, EncoderStream, type NewBytes } from "charpipe";
import * as all from "charpipe/all";
import * as small from "charpipe/small";
export async function use(input: Uint8Array, response: Response): Promise<void> {
  await load();
  await all.load();
  await small.load("small");
  const { bytes } = convert(input);
  new Response(bytes);
  new Response(encode("a", "IBM037"));
  new Blob([bytes, encode("a", "IBM037")]);
  await fetch("https://example.org/", { method: "POST", body: bytes });
  await crypto.subtle.digest("SHA-256", bytes);
  const same: NewBytes = bytes;
  new Response(response.body!.pipeThrough(new ConverterStream({ to: "UTF-16" })));
  const text: ReadableStream<string> = response.body!.pipeThrough(new DecoderStream("IBM939"));
  new Response(text.pipeThrough(new EncoderStream("IBM1047")));
  new Blob([all.rows("A 1 1 text", input, { format: "arrow", integers: true }).bytes]);
  const lines: string = all.rows("A 1 1 text", input, { format: "jsonl" }).text + all.rows("A 1 1 text", input).text;
  new Response(new Blob([lines]).stream().pipeThrough(new all.RowsStream("A 1 1 text", { format: "arrow" })));
  const rows: ReadableStream<string> = new Blob([]).stream().pipeThrough(new all.RowsStream("A 1 1 text"));
  const stream: all.RowsStream = new all.RowsStream("A 1 1 text", { format: "csv", formulas: "quote" });
  await rows.pipeTo(new WritableStream({ write: (line) => console.log(line, stream.report) }));
  try { all.decode(same); } catch (error) {
    if (error instanceof CharpipeError && error.output) new Blob([error.output]);
  }
}
`;

/** What the examples of the documents use, but do not declare. */
const DECLARED = {
  bytes: "Uint8Array<ArrayBuffer>",
  input: "Uint8Array",
  record: "Uint8Array",
  values: "Uint8Array[]",
  copybook: "string",
  file: "File",
  strings: "ReadableStream<string>",
  tableFromIPC: "(bytes: Uint8Array) => unknown",
};

/** Returns the examples of a text: the paragraphs of code that have a marker in front of each line. */
function examples(text, marker) {
  const lines = text.split("\n").map((line) => (line.startsWith(marker) ? line.slice(marker.length) : ""));
  return lines.join("\n").split(/\n\n\n+/).filter((part) => part.trim());
}

/** Writes an example as a module, with the imports and declarations that it leaves out. */
function completed(example) {
  const exported = Object.keys(require(join(installed, "dist", "cjs", "index.js")));
  const uses = (name) => new RegExp(`\\b${name}\\b`).test(example.replace(/"[^"]*"|\/\/.*/g, ""));
  const imports = /from "charpipe"/.test(example) ? ["load"] : exported.filter(uses);
  const own = (name) => new RegExp(`(const|let) (\\{[^}]*)?\\b${name}\\b(?!:)|import ${name}\\b`).test(example);
  const given = /import .*\bload\b/.test(example) ? [] : imports.filter((name) => !own(name));
  const declared = Object.entries(DECLARED).filter(([name]) => uses(name) && !own(name));
  return [
    given.length > 0 ? `import { ${given.join(", ")} } from "charpipe";` : "",
    ...declared.map(([name, type]) => `declare const ${name}: ${type};`),
    uses("response") ? "declare const response: { body: ReadableStream<Uint8Array<ArrayBuffer>> };" : "",
    example,
    "export {};",
  ].join("\n");
}

const STRICT = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,dom,dom.iterable,esnext.disposable"];

test("TypeScript accepts the types, the examples, and the result where bytes are wanted", () => {
  const documents = [
    [readFileSync(join(web, "..", "docs", "web.md"), "utf8"), "    "],
    [readFileSync(join(web, "src", "index.d.ts"), "utf8"), " *     "],
    [readFileSync(join(installed, "README.md"), "utf8"), "    "],
  ];
  const found = documents.flatMap(([text, marker]) => examples(text, marker)).filter((part) => !/^[$(]|^\s*np[mx] |\.config/m.test(part));
  assert.ok(found.length >= 12, `${found.length} examples`);
  // The examples use iconv-lite, which is not installed here.
  write("iconv-lite.d.ts", 'declare module "iconv-lite" { const iconv: { decode(bytes: Uint8Array, to: string): string }; export default iconv; }');
  const files = found.map((example, index) => write(`example-${index}.ts`, completed(example)));
  const types = write("types.ts", TYPES);
  const tsc = join(modules, "typescript", "bin", "tsc");
  for (const module of ["nodenext", "esnext"]) {
    const resolution = ["--module", module, "--moduleResolution", module === "esnext" ? "bundler" : "nodenext"];
    run(process.execPath, tsc, ...STRICT, ...resolution, types, join(project, "iconv-lite.d.ts"), ...files);
  }
  const common = write("common.cts", 'import { convert } from "charpipe";\nnew Response(convert(new Uint8Array(1)).bytes);\n');
  run(process.execPath, tsc, ...STRICT, "--module", "node18", common);
});

test("TypeScript from before bytes had a type of buffer accepts the types too", () => {
  const tsc = join(modules, "typescript-5.6", "bin", "tsc");
  run(process.execPath, tsc, ...STRICT, "--module", "nodenext", write("types.ts", TYPES));
});

test("every file that the package names is in it", () => {
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const paths = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(paths));
  for (const path of paths(exports)) assert.ok(existsSync(join(installed, path.replace("*", "ibm273"))), path);
});
