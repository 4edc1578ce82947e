// A report in headless Chromium: opens a page, and notes what goes wrong in it and what it asks the network for.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = join(HERE, "../../..");
export const BUILD = join(ROOT, "build/report-page");
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The reports made up for tests: `node esbuild.mjs --sample` builds them. */
export const samples = () => import(pathToFileURL(join(BUILD, "sample.mjs")).href);

/** Writes the page of a report, as Python does, and gives its path. */
export async function written(name, report) {
  const { pageOf } = await samples();
  const page = join(ROOT, "src/ttl/report/page");
  if (!existsSync(join(page, "report.js"))) throw new Error("no built page: make report-page");
  mkdirSync(BUILD, { recursive: true });
  const path = join(BUILD, name);
  writeFileSync(path, pageOf(report, readFileSync(join(page, "report.js"), "utf8"), readFileSync(join(page, "report.css"), "utf8")));
  return path;
}

export const launched = () => chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });

/** Opens a page; `problems` and `requests` are lists that grow. */
export async function opened(browser, path, { size = { width: 1280, height: 800 }, scale = 1, dark = false, fragment = "", before } = {}) {
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: scale, colorScheme: dark ? "dark" : "light" });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on("request", (request) => requests.push(request.url()));
  if (before) await page.addInitScript(before);
  const begun = performance.now();
  await page.goto(pathToFileURL(path).href + fragment);
  await page.locator("body[data-ready]").waitFor({ state: "attached" });
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return { page, context, problems, requests, milliseconds: performance.now() - begun };
}
