// The pictures of docs/guides/editor.md, from the packed extension and `ttl lsp` of this tree:
//   PYTHON=.venv/bin/python node editors/vscode/browser/screenshots.mjs [FOLDER]
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openEditor, ROOT } from "./editor.mjs";

const PICTURES = resolve(process.argv[2] ?? join(ROOT, "docs/assets/editor"));
const EXAMPLES = join(ROOT, "examples");
const python = resolve(process.env.PYTHON ?? join(ROOT, ".venv/bin/python"));

/** The first program, whose reading kernel forgets one of three blocks: on a card, this would hang. */
const hanging = execFileSync(python, ["-P", "-m", "ttl"], { encoding: "utf8" })
  .replace(/^#.*\n/gm, "")
  .trimStart()
  .replace("as a_blk, b_dfb.reserve() as b_blk, c_dfb", "as a_blk, c_dfb")
  .replace(/^ *b_xf.*\n/gm, "");
const softmax = readFileSync(join(EXAMPLES, "softmax.py"), "utf8");

/** The line (from 1) of the first place of a text. */
function lineOf(text, part) {
  const line = text.split("\n").findIndex((row) => row.includes(part));
  if (line < 0) throw new Error(`no ${part} in the example`);
  return line + 1;
}

mkdirSync(PICTURES, { recursive: true });
const editor = await openEditor({
  files: { "multiply_add.py": hanging, "softmax.py": softmax, "checking.py": readFileSync(join(EXAMPLES, "checking.py"), "utf8") },
  settings: { "ttl.interpreter": python, "editor.stickyScroll.enabled": false, "workbench.activityBar.location": "hidden", "editor.occurrencesHighlight": "off" },
  size: { width: 1240, height: 760 },
});
try {
  const { page } = editor;
  await page.keyboard.press("Control+b");
  await page.keyboard.press("Control+b");
  await editor.open("multiply_add.py");
  await editor.ready();
  await page.locator(".squiggly-error").first().waitFor();
  await page.keyboard.press("Control+b"); // without the explorer
  await page.locator(".view-lines").first().click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("F8");
  await page.locator(".marker-widget, .zone-widget").first().waitFor();
  await page.waitForTimeout(1500);
  await editor.screenshot(join(PICTURES, "diagnostic.png"));
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+b");
  await editor.open("softmax.py");
  await editor.ready();
  await page.keyboard.press("Control+b");
  await page.locator(".view-lines").first().click();
  await editor.command("Profile");
  await page.locator(".codelens-decoration", { hasText: "cycles" }).first().waitFor({ timeout: 90_000 });
  await page.setViewportSize({ width: 1240, height: 1000 });
  await page.keyboard.press("Control+Home");
  await page.waitForTimeout(2000);
  await editor.screenshot(join(PICTURES, "profile.png"));

  await page.setViewportSize({ width: 1240, height: 760 });
  await editor.command("Remove the profile");
  await editor.goTo(lineOf(softmax, ".store("), 20);
  await editor.command("Show the C++");
  await page.locator(".tab", { hasText: ".cpp" }).first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(2000);
  await editor.screenshot(join(PICTURES, "kernels.png"));
} catch (error) {
  await editor.screenshot(join(ROOT, "build/vscode-screenshots.png"));
  throw error;
} finally {
  await editor.close();
}
