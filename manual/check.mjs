/**
 * Checks the manual that manual/build has made, or the site that manual/site has made: `node manual/check.mjs [FOLDER]`
 * (target/manual/book by default).
 *
 * Sizes, links, and in Chromium, from files and without a network: that axe finds nothing, that nothing is wider than a
 * phone, and that the search finds something. TOOLS is a folder with puppeteer-core and axe-core in its node_modules, and
 * CHROMIUM the path of the browser; without these the checks in the browser are left out.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 6_500_000;
const COMPRESSED_LIMIT = 2_000_000;
/** How pages are looked at: each in one of these ways, in turn. Widths are in CSS pixels: a phone's, and a wide window's. */
const LOOKS = [
  { width: 360, theme: "light" },
  { width: 1600, theme: "navy" },
  { width: 360, theme: "navy" },
  { width: 1600, theme: "light" },
];

const folder = resolve(process.argv[2] ?? "target/manual/book");
const isSite = existsSync(join(folder, "manual"));
const book = isSite ? join(folder, "manual") : folder;
/** The page that the manual of a site links to. */
const front = join(folder, "index.html");
const files = readdirSync(book, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
const pages = files.filter((file) => file.endsWith(".html"));
const wrong = [];

function checkSizes() {
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const compressed = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  console.log(`${pages.length} pages, ${size} bytes, ${compressed} compressed`);
  if (size > LIMIT) wrong.push(`the book has ${size} bytes, more than ${LIMIT}`);
  if (compressed > COMPRESSED_LIMIT) wrong.push(`compressed, the book has more than ${COMPRESSED_LIMIT} bytes`);
}

function checkLinks() {
  const ids = new Map(
    pages.map((page) => [page, new Set(Array.from(readFileSync(page, "utf8").matchAll(/\sid="([^"]*)"/g), (found) => found[1]))]),
  );
  const known = new Set([...files, front]);
  let count = 0;
  for (const page of pages) {
    // The page of errors is for a server, and the printed one has all the others in it.
    if (/(^|\/)(404|print)\.html$/.test(page)) continue;
    for (const [, link] of readFileSync(page, "utf8").matchAll(/<(?:a|img)\s[^>]*?(?:href|src)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path, fragment] = decodeURI(link).split("#");
      const target = path ? resolve(dirname(page), path) : page;
      count += 1;
      if (!known.has(target)) wrong.push(`${relative(book, page)}: no file for ${link}`);
      else if (fragment && ids.has(target) && !ids.get(target).has(fragment)) {
        wrong.push(`${relative(book, page)}: no place for ${link}`);
      }
    }
  }
  console.log(`${count} links`);
  if (isSite) {
    const leads = (page, target) =>
      Array.from(readFileSync(page, "utf8").matchAll(/<a [^>]*?href="([^"]*)"/g)).some(([, link]) => resolve(dirname(page), link) === target);
    if (!leads(front, join(book, "index.html"))) wrong.push("the page of the site does not link to the manual");
    for (const page of pages.filter((page) => !/(404|toc)\.html$/.test(page) && !leads(page, front))) {
      wrong.push(`${relative(book, page)}: no link to the page of the site`);
    }
  }
}

async function checkInBrowser(tools, chromium) {
  const require = createRequire(join(resolve(tools), "package.json"));
  const { default: puppeteer } = await import(pathToFileURL(require.resolve("puppeteer-core")).href);
  const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  const browser = await puppeteer.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--allow-file-access-from-files"],
  });
  try {
    const page = await browser.newPage();
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) wrong.push(`${page.url()}: asks for ${request.url()}`);
    });
    const shown = pages.filter((file) => !/(404|print|toc)\.html$/.test(file));
    for (const [index, file] of shown.entries()) {
      const { width, theme } = LOOKS[index % LOOKS.length];
      await page.setViewport({ width, height: 900 });
      await page.goto(pathToFileURL(file).href);
      await page.evaluate((name) => localStorage.setItem("mdbook-theme", name), theme);
      await page.reload();
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const name = `${relative(book, file)}, ${theme}, ${width} pixels`;
      for (const { id, nodes } of violations) wrong.push(`${name}: ${id}: ${nodes[0].html.slice(0, 200)}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) wrong.push(`${name}: it is ${wide} pixels wide`);
    }
    await page.goto(`${pathToFileURL(join(book, "index.html")).href}?search=copybook`);
    await page.waitForSelector("#mdbook-searchresults li, #searchresults li", { timeout: 20_000 });
    console.log("looked at all pages in the browser");
  } finally {
    await browser.close();
  }
}

checkSizes();
checkLinks();
const { TOOLS, CHROMIUM } = process.env;
if (TOOLS && CHROMIUM) await checkInBrowser(TOOLS, CHROMIUM);
else console.log("skipped: TOOLS or CHROMIUM is not set, so no page was opened in a browser");
const shown = [...new Set(wrong)];
for (const text of shown.slice(0, 400)) console.error(text);
if (shown.length > 0) {
  console.error(`${shown.length} things are wrong`);
  process.exitCode = 1;
}
