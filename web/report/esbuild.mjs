// Bundles the page into report.js and report.css of the Python package; --tests: the unit tests, each into one file;
// --sample: the reports made up for tests, for those in a browser.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const shared = { bundle: true, logLevel: "warning", legalComments: "none" };

const forNode = { ...shared, platform: "node", target: "node20", format: "esm", outExtension: { ".js": ".mjs" } };

if (process.argv.includes("--tests")) {
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...forNode, entryPoints: tests, outdir: "../../build/report-page/test" });
} else if (process.argv.includes("--sample")) {
  await build({ ...forNode, entryPoints: ["test/sample.ts"], outdir: "../../build/report-page" });
} else {
  // Characters beyond ASCII are escaped: the page says its own character set, but a copy of the script may not.
  await build({ ...shared, platform: "browser", target: "es2022", format: "iife", minify: true, charset: "ascii", entryPoints: ["src/report.ts", "src/report.css"], outdir: "../../src/ttl/report/page" });
}
