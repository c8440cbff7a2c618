// Compares the command of the npm package with the native one: `NATIVE=PATH node --test web/test/command.test.mjs`, after
// `node web/build.mjs`. For each job the standard output, the messages, the exit status and all files must be the same.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const native = resolve(process.env.NATIVE ?? here("../../target/debug/charpipe"));
const command = here("../dist/command/charpipe.cjs");
const scratch = mkdtempSync(join(tmpdir(), "charpipe-command-"));
const folder = join(scratch, "job");
after(() => rmSync(scratch, { recursive: true }));

const PROGRAMS = { native: [native], npm: [process.execPath, command] };

/** The input of many jobs: CP037, a newline, and a byte that is not ASCII. */
const EBCDIC = Buffer.from("C8968599998525E74C", "hex");
/** Two records of eight bytes: a name, a digit, a packed number. */
const CLIENTS = Buffer.from("D1968540F112345CC1958540F212345D", "hex");

/** Makes the files of a job anew. */
function prepare() {
  rmSync(folder, { recursive: true, force: true });
  cpSync(here("../../examples/data"), folder, { recursive: true });
  const write = (name, content, mode = 0o644) => {
    writeFileSync(join(folder, name), content);
    chmodSync(join(folder, name), mode);
  };
  write("e.txt", EBCDIC);
  write("private.txt", EBCDIC, 0o600);
  write("program", EBCDIC, 0o750);
  write("latin.txt", Buffer.from("Stra\xdfe f\xfcr M\xfcller\n", "latin1"));
  write("utf8.txt", "Straße 5 € “Müller”\r\n");
  write("twice.txt", "FuÃŸball\n");
  write("control.txt", "a\u0001b\n");
  write("picture.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  write("names", "e.txt\0private.txt\0");
  write("clients", CLIENTS);
  write("layout", "NAME 1 4 text\nCOUNT 5 1 zoned,unsigned\nSUM 6 3 packed.2\n");
  write("book.cpy", "       01 :T:-CLIENT.\n          05 :T:-NAME PIC X(4).\n          05 FILLER PIC X.\n          05 :T:-SUM PIC S9(3),99 COMP-3.\n");
  write("member.cpy", "       01 OUTER.\n           COPY book.\n");
  write("rows.csv", "NAME,COUNT,SUM\nJoe,1,1.50\n");
  write("table.ucm", '<code_set_name> "mine"\n<uconv_class> "SBCS"\n<mb_cur_max> 1\n<subchar> \\x1A\nCHARMAP\n<U0041> \\x01 |0\n<U000A> \\x0A |0\nEND CHARMAP\n');
  mkdirSync(join(folder, "tree", "deeper"), { recursive: true });
  write("tree/a.txt", EBCDIC);
  write("tree/deeper/b.txt", EBCDIC);
  write("tree/.hidden.txt", EBCDIC);
  symlinkSync("../e.txt", join(folder, "tree", "link.txt"));
  symlinkSync("e.txt", join(folder, "link.txt"));
  symlinkSync("nowhere", join(folder, "dangling"));
  linkSync(join(folder, "private.txt"), join(folder, "second-name.txt"));
}

/** Everything in a folder: names, kinds, permissions and contents. */
function contents(path = folder) {
  return Object.fromEntries(
    readdirSync(path).map((name) => {
      const whole = join(path, name);
      const found = lstatSync(whole);
      if (found.isSymbolicLink()) return [name, `link to ${readlinkSync(whole)}`];
      if (found.isDirectory()) return [name, contents(whole)];
      return [name, `${(found.mode & 0o777).toString(8)} ${readFileSync(whole).toString("latin1")}`];
    }),
  );
}

/** Messages without what may differ: the system's number of an error, and rates. */
const plain = (text) => text.replace(/\(os error \d+\)/g, "(os error)");

function run([program, ...first], { words, input, cwd = "." }) {
  prepare();
  const { status, signal, stdout, stderr } = spawnSync(program, [...first, ...words], { cwd: join(folder, cwd), input, maxBuffer: 1 << 28 });
  return { status, signal, stdout: stdout.toString("latin1"), stderr: plain(stderr.toString()), files: contents() };
}

/** Jobs: words of the command line, separated by spaces; then the input, and the working directory. */
const CONVERT = [
  ["-f IBM037 e.txt"],
  ["", "Stra\xdfe"],
  ["-f latin1 -t utf-16", "Stra\xdfe"],
  ["-f IBM037 -o new.txt e.txt"],
  ["-f IBM037 -o utf8.txt e.txt"],
  ["-f IBM037 -o program e.txt"],
  ["-f IBM037 -o link.txt private.txt"],
  ["-f IBM037 -o dangling e.txt"],
  ["-f IBM037 -o no/such e.txt"],
  ["-f IBM037 -o - ../e.txt", undefined, "tree"],
  ["-f IBM037 /dev/null"],
  ["-f IBM037 no-such e.txt"],
  ["-f IBM037 --fail-fast no-such e.txt"],
  ["-f IBM037 tree"],
  ["-f IBM037 --output-dir out e.txt private.txt"],
  ["-f IBM037 --output-dir out --output-suffix .utf8 -r tree"],
  ["-f IBM037 --output-dir tree --skip-existing tree/a.txt e.txt"],
  ["-f IBM037 --output-dir out -r --include *.txt --exclude b* --hidden tree"],
  ["-f IBM037 --in-place e.txt private.txt program"],
  ["-f IBM037 --in-place=.bak program"],
  ["-f IBM037 --in-place --force e.txt link.txt"],
  ["-f IBM037 --in-place link.txt"],
  ["-f IBM037 --in-place e.txt ./e.txt"],
  ["-f IBM037 --in-place private.txt second-name.txt"],
  ["-f IBM037 --in-place -r tree"],
  ["-f IBM037 --in-place", ""],
  ["-f US-ASCII --in-place latin.txt e.txt"],
  ["-f IBM037 --check e.txt latin.txt"],
  ["-f IBM037 --jobs 3 --files0-from names"],
  ["-f IBM037 --files0-from -", "e.txt\0program\0"],
  ["-f IBM037 --files0-from no-such"],
  ["-f IBM037 --inputs names --output-dir out"],
  ["--unknown pass picture.png"],
  ["picture.png"],
  ["latin.txt"],
  ["--malformed replace latin.txt"],
  ["--malformed escape latin.txt"],
  ["-f mine --codec-file table.ucm", "\x01\x0a"],
  ["-t ISO-8859-1 utf8.txt"],
  ["-t ISO-8859-1 --unmappable translit utf8.txt"],
  ["-t ISO-8859-1 -c utf8.txt"],
  ["-t ISO-8859-1 --best-fit utf8.txt"],
  ["--strict utf16be-declared-utf16.xml"],
  ["--fallback windows-1252 latin.txt"],
  ["--ebcdic-fallback IBM1047 e.txt"],
  ["--guess latin.txt"],
  ["--as text -t UTF-16 latin1.xml"],
  ["--content-type text/xml;charset=latin1 latin1.xml"],
  ["--policy xml-first --prescan 100 latin1.xml"],
  ["--policy nonsense latin1.xml"],
  ["--relabel never latin1.xml"],
  ["-t UTF-8 --bom add --eol lf utf8.txt"],
  ["-f IBM1047 --ebcdic-nl zos --eol nel e.txt"],
  ["--controls space control.txt"],
  ["--controls error control.txt"],
  ["--mojibake repair twice.txt"],
  ["--normalize nfd utf8.txt"],
  ["-v -f IBM037 e.txt"],
  ["-q latin.txt"],
  ["--color always latin.txt"],
  ["--progress never -f IBM037 e.txt"],
  ["-f IBM037 --report report.jsonl -o new.txt e.txt"],
  ["-f IBM037 --report - -o new.txt e.txt latin.txt"],
  ["-f IBM037 --records fb:4 --trim none clients"],
  ["-f IBM037 --records fb:8 --columns 1-4 --gaps hex clients"],
  ["-f IBM037 --records fba:41 --carriage-control strip records/listing.fba"],
  ["-f IBM037 --records vb records/customers.vb"],
  ["-f IBM037 --records tape --tape-file 1 clients"],
  ["-f UTF-8 -t IBM037 --to-records fb:8 --overlong cut utf8.txt"],
  ["-f UTF-8 -t IBM939 --to-records fb:80 --shift-blanks", "日本\n"],
  ["-f IBM037 --records fb:9 --record-newlines space e.txt"],
  ["-l"],
  ["--generate man"],
  ["--generate bash"],
  ["--generate nonsense"],
  ["-h"],
  ["--help"],
  ["-V"],
  ["--no-such-option"],
  ["hello-ibm1047.xml japanese-ibm930.xml ucs4-2143.xml keis.xml x-site.txt"],
];

const DETECT = [
  ["-r ."],
  ["-r --include *.xml --exclude u* --hidden ."],
  ["--files0-from names"],
  ["-f IBM037 e.txt"],
  ["-f mine --codec-file table.ucm e.txt"],
  ["--fallback Shift_JIS --ebcdic-fallback IBM500 latin.txt e.txt"],
  ["--guess --json latin.txt e.txt"],
  ["--as xml --content-type text/plain --policy xml-first --prescan 10 latin1.xml"],
  ["--strict -q latin.txt"],
  ["-v --color always latin1.xml"],
  ["-b e.txt latin1.xml"],
  ["--whole latin.txt"],
  ["--explain hello-ibm1047.xml"],
  ["--explain --html hello-ibm1047.xml"],
  ["--records clients records/customers.vb"],
  ["--records --tape-file 1 clients"],
  ["no-such"],
  ["-h"],
  ["--help"],
];

const ROWS = [
  ["--layout layout clients"],
  ["--layout layout --format jsonl -f IBM1047 clients"],
  ["--layout layout --format jsonl -o new.jsonl --report report.jsonl clients"],
  ["--layout layout --format arrow --integers -f IBM1047 clients"],
  ["--layout layout --layout-format fields --select NAME,SUM --add-columns number,offset clients"],
  ["--layout book.cpy --replacing ==:T:==~BY~==A== --decimal-comma --record-name A-CLIENT --underscores --integers --filler clients"],
  ["--layout member.cpy --copy-path . --show-layout"],
  ["--layout layout --show-layout --html"],
  ["--layout layout --schema duckdb"],
  ["--layout layout --schema arrow -o schema.arrow"],
  ["--layout layout --count-map COUNT:1=1 clients"],
  ["--layout layout --float ieee --byte-order little --zoned-signs ascii --varchar --null-indicator NAME=COUNT clients"],
  ["--layout layout --groups text --when COUNT=1:~NAME clients"],
  ["--layout layout --parent A<B --nest clients"],
  ["--layout layout --dates COUNT=D clients"],
  ["--layout layout --exact --trim none --controls space --record-newlines space --formulas quote --quote-empty clients"],
  ["--layout layout --from-rows csv -o new.bin rows.csv"],
  ["--layout layout --from-rows csv --to-records rdw --binary-range picture --merge rows.csv"],
  ["--layout layout --codec-file table.ucm --records fb:8 --jobs 2 clients"],
  ["--layout layout --length-field COUNT clients"],
  ["--layout layout --length-map COUNT:1=8,2=8 clients"],
  ["--layout layout --records tape --tape-file 1 clients"],
  ["--layout layout --skip-head 8 --on-bad null clients"],
  ["--layout layout --skip-tail 1r clients"],
  ["--layout layout --records fb:16 --record-prefix 8 clients"],
  ["--layout layout --records fb:16 --record-suffix 8 --overlong cut clients"],
  ["--layout layout --records fb:4 --short-records null --empty-is-null --loose-numbers --malformed replace clients"],
  ["--layout layout -f IBM037 --rejects rejects.jsonl e.txt"],
  ["--layout layout --output-dir out clients"],
  ["--layout layout --files0-from names"],
  ["--layout layout -q -v --color always e.txt"],
  ["--layout no-such clients"],
  ["-h"],
  ["--help"],
];

const OTHERS = [
  ["list"],
  ["list --json 1047"],
  ["list --color always IBM*"],
  ["list --codec-file table.ucm mine"],
  ["list -h"],
  ["chart IBM1047"],
  ["chart IBM1047 IBM037 --color always"],
  ["chart IBM939 --lead 0E42 --json"],
  ["chart IBM037 --html -o chart.html"],
  ["chart IBM037 --svg"],
  ["chart mine --codec-file table.ucm"],
  ["chart nonsense"],
  ["chart -h"],
  ["git-filter -f IBM1047 --ebcdic-nl zos -q -v --color never", "0016git-filter-client\n0010version=2\n0000"],
  ["git-filter --codec-file table.ucm -f mine", ""],
  ["git-filter -h"],
];

const of = (name, jobs) => jobs.map(([words, ...rest]) => [`${name} ${words}`.trim(), ...rest]);
const JOBS = [...CONVERT, ...of("detect", DETECT), ...of("rows", ROWS), ...OTHERS];

test("the same output, messages, status and files as from the native command", () => {
  const different = [];
  for (const [line, text, cwd] of JOBS) {
    const words = line.split(" ").filter(Boolean).map((word) => word.replaceAll("~", " "));
    const input = text === undefined ? "" : Buffer.from(text, /[^\0-\xff]/.test(text) ? "utf8" : "latin1");
    const [wanted, got] = Object.values(PROGRAMS).map((program) => run(program, { words, input, cwd }));
    const [changed] = Object.keys(wanted).filter((key) => JSON.stringify(got[key]) !== JSON.stringify(wanted[key]));
    if (changed) different.push({ line, npm: got[changed], native: wanted[changed] });
  }
  assert.deepEqual(different, []);
  assert.ok(JOBS.length > 140, `${JOBS.length}`);
});

test("every option of the reference is in a job", () => {
  for (const [page, jobs] of Object.entries({ convert: CONVERT, detect: DETECT, rows: ROWS, list: OTHERS, chart: OTHERS, "git-filter": OTHERS })) {
    const reference = readFileSync(here(`../../docs/reference/${page}.md`), "utf8");
    const options = [...reference.matchAll(/^### (?:`-\w`, )?`(--?[\w-]+)/gm)].map(([, option]) => option);
    const short = Object.fromEntries([...reference.matchAll(/^### `(-\w)`, `(--[\w-]+)/gm)].map(([, short, long]) => [long, short]));
    const words = jobs.flatMap(([line]) => line.split(" ")).map((word) => word.replace(/=.*/, ""));
    assert.deepEqual(options.filter((option) => !words.includes(option) && !words.includes(short[option])), [], page);
  }
});

test("large input, and a reader that stops early", () => {
  const input = Buffer.alloc(8 << 20, EBCDIC);
  const [wanted, got] = Object.values(PROGRAMS).map(([program, ...first]) =>
    spawnSync(program, [...first, "-f", "IBM037", "-t", "UTF-16"], { input, maxBuffer: 1 << 26 }),
  );
  assert.ok(wanted.stdout.length > 1 << 24 && wanted.stdout.equals(got.stdout));
  // Standard output is a pipe of the shell: those of Node are sockets.
  for (const program of Object.values(PROGRAMS)) {
    const script = '{ "$@"; echo "status $?" >&2; } | head -c 8';
    const { stdout, stderr } = spawnSync("sh", ["-c", script, "sh", ...program, "-f", "IBM037"], { input });
    assert.deepEqual([stdout.length, stderr.toString()], [8, "status 0\n"]);
  }
});

test("a signal ends it", async () => {
  for (const [program, ...first] of Object.values(PROGRAMS)) {
    const child = spawn(program, [...first, "-f", "IBM037"]);
    child.stdin.write(EBCDIC);
    await new Promise((done) => setTimeout(done, 500));
    child.kill("SIGTERM");
    const signal = await new Promise((done) => child.on("exit", (_, signal) => done(signal)));
    assert.equal(signal, "SIGTERM");
  }
});
