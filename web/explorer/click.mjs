// Clicks through the page of tt-explorer in headless Chromium, as a user would: `node click.mjs ADDRESS [FOLDER FOR SCREENSHOTS]`.
// Prints what it saw as JSON.

import { createRequire } from "node:module";

const require = createRequire(new URL("../report/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const [address, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"],
});
const seen = { asked: [], wrong: [] };
try {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  page.on("response", (response) => {
    if (!response.url().startsWith(address) && !/^(data|blob):/.test(response.url())) seen.asked.push(response.url());
  });
  page.on("pageerror", (problem) => seen.wrong.push(String(problem)));
  await page.goto(`${address}/tt`);
  const rows = page.locator("#results tbody tr");
  await rows.first().waitFor({ timeout: 60000 });
  seen.results = await rows.count();
  const graph = page.frameLocator("#graph");
  await graph.locator("canvas").first().waitFor({ timeout: 60000 });
  if (folder) {
    await page.waitForTimeout(3000);
    await page.screenshot({ path: `${folder}/explorer-model.png` });
  }
  const result = rows.filter({ hasText: "product0" }).filter({ hasText: "ttnn.matmul" });
  await result.click();
  const layouts = page.locator("#layouts button");
  seen.layouts = await layouts.count();
  seen.chosen = await page.locator('#layouts button[aria-pressed="true"]').innerText();
  await layouts.filter({ hasText: "2x4:l1:block_sharded" }).first().click();
  await page.locator("#summary").waitFor({ state: "visible", timeout: 120000 });
  await page.locator('#layouts button[aria-pressed="true"]', { hasText: "2x4:l1:block_sharded" }).waitFor({ timeout: 60000 });
  seen.legal = await page.locator("#layouts button").count();
  seen.overridden = await page.locator('#layouts button[aria-pressed="true"]').innerText();
  seen.verdict = await page.locator("#verdict").innerText();
  seen.changes = await page.locator("#changes tbody tr").count();
  seen.overrides = JSON.parse(await page.locator("#overrides").inputValue());
  await graph.locator("canvas").first().waitFor({ timeout: 60000 });
  if (folder) {
    await page.waitForTimeout(4000);
    await page.screenshot({ path: `${folder}/explorer-override.png` });
  }
  // One that is not legal, as JSON: refused, with what would be.
  await page.locator("#overrides").fill('{"product0": "3x7:l1:block_sharded:tile:bf16"}');
  await page.locator("#compile").click();
  await page.locator("#error").waitFor({ state: "visible", timeout: 60000 });
  seen.error = await page.locator("#error").innerText();
  await page.locator("#overrides").fill("{");
  // On a busy machine the click may come while the answer before is still being shown.
  for (let turn = 0; ; turn++) {
    await page.locator("#compile").click();
    try {
      await page.locator("#error", { hasText: "no JSON" }).waitFor({ timeout: 10000 });
      break;
    } catch (late) {
      if (turn === 5) throw late;
    }
  }
  // A node of the graph that is selected there: its result is selected in the list, too.
  await page.locator("#overrides").fill("{}");
  await page.locator("#source").click();
  await graph.getByText("26 nodes").first().waitFor({ timeout: 60000 });
  const search = graph.locator('input[placeholder*="Search nodes"]');
  await search.fill("ttir.relu");
  await graph.locator(".node-label", { hasText: "ttir.relu" }).first().click({ modifiers: ["Alt"], timeout: 20000 });
  await page.locator("#results tr.selected", { hasText: "positive0" }).waitFor({ timeout: 20000 });
  seen.selected = await page.locator("#legal-of").innerText();
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
