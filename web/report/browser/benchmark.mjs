// How fast the page is: `node browser/benchmark.mjs [SLICES of every processor]`, for 64 nodes with five processors each.
// The size of the page, the time until it can be used, and what a frame costs while one zooms, moves and scrolls.
import { statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { launched, opened, samples, written } from "./open.mjs";

execFileSync(process.execPath, ["esbuild.mjs", "--sample"], { cwd: new URL("..", import.meta.url).pathname });
const slices = Number(process.argv[2] ?? 2000);
const { sampleReport } = await samples();
const report = sampleReport({ slices });
report.launches.length = 1;
const path = await written("benchmark.html", report);
// Every callback of an animation frame is timed: that is what the page itself does in a frame.
const before = `{ const frames = window.frames_ = []; const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (call) => ask((time) => { const begun = performance.now(); call(time); frames.push(performance.now() - begun); }); }`;
const browser = await launched();
const times = [];
for (let i = 0; i < 3; i++) {
  const { milliseconds, context } = await opened(browser, path);
  times.push(milliseconds);
  await context.close();
}
const { page } = await opened(browser, path, { before });
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const measured = async (name, act) => {
  await page.evaluate(() => { document.querySelector(".timeline-scroller").scrollTop = 0; });
  await page.waitForTimeout(100);
  await page.evaluate(() => { window.frames_.length = 0; });
  await act();
  const frames = await page.evaluate(() => window.frames_.slice());
  console.log(`${name.padEnd(28)} ${frames.length} frames, median ${median(frames).toFixed(1)} ms, worst ${Math.max(...frames).toFixed(1)} ms`);
};
console.log(`64 nodes x 5 processors x ${slices} slices = ${(320 * slices).toLocaleString("en-US")}`);
console.log(`${"page".padEnd(28)} ${(statSync(path).size / 1e6).toFixed(2)} MB, opened in ${median(times).toFixed(0)} ms (median of ${times.length})`);
const box = await page.locator(".timeline-scroller").boundingBox();
const wheel = async (x, y, count) => {
  for (let i = 0; i < count; i++) {
    await page.mouse.wheel(x, y);
    await page.waitForTimeout(12);
  }
};
await page.mouse.move(box.x + box.width / 2, box.y + 150);
await measured("scroll the nodes", () => wheel(0, 40, 40));
await page.keyboard.down("Control");
await measured("zoom in", () => wheel(0, -60, 40));
await page.keyboard.up("Control");
await measured("move", () => wheel(60, 0, 40));
await page.keyboard.down("Control");
await measured("zoom out", () => wheel(0, 60, 60));
await page.keyboard.up("Control");
await measured("select a line", () => page.locator(".code.python .line[data-line='22']").click());
await page.mouse.move(box.x + box.width / 2, box.y + 150);
await measured("scroll with a selection", () => wheel(0, 40, 40));
await page.keyboard.press("Escape");
await page.locator(".timeline .pane-bar button", { hasText: "open" }).click();
await page.mouse.move(box.x + box.width / 2, box.y + 150);
await measured("scroll, all nodes open", () => wheel(0, 120, 40));
await browser.close();
