// Builds the npm package and the page: `node web/build.mjs [--missing | --tools DIR] [STEP]...`. Steps: wasm, package,
// page; all of them by default. The step site builds the page of the site (manual/site). DIR has the folder node_modules with binaryen and esbuild, which are needed for building
// only. With --missing, it builds the modules that are needed and not there, and installs these tools if necessary.
//
//   web/dist/              the package's files
//   web/dist/page/         the page: one file, which works offline
//   target/site/           the same page, with a link to the manual beside it
//   web/LICENSE-* and NOTICE are copies, as packages have no links

import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "./page/build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const web = join(root, "web");
const dist = join(web, "dist");
const target = process.env.CARGO_TARGET_DIR ? resolve(root, process.env.CARGO_TARGET_DIR) : join(root, "target");
const args = process.argv.slice(2);
const isForMissing = args[0] === "--missing" && args.shift() !== undefined;
const tools = isForMissing ? join(target, "web-tools") : resolve(args[0] === "--tools" ? args.splice(0, 2)[1] : web);
const steps = args.length > 0 ? args : ["wasm", "package", "page"];
const require = createRequire(join(tools, "package.json"));

/** The modules, and the features of the crate that each has. The one that takes longest is first. */
const MODULES = {
  "charpipe-all.wasm": ["inspect", "whatwg", "dos", "guess", "legacy", "lines", "mojibake", "normalize", "translit"],
  "charpipe.wasm": ["whatwg", "dos", "guess"],
  "charpipe-small.wasm": [],
};

/** The module of the page. */
const OF_PAGE = "charpipe-all.wasm";

/** The command, for `npx charpipe`: it runs in Node's WASI, with all its features. */
const COMMAND = "charpipe-command.wasm";

const FLAGS = "-C llvm-args=--inline-threshold=25";

/** In the largest module, loops are unrolled only if they have few steps, whose number is known: 6 KB, at the same speed. */
const LARGE_FLAGS =
  `${FLAGS} -C llvm-args=-unroll-runtime=false -C no-vectorize-slp -C llvm-args=-unroll-threshold=50`;

/** Size matters more than speed for the smallest module: its loops are not unrolled, and less is inlined. */
const SMALL_FLAGS =
  "-C no-vectorize-slp -C llvm-args=--inline-threshold=4 -C llvm-args=-unroll-runtime=false " +
  "-C llvm-args=-unroll-threshold=50";

const WASM_FEATURES = [
  "simd",
  "bulk-memory",
  "sign-ext",
  "nontrapping-float-to-int",
  "mutable-globals",
  "multivalue",
  "reference-types",
].map((feature) => `--enable-${feature}`);

/**
 * Builds the modules, as many at a time as there are processors: the compiler spends most of its time in one thread.
 * Each has a target folder of its own, because cargo locks the folder.
 */
async function buildModules() {
  const modules = [[COMMAND, ["command"]], ...Object.entries(MODULES)];
  const isNeeded = ([file]) => file === OF_PAGE || steps.includes("package");
  const isMissing = ([file]) => !existsSync(join(dist, file));
  const waiting = modules.filter((one) => !isForMissing || (isNeeded(one) && isMissing(one)));
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await buildModule(...next);
  };
  const done = await Promise.allSettled(Array.from({ length: Math.min(cpus().length, waiting.length) }, work));
  const failed = done.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

/** Installs what the package is built with, unless it is there. */
function installTools() {
  const { devDependencies } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
  const isMissing = (name) => !existsSync(join(tools, "node_modules", name));
  const missing = ["binaryen", "esbuild"].filter(isMissing).map((name) => `${name}@${devDependencies[name]}`);
  if (missing.length === 0) return;
  if (!isForMissing) throw new Error(`a tool is missing: npm install --prefix ${tools} ${missing.join(" ")}`);
  mkdirSync(tools, { recursive: true });
  const words = ["install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", tools];
  const env = { ...process.env, npm_config_dry_run: "false" };
  execFileSync("npm", [...words, ...missing], { stdio: "inherit", env });
}

async function buildModule(file, features) {
  const folder = join(target, "wasm", file.replace(".wasm", ""));
  const isSmall = features.length === 0;
  const isLarge = features.includes("inspect");
  const isCommand = file === COMMAND;
  // Messages of a panic do not name folders of this machine.
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const paths = `--remap-path-prefix=${cargoHome}=/cargo --remap-path-prefix=${root.replace(/[\\/]$/, "")}=/charpipe`;
  const triple = isCommand ? "wasm32-wasip1" : "wasm32-unknown-unknown";
  const flags = `${paths} -C target-feature=+simd128 ${isCommand ? "" : isSmall ? SMALL_FLAGS : isLarge ? LARGE_FLAGS : FLAGS}`;
  const env = { ...process.env, [`CARGO_TARGET_${triple.toUpperCase().replaceAll("-", "_")}_RUSTFLAGS`]: flags };
  const cargo = ["build", "--quiet", "--profile", "wasm", "--target", triple, "--target-dir", folder];
  const library = ["-p", "charpipe-capi", "--no-default-features", "--features", features.join(",")];
  await run("cargo", [...cargo, ...(isCommand ? ["-p", "charpipe-cli"] : library)], { cwd: root, env });
  const built = join(folder, triple, "wasm", isCommand ? "charpipe.wasm" : "charpipe_capi.wasm");
  const optimizer = join(tools, "node_modules", ".bin", "wasm-opt");
  const strip = ["--strip-debug", "--strip-producers", "--strip-target-features"];
  // Nothing has an address below 1024: the memory begins with the last bytes of the stack.
  const passes = isSmall ? ["--low-memory-unused", "-Oz", "--converge", "--reorder-locals"] : isLarge ? ["--low-memory-unused", "-Os", "--converge"] : ["-Os"];
  await run(optimizer, [...passes, ...WASM_FEATURES, ...strip, built, "-o", join(dist, file)]);
}

/** Runs a program. Fails if it does. */
function run(program, words, options = {}) {
  return new Promise((done, fail) => {
    const child = spawn(program, words, { stdio: "inherit", ...options });
    child.on("error", fail);
    child.on("exit", (status) => (status === 0 ? done() : fail(new Error(`${program} failed with status ${status}`))));
  });
}

async function buildPackage() {
  const esbuild = require("esbuild");
  // Without comments and spaces, and with shorter syntax, a third less is loaded. What bundlers and this program look for
  // as text stays as it is.
  const writeScript = (to, text) => {
    const isFree = !/import\(|import\.meta|MIXED/.test(text);
    const options = { charset: "utf8", minifyWhitespace: isFree, minifySyntax: isFree };
    writeFileSync(to, esbuild.transformSync(text, options).code);
  };
  for (const { name: file } of readdirSync(join(web, "src"), { withFileTypes: true }).filter((one) => one.isFile())) {
    const [from, to] = [join(web, "src", file), join(dist, file)];
    if (file.endsWith(".d.ts")) copyFileSync(from, to);
    else writeScript(to, readFileSync(from, "utf8"));
  }
  for (const file of ["LICENSE-APACHE", "LICENSE-MIT", "NOTICE"]) copyFileSync(join(root, file), join(web, file));
  const charpipe = await import(join(dist, "index.js"));
  charpipe.loadSync(readFileSync(join(dist, "charpipe.wasm")));
  const ebcdic = charpipe.names().filter((encoding) => encoding.ebcdic);
  const tables = writeTables(
    charpipe,
    ebcdic.filter((encoding) => encoding.single_byte),
  );
  const mixed = ebcdic.filter(({ name }) => !tables.includes(name));
  const list = Object.fromEntries(mixed.map(({ name, aliases }) => [name, aliases]));
  const source = readFileSync(join(dist, "iconv-lite.js"), "utf8");
  writeFileSync(join(dist, "iconv-lite.js"), source.replace("MIXED = {}", `MIXED = ${JSON.stringify(list)}`));
  writeCommonJs(esbuild);
  const command = esbuild.transformSync(readFileSync(join(web, "src", "command", "charpipe.cjs"), "utf8"), { charset: "utf8" });
  mkdirSync(join(dist, "command"), { recursive: true });
  writeFileSync(join(dist, "command", "charpipe.cjs"), command.code, { mode: 0o755 });
}

/** Writes each file once more in dist/cjs/, for `require` in versions of Node that cannot load the others with it. */
function writeCommonJs(esbuild) {
  const folder = join(dist, "cjs");
  rmSync(folder, { recursive: true, force: true });
  // The modules are beside this folder: a relative address begins where the folder is.
  const address = 'const address = require("node:url").pathToFileURL(__dirname);\n';
  const options = { format: "cjs", platform: "node", target: "node18", define: { "import.meta.url": "address" } };
  for (const part of ["", "tables"]) {
    mkdirSync(join(folder, part), { recursive: true });
    for (const file of readdirSync(join(dist, part))) {
      const [from, to] = [join(dist, part, file), join(folder, part, file)];
      if (file.endsWith(".d.ts")) copyFileSync(from, to);
      if (!file.endsWith(".js")) continue;
      const source = readFileSync(from, "utf8");
      const { code } = esbuild.transformSync(source, options);
      writeFileSync(to, source.includes("import.meta.url") ? address + code : code);
    }
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
}

/**
 * Writes a file for each single-byte page, and returns their names. A page fits if its 256 characters say how to
 * encode, too.
 */
function writeTables(charpipe, encodings) {
  const folder = join(dist, "tables");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const [index, written] = [[], []];
  for (const { name, aliases } of encodings) {
    const cells = charpipe.chart(name).cells;
    if (!cells.every((cell) => cell === null || (typeof cell === "string" && cell.length === 1))) continue;
    const chars = cells.map((cell) => cell ?? "\uFFFD").join("");
    const agrees = [...chars].every((ch) => ch === "\uFFFD" || encodedAlike(charpipe, name, ch, chars.lastIndexOf(ch)));
    if (!agrees) continue;
    const file = name.toLowerCase();
    const text = `// The EBCDIC page ${name}: the character of each byte; U+FFFD if it has none.
export const name = ${JSON.stringify(name)};
export const labels = ${JSON.stringify(aliases)};
export const chars = ${ascii(chars)};
export default { name, labels, chars };
`;
    writeFileSync(join(folder, `${file}.js`), text);
    written.push(name);
    index.push(`export { default as ${file.replaceAll("-", "_")} } from "./${file}.js";\n`);
  }
  writeFileSync(join(folder, "index.js"), index.join(""));
  const types = `/** A single-byte page. */
export interface Table { name: string; labels: string[]; chars: string }
export const name: string;
export const labels: string[];
/** The character of each byte; U+FFFD if it has none. */
export const chars: string;
declare const table: Table;
export default table;
`;
  writeFileSync(join(folder, "table.d.ts"), types);
  process.stdout.write(`${index.length} tables\n`);
  return written;
}

/** Returns whether `ch` is encoded as the byte `byte` alone. */
function encodedAlike(charpipe, to, ch, byte) {
  try {
    const bytes = charpipe.encode(ch, to, { bom: "strip" });
    return bytes.length === 1 && bytes[0] === byte;
  } catch {
    return false;
  }
}

/** Writes a string literal in ASCII, so that no tool can break it. */
function ascii(text) {
  return JSON.stringify(text).replace(/[\x7F-\uFFFF]/g, (ch) => `\\u${ch.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

mkdirSync(dist, { recursive: true });
installTools();
if (steps.includes("wasm")) await buildModules();
if (steps.includes("package")) await buildPackage();
if (steps.includes("page")) buildPage({ dist, esbuild: require("esbuild"), to: join(dist, "page") });
if (steps.includes("site")) buildPage({ dist, esbuild: require("esbuild"), to: join(target, "site"), manual: "manual/index.html" });
