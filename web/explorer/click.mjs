// Plays each action of tt-explorer's page in headless Chromium, as a user would: `node click.mjs ADDRESS BINARY [FOLDER FOR SCREENSHOTS]`.
// The server offers examples/models/mlp.mlir; BINARY is a .ttnn file. Prints what it saw as JSON.

import { createRequire } from "node:module";

const require = createRequire(new URL("../report/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const [address, binary, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"],
});
const seen = { asked: [], wrong: [] };
try {
  // The graph is drawn by the processor: at a quarter of its size where nobody looks at a picture of it.
  const deviceScaleFactor = folder ? 1 : 0.25;
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 }, colorScheme: "light", deviceScaleFactor });
  page.setDefaultTimeout(120000);
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) seen.asked.push(request.url());
  });
  page.on("pageerror", (problem) => seen.wrong.push(String(problem)));
  // Of an override that is refused the browser itself says that it failed.
  const refused = (url) => url.startsWith(`${address}/tt/api/`);
  page.on("console", (message) => {
    if (message.type() === "error" && !refused(message.location().url)) seen.wrong.push(`${message.text()} ${message.location().url}`);
  });
  const text = (css) => page.locator(css).innerText();
  const rows = page.locator("#results tr[aria-selected]");
  const graph = page.frameLocator("#graph");
  const at = async (css) => (await page.locator(css).boundingBox()) ?? { y: NaN, height: NaN };
  const ready = () => page.locator("#controls:not([disabled])").waitFor({ state: "attached" });
  const picture = async (name) => {
    if (!folder) return;
    await page.waitForTimeout(5000);
    await page.screenshot({ path: `${folder}/${name}.png` });
  };

  // The address that the command prints: the models, and the graph at an operation, which is large enough to read.
  await page.goto(address);
  await rows.first().waitFor();
  seen.path = new URL(page.url()).pathname;
  seen.models = await page.locator("#model option").allInnerTexts();
  seen.results = await rows.count();
  await graph.locator("canvas").first().waitFor();
  seen.node = await graph.getByText(/__\d+$/).first().innerText();
  await picture("model");

  // The list: one tab stop, arrow keys, words that break where they end, a search.
  seen.stops = await page.locator('#results [tabindex="0"]').count();
  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  seen.second = (await rows.nth(1).getAttribute("aria-selected")) === "true" && (await page.locator("#legal").count()) === 1;
  await page.locator("#search").fill("softmax");
  seen.found = await rows.count();
  await page.locator("#search").fill("");

  // What the last result may have is right below it, on the screen.
  await rows.last().click();
  const legal = await at("#legal");
  const below = await rows.last().boundingBox();
  seen.below = Math.abs(below.y + below.height - legal.y) < 2 && legal.y + legal.height <= 900;

  // A layout by click.
  await rows.filter({ hasText: "product0" }).filter({ hasText: "ttnn.matmul" }).click();
  const layouts = page.locator("#layouts button");
  const pressed = page.locator('#layouts button[aria-pressed="true"]');
  seen.layouts = await layouts.count();
  seen.chosen = await pressed.innerText();
  await layouts.filter({ hasText: "2x4:l1:block_sharded" }).first().click();
  await pressed.filter({ hasText: "2x4:l1:block_sharded" }).waitFor();
  seen.legal = await layouts.count();
  seen.overridden = await pressed.innerText();
  seen.verdict = await text("#verdict");
  seen.changes = await page.locator("#changes tbody tr").count();
  seen.overrides = JSON.parse(await page.locator("#overrides").inputValue());
  await graph.getByText(/^product0__\d+$/).first().waitFor({ state: "attached" });
  seen.opened = await graph.getByText(/^ttnn\.matmul$/).count() > 0;
  await picture("override");

  // Two that are refused: a layout that is not legal, and what is no JSON.
  await ready();
  await page.locator("#overrides").fill('{"product0": "3x7:l1:block_sharded:tile:bf16"}');
  await page.locator("#compile").click();
  await page.locator("#error", { hasText: "3x7" }).waitFor();
  seen.error = await text("#error");
  await ready();
  await page.locator("#overrides").fill("{");
  await page.locator("#compile").click();
  await page.locator("#error", { hasText: "no JSON" }).waitFor();

  // No override again, then another policy: each is compared with what was shown before it.
  await ready();
  await page.locator("#clear").click();
  await page.locator("#verdict", { hasText: "faster" }).waitFor();
  seen.cleared = await text("#verdict");
  await ready();
  await page.locator("#policy").selectOption("L1 Interleaved");
  await ready();
  await page.locator("#compile").click();
  await page.locator("#verdict", { hasText: /^L1 Interleaved/ }).waitFor();
  seen.policy = [await text("#verdict"), await page.locator("#changes tbody tr").count()];
  await ready();
  await page.locator("#compile").click();
  await page.waitForTimeout(100);
  await ready();
  seen.again = await text("#verdict");

  // A node of the graph that is selected there: its result is selected in the list, too.
  await page.locator("#source").click();
  await graph.getByText("26 nodes").first().waitFor();
  await graph.locator('input[placeholder*="Search nodes"]').fill("ttir.relu");
  await graph.locator(".node-label", { hasText: "ttir.relu" }).first().click({ modifiers: ["Alt"] });
  await page.locator('#results tr[aria-selected="true"]', { hasText: "positive0" }).waitFor();
  seen.selected = await text("#legal-of");

  // The page is as dark as its graph.
  const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  seen.colours = [await dark()];
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator(':root[data-theme="dark"]').waitFor();
  seen.colours.push(await dark());

  // Of a file that cannot be read nothing is shown but why, and nothing of the one before.
  await ready();
  await page.locator("#file").setInputFiles({ name: "broken.mlir", mimeType: "text/plain", buffer: Buffer.from("func.func @f( {") });
  await page.locator("#error", { hasText: "broken.mlir:1:" }).waitFor();
  seen.broken = await rows.count();

  // A file that is compiled already is looked at.
  await ready();
  await page.locator("#file").setInputFiles(binary);
  await page.locator("#hint", { hasText: "ttnn" }).waitFor();
  seen.read_only = [await text("#hint"), await page.locator("#error, #compile, #asked").filter({ visible: true }).count()];
  await rows.filter({ hasText: "product0" }).filter({ hasText: "ttnn.matmul" }).click();
  seen.offered = await layouts.count();
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));
