// The pictures of docs/guides/report.md, from runs of the examples and of a program that deadlocks:
//   PYTHON=.venv/bin/python node web/report/browser/screenshots.mjs [FOLDER [NAME...]]
// scripts/update_pictures.py runs it. Names choose pictures; the default is all of them, into docs/assets/report.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launched, opened, ROOT, written } from "./open.mjs";

const [PICTURES = join(ROOT, "docs/assets/report"), ...chosen] = process.argv.slice(2);
const python = resolve(process.env.PYTHON ?? join(ROOT, ".venv/bin/python"));
execFileSync(process.execPath, ["esbuild.mjs", "--sample"], { cwd: join(ROOT, "web/report") });
mkdirSync(PICTURES, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "ttl-report-"));

const reports = new Map();

/** The report of a program on the emulated chip, which runs once. */
function run(program) {
  if (!reports.has(program)) reports.set(program, ran(program));
  return reports.get(program);
}

function ran(program) {
  const file = join(folder, "run.json");
  spawnSync(python, ["-m", "ttl", "run", "--target", "emu", "--report", file, program], { cwd: ROOT, stdio: "ignore" });
  const report = JSON.parse(readFileSync(file, "utf8"));
  rmSync(file);
  return report;
}

const browser = await launched();
async function picture(name, program, options = () => ({}), act = null) {
  if (chosen.length > 0 && !chosen.includes(name)) return;
  const report = run(program);
  const { page, context, problems } = await opened(browser, await written("picture.html", report), options(report));
  if (act) await act(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  await context.close();
  if (problems.length > 0) throw new Error(`${name}: ${problems.join("; ")}`);
}

const MATMUL = "examples/matmul_multicast.py";
try {
  await picture("overview", MATMUL);
  await picture("line", MATMUL, (report) => {
    const line = report.launches[0].sources[0].text.split("\n").findIndex((row) => row.includes("b_xf.wait()")) + 1;
    return { fragment: `#select=line:0:${line}` };
  });
  await picture("arrows", MATMUL, () => ({ fragment: "#time=4000-8000" }), async (page) => {
    const box = await page.locator(".timeline-scroller").boundingBox();
    await page.mouse.click(box.x + 250, box.y + 30 + 20 + 22 + 20 + 17 * 3 + 8);
    await page.mouse.move(box.x + 250, box.y + 30 + 20 + 22 + 20 + 17 * 3 + 8);
  });
  await picture("dark", MATMUL, () => ({ dark: true, size: { width: 1920, height: 1080 }, fragment: "#select=node:36&tab=buffers" }), async (page) => {
    await page.locator("select[aria-label='What the colours show']").selectOption("noc");
    await page.locator("select[aria-label='Links of the network']").selectOption("1");
  });
  await picture("roofline", "examples/softmax.py", () => ({ fragment: "#tab=roofline" }));
  await picture("deadlock", "web/report/browser/deadlock.py", (report) => {
    const { stands, tracks } = report.launches[0];
    const stuck = stands.find(({ track }) => tracks[track].role === "unpack");
    return { size: { width: 1280, height: 960 }, fragment: `#select=slice:${stuck.slice}` };
  });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
