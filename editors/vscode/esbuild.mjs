// Bundles the extension into one file; --tests: the unit tests, too, each into one file.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const shared = { bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "warning" };

if (process.argv.includes("--tests")) {
  const tests = readdirSync("test/unit").map((name) => `test/unit/${name}`);
  // Tests have a module `vscode` of their own: outside of the editor there is none.
  await build({ ...shared, entryPoints: tests, outdir: "build/test", alias: { vscode: "./test/mock/vscode.ts" } });
} else {
  await build({ ...shared, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", external: ["vscode"], minify: true });
}
