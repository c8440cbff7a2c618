// Tests the page in headless Chromium: `TOOLS=DIR CHROMIUM=PATH node --test web/test/page.test.mjs`. DIR has
// node_modules with puppeteer-core and axe-core. SCREENSHOTS=DIR keeps pictures.

import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as charpipe from "../dist/index.js";
import { current } from "../dist/load.js";
import { Stream } from "../dist/module.js";

const require = createRequire(resolve(process.env.TOOLS ?? ".", "package.json"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(fileURLToPath(new URL("../dist/page/index.html", import.meta.url))).href;
const data = fileURLToPath(new URL("../../examples/data/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "charpipe-page-"));

let browser;
before(async () => {
  await charpipe.load("all");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
});
after(() => browser?.close());

/** Opens the page, offline. Requests other than for the page itself, and errors, are collected. */
async function open(fragment = "", base = address) {
  const page = await browser.newPage();
  page.requests = [];
  page.problems = [];
  page.on("request", (request) => request.url().split("#")[0] !== base && page.requests.push(request.url()));
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("dialog", (dialog) => {
    page.problems.push("dialog");
    dialog.dismiss();
  });
  await page.setViewport({ width: 1100, height: 1400 });
  // Nobody could answer its dialog. Tests that need it have one of their own.
  await page.evaluateOnNewDocument(() => delete window.showSaveFilePicker);
  await page.goto(base + fragment);
  await page.waitForSelector("html[data-ready]");
  await page.setOfflineMode(true);
  return page;
}

const text = (page, id) => page.$eval(`#${id}`, (element) => element.textContent);

async function give(page, path) {
  const opened = await page.evaluate(() => document.documentElement.dataset.opened ?? "");
  await (await page.$("#file")).uploadFile(path);
  await page.waitForFunction((opened) => (document.documentElement.dataset.opened ?? "") !== opened, {}, opened);
}

function file(name, bytes) {
  const path = join(scratch, name);
  writeFileSync(path, bytes);
  return path;
}

async function picture(page, name, fullPage = true) {
  if (!process.env.SCREENSHOTS) return;
  mkdirSync(process.env.SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage });
}

async function close(page) {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(
    page.requests.filter((url) => !url.startsWith("blob:")),
    [],
    "no requests",
  );
  await page.close();
}

async function violations(page) {
  await page.evaluate((source) => (0, eval)(source), axe).catch(() => {});
  const results = await page.evaluate(() => globalThis.axe.run());
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target).join(", ")}`);
}

test("every example: the verdict is that of the library", async () => {
  const page = await open();
  for (const name of readdirSync(data).filter((name) => statSync(join(data, name)).isFile())) {
    await give(page, join(data, name));
    const verdict = charpipe.detect(readFileSync(join(data, name)));
    const sentence = await page.waitForFunction(
      (id, wanted) => {
        const it = document.getElementById(id).textContent;
        return it.includes(wanted) && it;
      },
      {},
      "sentence",
      verdict.codec ? verdict.encoding : "unknown",
    );
    const shown = await sentence.jsonValue();
    if (verdict.codec && verdict.source === "default") assert.match(shown, /only because/, name);
    assert.match(await text(page, "reasons"), new RegExp(verdict.rule ?? "none"), name);
  }
  await picture(page, "example");
  await close(page);
});

test("hex and text in step; bad bytes and evidence are marked; the keyboard moves", async () => {
  const page = await open("#from=UTF-8");
  await give(page, join(data, "damaged-utf8.txt"));
  assert.ok(await page.$("#dump .bad"));
  await page.focus("#dump");
  await page.keyboard.press("ArrowRight");
  assert.match(await text(page, "about-byte"), /^Byte 1 /);
  await page.keyboard.press("ArrowDown");
  assert.match(await text(page, "about-byte"), /^Byte 1[67] /);
  await page.$eval("#dump .bad", (element) => element.click());
  assert.match(await text(page, "about-byte"), /is not valid UTF-8: /);
  assert.equal(await page.$$eval("#dump .chosen", (chosen) => chosen.length), 2, "in hex and in text");
  await give(page, join(data, "hello-ibm1047.xml"));
  assert.equal(await page.$("#dump .evidence"), null, "the bytes did not decide");
  await page.$eval("#option-from", (input) => {
    input.value = "";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await page.waitForSelector("#dump .evidence");
  await picture(page, "bytes");
  await close(page);
});

test("a guess shows the other candidates and the bytes in which they differ", async () => {
  const page = await open("#guess=true");
  const german = "Der fällige Betrag für Müller und Schröder ist größer als im Frühjahr. ".repeat(8);
  await give(page, file("german.bin", charpipe.encode(german, "IBM273")));
  assert.match(await text(page, "sentence"), /IBM273.*guess/);
  assert.match(await text(page, "candidates"), /[0-9A-F]{2} is . or . \(\d+ times\)/);
  await picture(page, "guess");
  await close(page);
});

test("candidates with double bytes show the sequences that they read differently", async () => {
  const page = await open("#guess=true");
  const japanese = "日本語の文書を符号化する。カタカナとひらがな、漢字かな交じり文。".repeat(30);
  await give(page, file("japanese.bin", charpipe.encode(japanese, "IBM939")));
  const candidates = await text(page, "candidates");
  assert.doesNotMatch(candidates, /compare the charts/);
  assert.match(candidates, / is .+ or .+ \(\d+ times\)|in the same way/);
  await close(page);
});

test("records with a ruler", async () => {
  const page = await open();
  await give(
    page,
    join(
      data,
      "records",
      readdirSync(join(data, "records")).find((name) => name.endsWith(".fba") || name.endsWith(".fb")),
    ),
  );
  await page.$eval("#shape", (input) => {
    input.value = "fb:41";
    input.dispatchEvent(new Event("change"));
  });
  assert.match(await text(page, "records-list"), /----\+----1/);
  await picture(page, "records");
  await close(page);
});

const COPYBOOK = `       01  CLIENT.
           05  NAME    PIC X(4).
           05  COUNT   PIC 9.
           05  AMOUNT  PIC S9(3)V99 COMP-3.
`;
/** Two clients; the amount of the second one is not a number. */
const CLIENTS = Buffer.from("D1968540F112345CC1958540F2123456", "hex");

async function giveLayout(page, path) {
  await (await page.$("#layout-file")).uploadFile(path);
  await page.waitForFunction(() => document.getElementById("layout-about").textContent);
}

/** Types a layout, and returns what the page says about it. */
async function pasteLayout(page, layout) {
  await page.$eval("#layout-box", (box) => (box.open = true));
  return page.$eval(
    "#layout",
    (area, layout) => {
      area.value = layout;
      area.dispatchEvent(new Event("input", { bubbles: true }));
      return document.getElementById("layout-about").textContent;
    },
    layout,
  );
}

const rowsOf = (page) =>
  page.$$eval("#fields-list tbody tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));

test("a copybook lays fields over the record", async () => {
  const page = await open("#from=IBM1047");
  // The copybook may come first. Its length is that of the records.
  await giveLayout(page, file("CLIENT.CPY", COPYBOOK));
  assert.equal(await text(page, "layout-about"), "The records of the layout CLIENT have 8 bytes.");
  await give(page, file("clients.bin", CLIENTS));
  assert.equal(await page.$eval("#shape", (input) => input.value), "fb:8");
  assert.deepEqual(await rowsOf(page), [
    ["NAME", "1–4", "text", "D1 96 85 40", "“Joe”"],
    ["COUNT", "5", "zoned,unsigned", "F1", "1"],
    ["AMOUNT", "6–8", "packed.2", "12 34 5C", "123.45"],
  ]);
  const lines = await page.$$eval("#fields-columns .record", (lines) => lines.map((line) => line.textContent));
  assert.deepEqual([lines[0], lines[2], lines[3]], ["----+---", "D984F135", "1650124C"]);

  // The other record, with the keyboard; and a field.
  await page.focus("#record");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^Record 2 in IBM1047: 8 bytes/.test(document.getElementById("fields-about").textContent));
  assert.match(await text(page, "fields-about"), /1 of 3 fields cannot be read/);
  assert.match((await rowsOf(page))[2][4], /^12 34 56 is not a number; expected /);
  assert.equal((await page.$$("#fields-list .bad")).length, 1);
  await page.focus("#fields-list button[tabindex='0']");
  await page.keyboard.press("ArrowDown");
  assert.equal(await text(page, "fields-chosen"), "COUNT, column 5: 2");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.field), "1");
  assert.equal((await page.$$("#fields-list button[tabindex='0']")).length, 1);
  assert.deepEqual(await page.$$eval("#fields-columns .chosen", (all) => all.map((one) => one.textContent)), ["+", "2", "F", "2"]);
  // The first record again, with the mouse.
  await page.click("#records-list [data-record='1']");
  assert.match(await text(page, "fields-about"), /^Record 1 /);
  assert.equal(await page.evaluate(() => location.hash), "#from=IBM1047", "the address has no layout");
  await picture(page, "fields");
  await close(page);
});

test("a copybook with an error: its line and its column", async () => {
  const page = await open("#from=IBM1047");
  await give(page, file("clients.bin", CLIENTS));
  assert.match(await pasteLayout(page, COPYBOOK), /have 8 bytes/);
  assert.ok(await page.$("#fields:not([hidden])"));
  assert.match(
    await pasteLayout(page, "01 A.\n   05 B PIC X(3) OCURS 3.\n"),
    /^The layout has an error: line 2, column 18: found OCURS, expected a clause/,
  );
  assert.ok(await page.$("#layout-about.problem"));
  assert.ok(await page.$("#fields[hidden]"));
  // A layout that this encoding cannot fill.
  assert.match(await pasteLayout(page, "G 1 4 graphic\n"), /have 4 bytes/);
  assert.match(await text(page, "fields-about"), /IBM1047 has no double-byte characters/);
  assert.equal(await pasteLayout(page, ""), "");
  assert.ok(await page.$("#fields[hidden]"));
  await close(page);
});

test("a copybook and a file that are dropped together", async () => {
  const page = await open("#from=IBM1047");
  const drop = (files, selector) =>
    page.evaluate(
      (files, selector) => {
        const dataTransfer = new DataTransfer();
        for (const [name, bytes] of files) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
        const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer });
        document.querySelector(selector).dispatchEvent(event);
      },
      files,
      selector,
    );
  await drop([["clients.bin", [...CLIENTS]], ["client.cpy", [...Buffer.from(COPYBOOK)]]], "body");
  await page.waitForSelector("#fields:not([hidden])");
  assert.equal((await rowsOf(page)).length, 3);
  // By its place, whatever its name is. The file stays.
  await drop([["layout.txt", [...Buffer.from("ONE 1 8 raw\n")]]], "#layout-box summary");
  await page.waitForFunction(() => document.querySelectorAll("#fields-list tbody tr").length === 1);
  assert.deepEqual((await rowsOf(page))[0].slice(0, 2), ["ONE", "1–8"]);
  await close(page);
});

test("charts: a page, two compared, and the uses of a byte", async () => {
  const page = await open();
  for (const count of [3, 5]) {
    await give(page, file(`uses-${count}.bin`, Buffer.alloc(count, 0xc1)));
    await page.$eval("#chart button[title^='C1:']", (button) => button.click());
    assert.match(await text(page, "chart-about"), new RegExp(`has it ${count} times, first at byte 0`));
  }
  await page.focus("#chart button[tabindex='0']");
  for (const key of ["ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.byte), "15");
  assert.equal((await page.$$("#chart button[tabindex='0']")).length, 1);
  await give(page, join(data, "hello-ibm1047.xml"));
  await page.type("#chart-b", "IBM037");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => /differ in \d+ of 256/.test(document.getElementById("chart-about").textContent));
  // The bytes in which they differ: first those that the file has most often.
  await page.$eval("#chart-differences", (box) => (box.open = true));
  const rows = await page.$$eval("#chart-list tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows[0], ["Byte", "IBM1047", "IBM037", "In the file"]);
  assert.ok((await text(page, "chart-about")).startsWith(`IBM1047 and IBM037 differ in ${rows.length - 1} of 256`));
  assert.deepEqual(rows.find(([byte]) => byte === "AD"), ["AD", "[ (U+005B)", "Ý (U+00DD)", "1"]);
  const counts = rows.slice(1).map((row) => Number(row[3]));
  assert.ok(counts[0] > 0 && counts.every((count, at) => at === 0 || count <= counts[at - 1]));
  assert.ok((await page.$$("#chart .differs")).length > 0);
  const cell = await page.$("#chart button[title^='C1:']");
  await cell.click();
  assert.match(await text(page, "chart-about"), /has it \d+ times/);
  await picture(page, "chart");
  await close(page);
});

test("conversion: preview, download, command line, permalink", async () => {
  const page = await open();
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: scratch, eventsEnabled: true });
  await give(page, join(data, "hello-ibm1047.xml"));
  assert.match(await text(page, "preview"), /encoding="UTF-8"[^]*José Müller/);
  assert.match(await text(page, "outcome"), /label becomes “UTF-8” \(it was “IBM1047”\)/);
  await page.type("#option-to", "UTF-16");
  await page.keyboard.press("Tab");
  assert.equal(await text(page, "command"), "charpipe --to UTF-16 -o hello-ibm1047.converted.xml hello-ibm1047.xml");
  assert.equal(await page.evaluate(() => location.hash), "#to=UTF-16");
  const done = new Promise((resolve) =>
    session.on("Browser.downloadProgress", ({ state }) => state === "completed" && resolve()),
  );
  await page.click("#run");
  await done;
  const saved = readFileSync(join(scratch, "hello-ibm1047.converted.xml"));
  const expected = charpipe.convert(readFileSync(join(data, "hello-ibm1047.xml")), { to: "UTF-16" }).bytes;
  assert.deepEqual([...saved], [...expected]);
  const again = await open("#to=UTF-16&malformed=replace&eol=lf&guess=true&no-such=1&bom=%3Cb%3E");
  assert.equal(await again.$eval("#option-eol", (input) => input.value), "lf");
  assert.ok(await again.$eval("#option-guess", (input) => input.checked));
  assert.equal(
    await text(again, "command"),
    "charpipe --to UTF-16 --guess --malformed replace --eol lf -o FILE.converted FILE",
  );
  await close(again);
  await close(page);
});

/** Keeps what the page saves: `window.saved` has the text of the last file. */
const keepSaved = (page) =>
  page.evaluate(() => {
    URL.createObjectURL = ((make) => (blob) => {
      if (!blob.type.includes("javascript")) blob.text().then((text) => (window.saved = text));
      return make(blob);
    })(URL.createObjectURL.bind(URL));
  });

const savedText = async (page) => (await page.waitForFunction(() => window.saved)).jsonValue();

test("a file without a label is converted as it was recognised, with one button", async () => {
  const german = "Die Straße ist für Müller größer. ".repeat(10);
  const japanese = "日本語の文書を符号化する。カタカナとひらがな".repeat(10);
  const lines = Array.from({ length: 40 }, (_, at) => `CUSTOMER ${at} MILLER STREET ${at * 7}`);
  const cards = lines.map((line) => line.padEnd(80)).join("");
  const cases = [
    ["windows-1252", "", german, german],
    ["Shift_JIS", "", japanese, japanese],
    ["IBM037", "fb:80", cards, `${lines.join("\n")}\n`],
  ];
  for (const [label, shape, content, wanted] of cases) {
    const page = await open();
    await keepSaved(page);
    await give(page, file("recognised.dat", charpipe.encode(content, label)));
    assert.equal(await text(page, "run-recognised"), `Convert as recognised: ${label}${shape && `, records ${shape}`}`);
    const options = `--from ${label}${shape && ` --records ${shape}`}`;
    const command = `charpipe ${options} -o recognised.converted.dat recognised.dat`;
    assert.equal(await text(page, "recognised-command"), command);
    await page.focus("#run-recognised");
    await page.keyboard.press("Enter");
    assert.equal(await savedText(page), wanted);
    await page.waitForFunction(() => /bytes became/.test(document.getElementById("outcome").textContent));
    assert.equal(await page.evaluate(() => document.activeElement.id), "outcome");
    // The address and the other command line have it, too.
    assert.equal(await text(page, "command"), command);
    assert.equal(await page.evaluate(() => decodeURIComponent(location.hash)), `#from=${label}${shape && `&records=${shape}`}`);
    await picture(page, `recognised-${label}`);
    await close(page);
  }
  const page = await open();
  // A file that does not fit the layout is no file of records.
  assert.match(await pasteLayout(page, "A 1 28 text\n"), /have 28 bytes/);
  await give(page, join(data, "hello-ibm1047.xml"));
  assert.match(await text(page, "records-about"), /is incomplete/);
  assert.equal(await text(page, "run-recognised"), "Convert as recognised: IBM1047");
  await give(page, file("picture.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")));
  assert.ok(await page.$("#recognised[hidden]"));
  await close(page);
});

test("the button to convert keeps the focus", async () => {
  const page = await open();
  await give(page, join(data, "hello-ibm1047.xml"));
  await page.focus("#run");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /bytes became/.test(document.getElementById("outcome").textContent));
  assert.equal(await page.evaluate(() => document.activeElement.id), "run");
  await close(page);
});

test("the records as a table, as CSV, as JSON Lines and as Arrow", async () => {
  const page = await open("#from=IBM1047");
  await keepSaved(page);
  const cards = charpipe.convert(Buffer.from(COPYBOOK), { to: "IBM037", toRecords: "fb:80" }).bytes;
  await giveLayout(page, file("CLIENT.CPY", cards));
  assert.match(await text(page, "layout-about"), /have 8 bytes\. The file is in IBM\d+; for the command, convert it to UTF-8/);
  await give(page, file("clients.bin", CLIENTS));
  const about = (pattern) =>
    page.waitForFunction((source) => new RegExp(source).test(document.getElementById("rows-about").textContent), {}, pattern.source);
  await about(/^2 rows\. 1 field cannot be read: empty here\.$/);
  // Packed numbers look like text that was decoded wrongly.
  assert.ok(await page.$("#mojibake[hidden]"));
  const cells = await page.$$eval("#rows-table tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(cells, [
    ["#", "NAME", "COUNT", "AMOUNT"],
    ["1", "Joe", "1", "123.45"],
    ["2", "Ane", "2", "–"],
  ]);
  const command = "charpipe rows --layout CLIENT.CPY --from IBM1047 --records fb:8 --on-bad null -o clients.csv clients.bin";
  assert.equal(await text(page, "rows-command"), command);
  await page.click("#rows-csv");
  assert.equal(await savedText(page), "NAME,COUNT,AMOUNT\nJoe,1,123.45\nAne,2,\n");
  await about(/^2 rows were written to clients\.csv\. 1 field cannot be read: empty here\.$/);
  await page.evaluate(() => (window.saved = ""));
  await page.click("#rows-jsonl");
  assert.equal(await savedText(page), '{"NAME":"Joe","COUNT":1,"AMOUNT":123.45}\n{"NAME":"Ane","COUNT":2,"AMOUNT":null}\n');
  await page.evaluate(() => (window.saved = ""));
  await page.click("#rows-arrow");
  const arrow = charpipe.rows(COPYBOOK, CLIENTS, { from: "IBM1047", records: "fb:8", onBad: "null", format: "arrow" }).bytes;
  assert.equal(await savedText(page), new TextDecoder("utf-8", { ignoreBOM: true }).decode(arrow));
  await about(/^2 rows were written to clients\.arrows\. 1 field cannot be read: empty here\.$/);
  await picture(page, "rows");
  // More rows than are shown, all of which are saved; and a file that is too large.
  await give(page, file("many.bin", Buffer.concat(Array(600).fill(CLIENTS))));
  await about(/^The first 1000 of 1200 rows\./);
  assert.equal((await page.$$("#rows-table tbody tr")).length, 1000);
  await page.evaluate(() => (window.saved = ""));
  await page.click("#rows-csv");
  assert.equal((await savedText(page)).split("\n").length, 1202);
  await give(page, file("large.bin", Buffer.alloc(2 << 20, CLIENTS)));
  await about(/^The first 1000 of 131072 rows in the first MiB\. .*All rows of the file are saved\.$/);
  await page.evaluate(() => (window.saved = ""));
  await page.click("#rows-csv");
  const lines = (await savedText(page)).split("\n");
  assert.equal(lines.length, 2 + (2 << 20) / 8);
  assert.equal(lines.at(-2), "Ane,2,");
  await about(/^262144 rows were written to large\.csv\. 131072 fields cannot be read: empty here\.$/);
  await close(page);
});

test("records that look like nothing are read in EBCDIC if there is a layout", async () => {
  const page = await open();
  const numbers = "C16B12345CC2F0F1C3F0F24041100000C17F12345DC2F0F17FF0F24041100000C1C212345DC2F0F17FF0C24041100000";
  await give(page, file("numbers.bin", Buffer.from(numbers, "hex")));
  assert.equal(await page.$eval("#read-as", (input) => input.value), "ISO-8859-1");
  assert.match(await pasteLayout(page, "KEY 1 2 text\nREST 3 14 raw\n"), /have 16 bytes/);
  assert.equal(await page.$eval("#read-as", (input) => input.value), "IBM037");
  assert.equal((await rowsOf(page))[0][4], "“A,”");
  assert.match(await text(page, "sentence"), /Below it is read as IBM037/);
  await close(page);
});

test("without JavaScript, the page says what to do", async () => {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(false);
  await page.goto(address);
  assert.match(await page.$eval("noscript", (element) => element.innerText), /needs JavaScript/);
  await page.close();
});

test("text that was decoded wrongly: what it becomes is marked, and repaired", async () => {
  const page = await open();
  await keepSaved(page);
  await give(page, file("twice.txt", "Kein Schaden.\nDer FuÃ\u009fball kostet 5 â‚¬, schön, mÃ¼de.\n"));
  assert.match(await text(page, "mojibake-about"), /^The text has 3 places that look decoded with the wrong charset once before/);
  const items = await page.$$eval("#mojibake-list li", (all) => all.map((one) => one.innerHTML));
  assert.equal(items[1], "Line 2, column 23: Der FuÃ·ball kostet 5 <del>â‚¬</del><ins>€</ins>, schön, mÃ¼de.");
  await picture(page, "mojibake");
  await page.focus("#repair");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "outcome");
  assert.match(await text(page, "preview"), /Der Fußball kostet 5 €, schön, müde\./);
  assert.match(await text(page, "command"), /--mojibake repair/);
  assert.ok(await page.$("#mojibake[hidden]"));
  await page.click("#run-recognised");
  assert.equal(await savedText(page), "Kein Schaden.\nDer Fußball kostet 5 €, schön, müde.\n");
  await page.waitForFunction(() => /3 places of wrongly decoded text repaired/.test(document.getElementById("outcome").textContent));
  await give(page, file("good.txt", "Der Fußball kostet 5 €.\n"));
  assert.ok(await page.$("#mojibake[hidden]"));
  await close(page);
});

test("every option has words, and its name", async () => {
  const page = await open();
  const labels = await page.$$eval("#options label", (all) => all.map(({ title, firstChild, lastChild }) => [title, (firstChild.nodeValue ?? lastChild.nodeValue)]));
  const names = charpipe.options().map(({ name }) => `--${name}`);
  assert.deepEqual(labels.map(([title]) => title).sort(), names.filter((name) => name !== "--jobs").sort());
  for (const [title, words] of labels) assert.notEqual(words, title.slice(2));
  await close(page);
});

test("the preview shows line ends, and its own end is no error", async () => {
  const page = await open("#from=IBM1047&eol=lf");
  await give(page, file("nel.bin", Buffer.from([0xc1, 0x15, 0xc2, 0x15])));
  assert.match(await text(page, "outcome"), /Ends of lines: NEL before, LF after\./);
  const cut = await open("#from=IBM037&records=fb:133");
  await give(cut, file("fixed.bin", Buffer.alloc(133 * 1000, 0xc1)));
  assert.match(await text(cut, "preview"), /^A{133}\n/);
  assert.doesNotMatch(await text(cut, "outcome"), /Error/);
  await close(cut);
  await close(page);
});

test("a file that changes after it was chosen is an error", async () => {
  const page = await open("#from=IBM037");
  const path = file("changes.bin", Buffer.alloc(6 << 20, 0xc1));
  await give(page, path);
  writeFileSync(path, Buffer.alloc(1 << 20, 0xc2));
  utimesSync(path, new Date(), new Date(Date.now() + 60_000));
  await page.click("#run");
  await page.waitForFunction(() => /^Error: /.test(document.getElementById("outcome").textContent));
  assert.match(await text(page, "outcome"), /cannot be read any more.*Nothing was saved/);
  await close(page);
});

test("a large file streams through a worker, and can be cancelled", async () => {
  const page = await open("#from=IBM037");
  const large = file("large.bin", Buffer.alloc(96 << 20, 0xc1));
  await give(page, large);
  await page.evaluate(() => {
    URL.createObjectURL = ((make) => (blob) => {
      if (blob.size > 1e6) window.saved = blob.size;
      return make(blob);
    })(URL.createObjectURL.bind(URL));
  });
  const goTo = (value) =>
    page.$eval(
      "#go",
      (input, value) => {
        input.value = value;
        input.dispatchEvent(new Event("change"));
      },
      value,
    );
  await goTo("0x5FFFFFF");
  await page.waitForFunction(() =>
    /^Byte 100663295 \(hex 5FFFFFF\): C1 is A/.test(document.getElementById("about-byte").textContent),
  );
  assert.ok(await page.$eval("#next", (button) => button.disabled));
  await goTo("100663296");
  assert.match(await text(page, "about-byte"), /^There is no byte 100663296/);
  await page.click("#run");
  await page.waitForFunction(() => document.getElementById("progress").value > 0);
  await page.click("#cancel");
  assert.equal(await text(page, "outcome"), "Cancelled. Nothing was saved.");
  assert.equal(await page.evaluate(() => document.activeElement.id), "run");
  assert.ok(await page.$("#working[hidden]"));
  await page.click("#run");
  await page.waitForFunction(
    () => /^100663296 bytes became 100663296/.test(document.getElementById("outcome").textContent),
    { timeout: 60_000 },
  );
  assert.equal(await page.evaluate(() => window.saved), 96 << 20);
  const { JSHeapUsedSize } = await page.metrics();
  assert.ok(JSHeapUsedSize < 64 << 20, `${JSHeapUsedSize}`);
  await close(page);
});

/** Serves the page at an address where it may keep files: a page on disk has no storage. */
async function serve(action) {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(readFileSync(fileURLToPath(address)));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    return await action(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Lets the user save in the page's own storage, which has the same interface as the disk. */
const saveInStorage = (page) =>
  page.evaluate(() => {
    window.places = [];
    window.showSaveFilePicker = async ({ suggestedName }) => {
      if (window.refuses) throw new DOMException("no", "AbortError");
      const place = await (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
      window.places.push(place);
      return place;
    };
  });

/** Returns how many bytes of memory each process of the browser has for itself. */
async function memoryOfProcesses() {
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.map(({ id }) => {
    try {
      return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) * 1024;
    } catch {
      // It has ended.
      return 0;
    }
  });
}

test("a file of 300 MB is written to disk as it comes, in little memory", { skip: process.platform !== "linux" }, () =>
  serve(async (url) => {
    const large = join(scratch, "huge.bin");
    const piece = Buffer.from("C8968599998525E74C40404040404040".repeat(1 << 16), "hex");
    for (let at = 0; at < 300; at++) appendFileSync(large, piece);
    const page = await open("#from=IBM037", url);
    await saveInStorage(page);
    await give(page, large);
    const samples = [await memoryOfProcesses()];
    const measure = setInterval(async () => samples.push(await memoryOfProcesses().catch(() => [0])), 100);
    const began = await page.evaluate(() => (window.values = []) && document.getElementById("progress").value);
    await page.evaluate(() => setInterval(() => window.values.push(document.getElementById("progress").value), 20));
    await page.click("#run");
    const done = () => /^\d+ bytes became \d+/.test(document.getElementById("outcome").textContent);
    await page.waitForFunction(done, { timeout: 120_000 });
    clearInterval(measure);
    assert.match(await text(page, "outcome"), /^314572800 bytes became 314572800\. /);
    const saved = await page.evaluate(async () => {
      const [file] = await Promise.all(window.places.map((place) => place.getFile()));
      return { name: file.name, size: file.size, end: await file.slice(-16).text() };
    });
    assert.deepEqual([saved.name, saved.size], ["huge.converted.bin", 314572800]);
    assert.equal(saved.end, charpipe.decode(piece.subarray(-16), { from: "IBM037" }));
    // Most of what the page takes is there before: the module, compiled.
    const [before, most] = [Math.max(...samples[0]), Math.max(...samples.flat())].map((bytes) => Math.round(bytes / 1e6));
    console.log(`${most} MB in the largest process, ${before} before the conversion`);
    assert.ok(most - before < 60 && most < 200, `${before} ${most}`);
    // The progress only grows, in many steps.
    const values = [...new Set(await page.evaluate(() => window.values))].filter((value) => value > began);
    assert.ok(values.length > 10 && values.every((value, at) => at === 0 || value >= values[at - 1]), `${values}`);
    // Cancelled, with the keyboard: nothing gets the name.
    await page.evaluate(async () => {
      for await (const name of (await navigator.storage.getDirectory()).keys()) await (await navigator.storage.getDirectory()).removeEntry(name);
      window.places = [];
    });
    await page.click("#run");
    await page.waitForFunction(() => document.getElementById("progress").value > 0 && !document.getElementById("working").hidden);
    await page.focus("#cancel");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.getElementById("outcome").textContent === "Cancelled. Nothing was saved.");
    assert.equal(await page.evaluate(() => document.activeElement.id), "run");
    assert.equal(await page.evaluate(async () => (await window.places[0].getFile()).size), 0);
    // Not saved at all.
    await page.evaluate(() => (window.refuses = true));
    await page.click("#run");
    await page.waitForFunction(() => document.getElementById("outcome").textContent === "Cancelled. Nothing was saved.");
    await close(page);
    rmSync(large);
  }),
);

test("rows are written to disk, and nothing after an error", () =>
  serve(async (url) => {
    const page = await open("#from=IBM1047", url);
    await saveInStorage(page);
    await giveLayout(page, file("CLIENT.CPY", COPYBOOK));
    await give(page, file("many.bin", Buffer.concat(Array(500_000).fill(CLIENTS))));
    await page.waitForSelector("#rows-table td");
    await page.click("#rows-jsonl");
    const about = (pattern) =>
      page.waitForFunction((source) => new RegExp(source).test(document.getElementById("rows-about").textContent), {}, pattern.source);
    await about(/^1000000 rows were written to many\.jsonl\./);
    const end = await page.evaluate(async () => (await (await window.places[0].getFile()).slice(-42).text()));
    assert.ok(end.endsWith('{"NAME":"Ane","COUNT":2,"AMOUNT":null}\n'), end);
    await page.evaluate(() => (window.places = []));
    await page.$eval("#option-from", (input) => {
      input.value = "US-ASCII";
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await page.click("#run");
    await page.waitForFunction(() => /^Error: .*Nothing was saved\.$/.test(document.getElementById("outcome").textContent));
    assert.equal(await page.evaluate(async () => (await window.places[0].getFile()).size), 0);
    await close(page);
  }),
);

test("bad input: an error with its place, and nothing saved", async () => {
  const page = await open("#from=UTF-8");
  await give(page, file("bad.txt", Buffer.from("ab\xff", "latin1")));
  await page.click("#run");
  await page.waitForFunction(() =>
    /^Error: line 1, column 3 \(byte 2\): FF is not valid UTF-8/.test(document.getElementById("outcome").textContent),
  );
  await give(page, file("empty", Buffer.alloc(0)));
  assert.match(await text(page, "sentence"), /UTF-8/);
  await page.click("summary");
  await page.type("#paste", "C1 C2 xyz");
  await page.click("#paste-hex");
  assert.equal(await text(page, "problem"), "“x” is not a hex digit.");
  await page.click("#sample");
  await page.waitForFunction(() => document.getElementById("preview").textContent.length > 0);
  await page.$eval("#option-from", (input) => {
    input.value = "no such";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  assert.match(await text(page, "problem"), /"no such" is not known/);
  await close(page);
});

test("what is binary is refused, and a label that lies is shown", async () => {
  const page = await open();
  await page.evaluate(() => {
    URL.createObjectURL = ((make) => (blob) => {
      if (!blob.type.includes("javascript")) window.saved = blob.size;
      return make(blob);
    })(URL.createObjectURL.bind(URL));
  });
  const outcome = (pattern) =>
    page.waitForFunction(
      (source) => new RegExp(source).test(document.getElementById("outcome").textContent),
      {},
      pattern.source,
    );
  await give(page, file("picture.png", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")));
  assert.match(await text(page, "sentence"), /^The encoding is unknown\. It looks like binary\./);
  assert.match(await text(page, "reasons"), /Error: .*\(byte 0\)/);
  await page.click("#run");
  await outcome(/^Error: byte 0: .*PNG/);
  assert.equal(await page.evaluate(() => window.saved), undefined);
  const lie = "<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\u00e9</a>";
  await give(page, file("lie.xml", Buffer.from(lie, "utf8")));
  assert.match(await text(page, "reasons"), /Warning: .*part of valid UTF-8 \(line 1, column 50, byte 49\)/);
  await page.click("#run");
  await outcome(/bytes became .*part of valid UTF-8/);
  await close(page);
});

test("hostile names and labels never become markup", async () => {
  const page = await open("#from=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
  const name = "<img src=x onerror=alert(1)>'\"`$(id);&.xml";
  const label = '<?xml version="1.0" encoding="<svg onload=alert(1)>"?><a/>';
  await give(page, file(name, label));
  await page.$eval("#option-from", (input) => {
    input.value = "";
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await give(page, file("x.xml", '<?xml version="1.0" encoding="&lt;img&gt;<b>"?><script>alert(1)</script>'));
  await page.$eval("#chart-a", (input) => {
    input.value = "<img src=x onerror=alert(1)>";
    input.dispatchEvent(new Event("change"));
  });
  await page.$eval("#shape", (input) => {
    input.value = "<b>fb";
    input.dispatchEvent(new Event("change"));
  });
  await give(page, file(name, label));
  await page.$eval("#shape", (input) => {
    input.value = "fb:9";
    input.dispatchEvent(new Event("change"));
  });
  await pasteLayout(page, "<img/src=x/onerror=alert(1)> 1 9 text\n<b>bold</b> 1 9 packed\n");
  assert.deepEqual(
    (await rowsOf(page)).map((row) => row[0]),
    ["<img/src=x/onerror=alert(1)>", "<b>bold</b>"],
  );
  assert.equal((await rowsOf(page))[0][4], "“<?xml ver”");
  const found = await page.$$eval("main img, main svg, main b > b, main script", (all) =>
    all.map((one) => one.outerHTML),
  );
  assert.deepEqual(found, []);
  assert.match(await text(page, "command"), /'<img src=x onerror=alert\(1\)>'\\''"`\$\(id\);&\.xml'$/);
  await close(page);
});

test("no connection can be made at all", async () => {
  const page = await open();
  await page.setOfflineMode(false);
  const refused = await page.evaluate(async () => {
    const tried = [];
    await fetch("https://example.invalid/").catch((error) => tried.push(error.name));
    try {
      new WebSocket("wss://example.invalid/");
    } catch (error) {
      tried.push(error.name);
    }
    tried.push(navigator.sendBeacon("https://example.invalid/", "x"));
    return tried;
  });
  assert.equal(refused[0], "TypeError");
  assert.ok(page.problems.some((problem) => /Content Security Policy/.test(problem)));
  assert.deepEqual(
    page.requests.filter((url) => !url.startsWith("blob:") && !/example\.invalid/.test(url)),
    [],
  );
  await page.close();
});

/** What the page can look like: each state is reached from the one before. */
const STATES = {
  empty: () => {},
  recognised: (page) => give(page, file("german.dat", charpipe.encode("Die Straße ist für Müller größer. ".repeat(20), "windows-1252"))),
  mojibake: async (page) => {
    await give(page, file("twice.txt", "Der FuÃ\u009fball kostet 5 â‚¬, schön, mÃ¼de.\n"));
    assert.ok(await page.$("#mojibake:not([hidden])"));
  },
  error: async (page) => {
    await give(page, file("german.dat", charpipe.encode("Die Straße ist groß. ".repeat(20), "windows-1252")));
    await page.click("#run");
    await page.waitForFunction(() => /^Error/.test(document.getElementById("outcome").textContent));
  },
  rows: async (page) => {
    await give(page, join(data, "hello-ibm1047.xml"));
    await pasteLayout(page, "A 1 20 text\nB 21 8 packed\n");
    assert.ok(await page.$("#fields .bad"));
    await page.waitForSelector("#rows-table td");
  },
  converted: async (page) => {
    await page.click("#run");
    await page.waitForFunction(() => /bytes became/.test(document.getElementById("outcome").textContent));
    await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
  },
};

test("accessible in light and dark, wide and narrow, in every state", async () => {
  for (const scheme of ["light", "dark"]) {
    for (const width of [1440, 768, 320]) {
      const page = await open();
      await page.setBypassCSP(true);
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.setViewport({ width, height: 900 });
      for (const [state, reach] of Object.entries(STATES)) {
        await reach(page);
        const what = `${scheme}-${width}-${state}`;
        // Colours depend on the scheme, and roles on the state.
        const isChecked = state === "converted" || (scheme === "light" ? width === 1440 : width === 320);
        if (isChecked) assert.deepEqual(await violations(page), [], what);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${what}: ${overflow} pixels too wide`);
        await picture(page, what);
        // On a phone too, the text is beside the bytes.
        const hidden = await page.$eval("#dump", (dump) => dump.scrollWidth - dump.clientWidth);
        assert.ok(hidden <= 0, `${what}: ${hidden} pixels of the dump are hidden`);
      }
      await page.close();
    }
  }
});

test("at 200 %, of the whole page and of the text alone, nothing is outside the screen", async () => {
  for (const [name, width, scale, size] of [["page", 640, 2, "100%"], ["text", 768, 1, "200%"]]) {
    const page = await open();
    await page.setBypassCSP(true);
    await page.setViewport({ width, height: 900, deviceScaleFactor: scale });
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), size);
    for (const [state, reach] of Object.entries(STATES)) {
      await reach(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${name}, ${state}: ${overflow} pixels too wide`);
    }
    assert.deepEqual(await violations(page), [], name);
    await picture(page, `zoom-${name}`);
    await page.close();
  }
});

test("decoding agrees with the browser's TextDecoder", async () => {
  const page = await open();
  const inputs = Object.fromEntries(charpipe.names().map(({ name }) => [name, vectors(name)]));
  const theirs = await page.evaluate((inputs) => {
    const results = {};
    for (const [name, input] of Object.entries(inputs)) {
      try {
        const decoder = new TextDecoder(name);
        if (decoder.encoding === name.toLowerCase()) results[name] = decoder.decode(Uint8Array.from(input));
      } catch {
        // A charset that browsers do not have.
      }
    }
    return results;
  }, inputs);
  const compared = Object.keys(theirs).filter((name) => !DIFFERENT.includes(name));
  for (const name of compared) {
    const ours = charpipe.decode(Uint8Array.from(inputs[name]), { from: name, malformed: "replace", as: "text" });
    const [a, b] = [ours, theirs[name]].map((text) => text.split("\n"));
    const at = a.findIndex((line, index) => line !== b[index]);
    assert.ok(ours === theirs[name], `${name}: ${JSON.stringify(a[at])}, and in the browser ${JSON.stringify(b[at])}`);
  }
  console.log(`${compared.length} charsets agree with the browser`);
  assert.ok(compared.length >= 30);
  await close(page);
});

test("decoding agrees with the browser's TextDecoder at every cut", async () => {
  const page = await open();
  const sentence = "Müller £5 Ωλ дом 日本語カナ 한글 𠮷 end\r\n";
  const inputs = {};
  for (const { name, encode } of charpipe.names()) {
    if (!encode || DIFFERENT.includes(name)) continue;
    const encoded = charpipe.encode(sentence, name, { unmappable: "drop", bom: "strip" });
    // The last byte begins a character in many charsets.
    inputs[name] = [...encoded, 0xe3];
  }
  const theirs = await page.evaluate((inputs) => {
    const results = {};
    for (const [name, input] of Object.entries(inputs)) {
      try {
        const decoder = new TextDecoder(name);
        if (decoder.encoding !== name.toLowerCase()) continue;
        const bytes = Uint8Array.from(input);
        const decode = (at) =>
          decoder.decode(bytes.subarray(0, at), { stream: true }) + decoder.decode(bytes.subarray(at));
        results[name] = Array.from({ length: bytes.length + 1 }, (_, at) => decode(at));
      } catch {
        // A charset that browsers do not have.
      }
    }
    return results;
  }, inputs);
  for (const [name, texts] of Object.entries(theirs)) {
    const bytes = Uint8Array.from(inputs[name]);
    texts.forEach((theirs, at) => {
      assert.equal(decodeCut(name, bytes, at), theirs, `${name} at ${at}`);
    });
  }
  assert.ok(Object.keys(theirs).length >= 30);
  await close(page);
});

/** Decodes bytes in two pieces. */
function decodeCut(from, bytes, at) {
  const stream = new Stream(current(), { from, to: "UTF-8", malformed: "replace", relabel: "never", as: "text" });
  const output = [];
  const give = (piece) => output.push(piece.slice());
  stream.push(bytes.subarray(0, at), give);
  stream.push(bytes.subarray(at), give);
  stream.finish(give);
  stream.close();
  return Buffer.concat(output).toString();
}

/** ISO-8859-1 and US-ASCII are themselves here, and windows-1252 on the web. */
const DIFFERENT = ["ISO-8859-1", "US-ASCII"];

/**
 * Whether Chromium decodes a pair in another way than the Encoding Standard: in Big5 the four that stand for two code
 * points. In EUC-JP, a broken code of three bytes makes it misread the next pair.
 */
const isFaulty = (name, pair) =>
  (name === "Big5" && [0x8862, 0x8864, 0x88a3, 0x88a5].includes(pair)) || (name === "EUC-JP" && pair >> 8 === 0x8f);

/** All bytes, and in charsets with several bytes for a character many pairs, each ended by a line feed. */
function vectors(name) {
  const bytes = [];
  for (let first = 0; first < 256; first++) bytes.push(first, 0x20, 0x20, 0x20, 0x0a);
  if (/^(Shift_JIS|EUC-JP|EUC-KR|windows-949|Big5|GBK|gb18030)$/.test(name)) {
    for (let first = 0x80; first < 256; first++) {
      for (let second = 0x20; second < 256; second += 1) {
        if (!isFaulty(name, first * 256 + second)) bytes.push(first, second, 0x20, 0x0a);
      }
    }
  }
  return bytes;
}
