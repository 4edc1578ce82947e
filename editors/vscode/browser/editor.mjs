// A VS Code in headless Chromium: code-server with the packed extension, and a page that looks at it.
import { spawn, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = join(HERE, "../../..");
const ENTRY = join(HERE, "node_modules/code-server/out/node/entry.js");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const SETTINGS = {
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "explorer.compactFolders": false,
  "files.autoSave": "off",
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
  "telemetry.telemetryLevel": "off",
  "window.commandCenter": false,
  "workbench.colorTheme": "Default Light Modern",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
};

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function packedExtension() {
  const { version } = JSON.parse(readFileSync(join(HERE, "../package.json"), "utf8"));
  return join(ROOT, `build/ttlang-${version}.vsix`);
}

/** An editor over a folder with these files, or a workspace of some `folders` in it; `trusted: false` asks VS Code to be careful with it. */
export async function openEditor({ files, folders, executable = [], settings = {}, environment = {}, trusted = true, size = { width: 1280, height: 800 }, scale = 1 }) {
  const home = mkdtempSync(join(tmpdir(), "ttl-vscode-"));
  const folder = join(home, "kernels");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (const name of executable) chmodSync(join(folder, name), 0o755);
  const workspace = join(home, "all.code-workspace");
  if (folders !== undefined) writeFileSync(workspace, JSON.stringify({ folders: folders.map((name) => ({ path: join(folder, name) })) }));
  const data = join(home, "data");
  mkdirSync(join(data, "User"), { recursive: true });
  writeFileSync(join(data, "User/settings.json"), JSON.stringify({ ...SETTINGS, "security.workspace.trust.enabled": !trusted, ...settings }));
  const common = ["--user-data-dir", data, "--extensions-dir", join(home, "extensions"), "--config", join(home, "config.yaml")];
  execFileSync(process.execPath, [ENTRY, ...common, "--install-extension", packedExtension()], { stdio: "pipe" });
  const port = await freePort();
  const server = spawn(
    process.execPath,
    [ENTRY, ...common, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment, HOME: home } },
  );
  await new Promise((resolve, reject) => {
    server.stdout.on("data", (text) => String(text).includes("HTTP server listening") && resolve());
    server.once("exit", (code) => reject(new Error(`code-server ended with ${code}`)));
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const context = await browser.newContext({ viewport: size, deviceScaleFactor: scale });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const shown = folders === undefined ? `folder=${encodeURIComponent(folder)}` : `workspace=${encodeURIComponent(workspace)}`;
  await page.goto(`http://127.0.0.1:${port}/?${shown}`);
  await page.waitForSelector(".monaco-workbench .explorer-folders-view .monaco-list-row", { timeout: 60_000 });
  return new Editor({ home, folder, server, browser, page });
}

export class Editor {
  constructor(parts) {
    Object.assign(this, parts);
  }

  async close() {
    await this.browser.close();
    const ended = new Promise((resolve) => this.server.once("exit", resolve));
    this.server.kill("SIGTERM");
    await ended;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  /** Runs a command of ours from the palette, by its title. */
  async command(title) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").first().fill(`>TTL: ${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: title }).first().click();
  }

  /** Opens a file of the folder itself, from the explorer: searching for files needs ripgrep, which npm does not have. */
  async open(name) {
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page.locator(".editor-instance .view-lines").first().waitFor();
  }

  /** Opens the files of the folder one after the other, with the keys of the explorer; calls back for each. */
  async openAll(names, opened) {
    await this.page.locator(".explorer-folders-view .monaco-list-row").first().click({ modifiers: ["Control"] });
    await this.page.keyboard.press("Home");
    const left = new Set(names);
    for (let steps = 0; left.size > 0 && steps < 3 * names.length; steps++) {
      const name = await this.page.locator(".explorer-folders-view .monaco-list-row.focused .label-name").innerText();
      if (left.delete(name)) {
        await this.page.keyboard.press("Space");
        const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`);
        // A key is lost where something else has the focus just then, such as a notification that appears.
        await tab.waitFor({ timeout: 5_000 }).catch(() => this.page.locator(".explorer-folders-view .monaco-list-row.focused").click());
        await tab.waitFor();
        await opened(name);
      }
      await this.page.keyboard.press("ArrowDown");
    }
    return [...left];
  }

  /** Opens a folder of a workspace in the explorer. */
  async expand(name) {
    const row = this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
    if ((await row.getAttribute("aria-expanded")) !== "true") await row.click();
  }

  /** The cursor goes to a line and column, both from 1. */
  async goTo(line, column = 1) {
    await this.page.keyboard.press("Control+G");
    await this.page.locator(".quick-input-widget input").first().fill(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
  }

  /** The text of a line (from 1) of the editor in front, with what decorations add to it. */
  async line(number) {
    const top = await this.page.evaluate((text) => {
      const editor = document.querySelector(".editor-group-container.active .editor-instance");
      const label = [...editor.querySelectorAll(".line-numbers")].find((node) => node.textContent.trim() === text);
      const style = label?.parentElement?.style.top;
      const line = [...editor.querySelectorAll(".view-line")].find((node) => node.style.top === style);
      return line === undefined ? undefined : [line.textContent, ...[...line.querySelectorAll("span")].map((span) => getComputedStyle(span, "::after").content)].filter((part) => part !== "none").join(" ");
    }, String(number));
    return top?.replaceAll("\u00a0", " ") ?? "";
  }

  /** The lines, in whichever editors, that are marked as belonging to the line of the cursor. */
  linked() {
    return this.page.evaluate(() => {
      const lines = [];
      for (const editor of document.querySelectorAll(".editor-instance")) {
        for (const mark of editor.querySelectorAll(".view-overlays > div > .cdr")) {
          if (!/ced-/.test(mark.className)) continue;
          const style = mark.parentElement.style.top;
          const line = [...editor.querySelectorAll(".view-line")].find((node) => node.style.top === style);
          if (line !== undefined) lines.push(line.textContent.replaceAll("\u00a0", " ").trim());
        }
      }
      return lines;
    });
  }

  /** Waits until exactly these lines are marked. */
  async waitForLinked(texts) {
    const end = Date.now() + 20_000;
    let last = [];
    while (Date.now() < end) {
      last = await this.linked();
      if (JSON.stringify(last) === JSON.stringify(texts)) return;
      await this.page.waitForTimeout(100);
    }
    throw new Error(`marked are ${JSON.stringify(last)}, not ${JSON.stringify(texts)}`);
  }

  async type(text) {
    await this.page.keyboard.type(text);
  }

  statusItem(text) {
    return this.page.locator("#ttlang\\.ttlang\\.ttl\\.status", { hasText: text });
  }

  /** The server has looked at the file in sight. */
  async ready() {
    await this.statusItem("wormhole").waitFor({ timeout: 60_000 });
  }

  /** Waits for something in the editor that has this text. */
  async waitForText(text, within = ".monaco-workbench") {
    await this.page.locator(within).getByText(text).first().waitFor({ timeout: 30_000 });
  }

  problems() {
    return this.page.locator(".markers-panel .monaco-list-row");
  }

  async notifications() {
    return this.page.locator(".notification-list-item-message").allInnerTexts();
  }

  /** The extension's log, from the files of the extension host. */
  log() {
    const folder = join(this.home, "data/logs");
    const all = readdirSync(folder, { recursive: true, withFileTypes: true });
    return all.filter((entry) => entry.isFile() && entry.name.includes("TT-Lang")).map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8")).join("\n");
  }

  async screenshot(path) {
    await this.page.screenshot({ path });
  }
}
