// Bundles the page into report.js and report.css of the Python package; --tests: the unit tests, each into one file.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const shared = { bundle: true, logLevel: "warning", legalComments: "none" };

if (process.argv.includes("--tests")) {
  const tests = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...shared, platform: "node", target: "node20", format: "esm", entryPoints: tests, outdir: "../../build/report-page/test", outExtension: { ".js": ".mjs" } });
} else {
  // Characters beyond ASCII are escaped: the page says its own character set, but a copy of the script may not.
  await build({ ...shared, platform: "browser", target: "es2022", format: "iife", minify: true, charset: "ascii", entryPoints: ["src/report.ts", "src/report.css"], outdir: "../../src/ttl/report/page" });
}
