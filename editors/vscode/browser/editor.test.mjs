// The extension in a real VS Code, as somebody who works in it: first over a server whose answers are known (fake/python),
// then over `ttl lsp`. `make test-vscode` runs this.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test as nodeTest } from "node:test";
import { openEditor, ROOT } from "./editor.mjs";

const FAKE = join(import.meta.dirname, "fake/python");
const TEXT = ["import ttl", "", "", "def add(a, b):", "    ttl.copy(a, b)", "    BROKEN = 1", "    a.store(b)", "    b.store(a)", ""].join("\n");

const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv/bin/python");

let current;

/** A test that leaves a picture of the editor, build/vscode-NAME.png, where it fails. */
function test(name, body) {
  nodeTest(name, async () => {
    try {
      await body();
    } catch (error) {
      await current?.screenshot(join(ROOT, `build/vscode-${name.replace(/\W+/g, "-").slice(0, 40)}.png`));
      throw error;
    }
  });
}

describe("over a server whose answers are known", () => {
  let editor;
  let asked;
  before(async () => {
    const name = join(ROOT, `build/fake-${process.pid}.log`);
    asked = () => (existsSync(name) ? readFileSync(name, "utf8").split("\n") : []);
    editor = current = await openEditor({ files: { "add.py": TEXT, "plain.py": "print(1)\n" }, settings: { "ttl.interpreter": FAKE }, environment: { FAKE_LOG: name } });
  });
  after(() => editor?.close());

  test("a Python file that does not import ttl starts nothing", async () => {
    await editor.open("plain.py");
    await editor.page.waitForTimeout(3000);
    assert.deepEqual(asked(), []);
    assert.equal(await editor.statusItem("").count(), 0);
  });

  test("one that does is checked, and the status bar says for what", async () => {
    await editor.open("add.py");
    await editor.ready();
    assert.match(await editor.statusItem("wormhole").innerText(), /wormhole · sim/);
    assert.ok(asked().includes('experimental {"ttl":{"profile":true,"status":true}}'));
    assert.ok(asked().includes("trusted true debounce 10"));
    await editor.page.locator(".squiggly-error").first().waitFor();
  });

  test("a fix is applied from the keyboard, and the finding goes", async () => {
    await editor.goTo(6, 6);
    await editor.page.keyboard.press("Control+.");
    await editor.page.locator(".action-widget .monaco-list-row.focused", { hasText: "mend it" }).waitFor();
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".view-line", { hasText: "mended = 1" }).waitFor();
    await editor.page.locator(".squiggly-error").first().waitFor({ state: "detached" });
    await editor.page.keyboard.press("Control+s");
  });

  test("a profile stands beside the lines, grows old with an edit, and moves with it", async () => {
    await editor.command("Profile");
    await editor.page.locator(".codelens-decoration", { hasText: "bound by math" }).waitFor();
    assert.match(await editor.line(7), /a\.store\(b\) "1000 cycles, 30 %"/);
    assert.equal(await editor.page.locator(".glyph-margin-widgets .cgmr").count(), 2);
    await editor.goTo(5);
    await editor.type("\n");
    await editor.page.locator(".codelens-decoration", { hasText: "of an older text" }).waitFor();
    assert.match(await editor.line(8), /a\.store\(b\) "1000 cycles/);
    assert.equal(await editor.page.locator(".glyph-margin-widgets .cgmr").count(), 0);
    await editor.page.keyboard.press("Control+z");
    await editor.command("Remove the profile");
    await editor.page.locator(".codelens-decoration").waitFor({ state: "detached" });
    assert.doesNotMatch(await editor.line(7), /cycles/);
  });

  test("the cursor follows between the program and the C++ beside, both ways", async () => {
    await editor.page.keyboard.press("Control+s");
    await editor.goTo(8);
    await editor.command("Show the C++");
    await editor.page.locator('.tab[data-resource-name="add.compute.cpp"]').waitFor();
    await editor.waitForLinked(["// line 8", "pack_tile(7);"]);
    await editor.goTo(7);
    await editor.waitForLinked(["// line 7", "pack_tile(6);"]);
    // The line of another kernel turns to its page.
    await editor.goTo(5);
    await editor.page.locator('.tab[data-resource-name="add.read.cpp"]').waitFor();
    await editor.waitForLinked(["noc_async_read(4);"]);
    // From the C++, by the mouse, as one reads.
    await editor.goTo(8);
    await editor.page.locator('.tab[data-resource-name="add.compute.cpp"]').waitFor();
    await editor.page.locator(".view-line", { hasText: "pack_tile(6);" }).click();
    await editor.waitForLinked(["a.store(b)"]);
    await editor.page.locator(".view-line", { hasText: "a.store(b)" }).click();
  });

  test("IR is shown with colours of its own", async () => {
    await editor.command("Show the IR");
    await editor.page.locator('.tab[data-resource-name="add.ttlir"]').waitFor();
    await editor.page.locator(".view-line", { hasText: "ttl.operation @add" }).waitFor();
    await editor.page.locator(".view-line", { hasText: "mended = 1" }).click();
  });

  test("a run that fails says so, with its output", async () => {
    await editor.command("Sanitize");
    await editor.page.locator(".notification-list-item", { hasText: "failed in 1.3 s, 2 findings" }).getByText("Show the output").click();
    await editor.page.locator(".panel .view-line", { hasText: "output of ttl.sanitize" }).waitFor();
    await editor.page.keyboard.press("Control+j");
  });

  test("a run shows its progress, and can be cancelled", async () => {
    await editor.page.locator(".view-line", { hasText: "mended = 1" }).click();
    await editor.goTo(6);
    await editor.page.keyboard.press("End");
    await editor.type("  # FOREVER");
    await editor.command("Run");
    const notification = editor.page.locator(".notification-list-item", { hasText: "node (0, 0)" });
    await notification.getByText("Cancel").click();
    await editor.page.locator(".statusbar-item", { hasText: "cancelled" }).waitFor();
    assert.ok(asked().includes("cancel"));
    assert.ok(asked().includes("ttl.run null"));
    // It ran as it stands in the editor; nothing was saved for that.
    assert.doesNotMatch(readFileSync(join(editor.folder, "add.py"), "utf8"), /FOREVER/);
  });

  test("the server is started again on request", async () => {
    const starts = () => asked().filter((line) => line === "start -P").length;
    assert.equal(starts(), 1);
    await editor.command("Restart");
    for (let tries = 0; starts() < 2 && tries < 100; tries++) await editor.page.waitForTimeout(100);
    assert.equal(starts(), 2);
    await editor.ready();
  });
});

describe("where the language server is missing", () => {
  let editor;
  before(async () => {
    editor = current = await openEditor({ files: { "add.py": TEXT }, settings: { "ttl.interpreter": FAKE }, environment: { FAKE_LACKS: "lsp" } });
  });
  after(() => editor?.close());

  test("the command that installs it is said, and a button offers to run it; nothing else happens", async () => {
    await editor.open("add.py");
    const notification = editor.page.locator(".notification-list-item", { hasText: 'python -m pip install "ttlang[lsp]"' });
    await notification.waitFor({ timeout: 60_000 });
    await notification.getByText("Install", { exact: true }).waitFor();
    assert.equal(await editor.page.locator(".terminal-wrapper").count(), 0);
  });
});

describe("in a workspace that is not trusted", () => {
  let editor;
  before(async () => {
    // A Python inside the folder, which must not be started although the folder's settings ask for it.
    const bait = '#!/bin/sh\ntouch "$(dirname "$0")/started"\n';
    const files = { "add.py": TEXT, ".venv/bin/python": bait, ".vscode/settings.json": '{"ttl.interpreter": "${workspaceFolder}/.venv/bin/python"}' };
    editor = current = await openEditor({ files, executable: [".venv/bin/python"], trusted: false, settings: { "ttl.interpreter": FAKE } });
  });
  after(() => editor?.close());

  test("programs are checked by a Python from outside, and not run", async () => {
    await editor.open("add.py");
    await editor.ready();
    assert.equal(existsSync(join(editor.folder, ".venv/bin/started")), false);
    await editor.command("Run");
    await editor.page.locator(".notification-list-item", { hasText: "the workspace is not trusted" }).waitFor();
  });
});

describe("in a workspace that is not trusted, over ttl lsp", () => {
  let editor;
  before(async () => {
    // The user's own settings ask for the sanitizer on save: not of a program that is not trusted.
    const settings = { "ttl.interpreter": PYTHON, "ttl.sanitizeOnSave": true };
    const program = readFileSync(join(ROOT, "examples/tutorial_1_one_tile.py"), "utf8");
    editor = current = await openEditor({ files: { "mine.py": `${program}open(__file__ + ".ran", "w").close()\n` }, trusted: false, settings });
  });
  after(() => editor?.close());

  test("nothing of the user's runs, on save or from a lens", async () => {
    await editor.open("mine.py");
    await editor.ready();
    await editor.page.locator(".codelens-decoration", { hasText: "sanitize" }).first().waitFor();
    await editor.type("#");
    await editor.page.keyboard.press("Control+s");
    await editor.page.locator(".codelens-decoration a", { hasText: "profile" }).first().click();
    await editor.page.locator(".notification-list-item", { hasText: "the workspace is not trusted" }).waitFor();
    await editor.page.waitForTimeout(3000);
    assert.equal(existsSync(join(editor.folder, "mine.py.ran")), false);
  });
});

describe("in a workspace of several folders", () => {
  let editor;
  let asked;
  before(async () => {
    const name = join(ROOT, `build/fake-folders-${process.pid}.log`);
    asked = () => (existsSync(name) ? readFileSync(name, "utf8").split("\n") : []).filter((line) => line.startsWith("opened "));
    const files = { "first/one.py": TEXT, "second/two.py": TEXT, "second/three.py": TEXT };
    editor = current = await openEditor({ files, folders: ["first", "second"], settings: { "ttl.interpreter": FAKE }, environment: { FAKE_LOG: name } });
  });
  after(() => editor?.close());

  test("each folder has a server, which sees its own files", async () => {
    for (const [folder, name] of [["first", "one.py"], ["second", "two.py"], ["second", "three.py"]]) {
      await editor.expand(folder);
      await editor.open(name);
      await editor.ready();
    }
    assert.deepEqual(asked(), ["opened one.py in first", "opened two.py in second", "opened three.py in second"]);
  });

  test("a text without a file is checked by the server of the first", async () => {
    await editor.page.keyboard.press("F1");
    await editor.page.locator(".quick-input-widget input").first().fill(">Create: New File...");
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".quick-input-list .monaco-list-row", { hasText: "Text File" }).first().click();
    await editor.page.locator(".tab.active", { hasText: "Untitled-1" }).waitFor();
    await editor.type("import ttl\n");
    await editor.page.keyboard.press("F1");
    await editor.page.locator(".quick-input-widget input").first().fill(">Change Language Mode");
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".quick-input-widget input").first().fill("python");
    await editor.page.keyboard.press("Enter");
    for (let tries = 0; asked().length < 4 && tries < 100; tries++) await editor.page.waitForTimeout(100);
    assert.deepEqual(asked().slice(3), ["opened untitled:Untitled-1 in first"]);
  });
});

describe("over ttl lsp", () => {
  let editor;
  const read = (name) => readFileSync(join(ROOT, "examples", name), "utf8");
  before(async () => {
    const files = { "operands.py": read("errors/operands_need_broadcast.py"), "softmax.py": read("softmax.py"), "checking.py": read("checking.py") };
    editor = current = await openEditor({ files, settings: { "ttl.interpreter": PYTHON } });
  });
  after(() => editor?.close());

  test("a finding of the checker, at its place, with its code; its fix resolves it", async () => {
    await editor.open("operands.py");
    await editor.ready();
    await editor.page.locator(".squiggly-error").first().waitFor();
    await editor.goTo(35, 30);
    await editor.page.keyboard.press("Control+.");
    await editor.page.locator(".action-widget .monaco-list-row.focused", { hasText: "broadcast" }).waitFor();
    await editor.page.keyboard.press("Enter");
    await editor.page.locator(".view-line", { hasText: "ttl.block.broadcast(bias_blk, dims=[-1], shape=(1, 4))" }).waitFor();
    await editor.page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  });

  test("a program runs, and its output is shown", async () => {
    await editor.open("softmax.py");
    await editor.ready();
    await editor.command("Run");
    await editor.page.locator(".panel .view-line", { hasText: "softmax: max error" }).waitFor({ timeout: 60_000 });
    await editor.page.keyboard.press("Control+j");
  });

  test("a profile of the emulated chip stands beside the lines", async () => {
    await editor.page.locator(".view-line", { hasText: "import torch" }).click();
    await editor.command("Profile");
    await editor.page.locator(".codelens-decoration", { hasText: "cycles on 64 nodes" }).first().waitFor({ timeout: 90_000 });
    // On top, and above the operation.
    await editor.page.locator(".codelens-decoration", { hasText: "cycles on 64 nodes" }).nth(1).waitFor();
    assert.ok((await editor.page.locator(".glyph-margin-widgets .cgmr").count()) > 0);
  });

  test("the C++ of the kernel that the cursor is in stands beside, its lines marked", async () => {
    await editor.goTo(read("softmax.py").split("\n").findIndex((line) => line.includes(".store(")) + 1);
    await editor.command("Show the C++");
    await editor.page.locator(".tab", { hasText: "compute.cpp" }).first().waitFor({ timeout: 60_000 });
    for (let tries = 0; (await editor.linked()).length === 0 && tries < 100; tries++) await editor.page.waitForTimeout(100);
    assert.ok((await editor.linked()).length > 0);
  });
});

describe("when a server ends", () => {
  let editor;
  // A Python that writes down the processes that it becomes.
  const python = `#!/bin/sh\n[ "$4" = lsp ] && echo $$ >> "$0.started"\nexec "${PYTHON}" "$@"\n`;
  const started = (name = "python") => {
    const file = join(editor.folder, `${name}.started`);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
  };
  async function until(what, holds) {
    for (let tries = 0; tries < 300; tries++) {
      if (await holds()) return;
      await editor.page.waitForTimeout(100);
    }
    assert.fail(`waited 30 s: ${what}`);
  }
  const program = readFileSync(join(ROOT, "examples/tutorial_1_one_tile.py"), "utf8").split("\n");
  const line = program.findIndex((text) => text.includes("ttl.copy("));
  const setting = '{"ttl.interpreter": "${workspaceFolder}/python"}';
  /** The server in front knows what is typed: a mistake is found, and mended it is not. */
  async function answers() {
    await editor.ready();
    await editor.goTo(line + 1, program[line].indexOf("ttl.copy(") + "ttl.cop".length + 1);
    await editor.type("q");
    await editor.page.locator(".squiggly-error").first().waitFor({ timeout: 30_000 });
    await editor.page.keyboard.press("Backspace");
    await editor.page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  }

  before(async () => {
    const files = { "mine.py": program.join("\n"), python, another: python, ".vscode/settings.json": setting };
    editor = current = await openEditor({ files, executable: ["python", "another"] });
    await editor.open("mine.py");
    await answers();
  });
  after(() => editor?.close());

  test("a server that is killed is started again, three times, and its findings come back", async () => {
    for (let kills = 1; kills <= 3; kills++) {
      process.kill(started().at(-1), "SIGKILL");
      await until("another server", () => started().length === kills + 1);
      await answers();
    }
  });

  test("after the fourth time it says so, and starts on request", async () => {
    process.kill(started().at(-1), "SIGKILL");
    const notification = editor.page.locator(".notification-list-item", { hasText: "the language server ended 4 times and is not started again" });
    await notification.waitFor();
    await editor.page.waitForTimeout(1000);
    assert.equal(started().length, 4);
    await notification.getByText("Restart", { exact: true }).click();
    await until("another server", () => started().length === 5);
    await answers();
  });

  test("where the folder's setting names another Python, the server of that one takes over", async () => {
    const before = started().at(-1);
    await editor.expand(".vscode");
    await editor.open("settings.json");
    await editor.goTo(1, setting.indexOf('python"') + "python".length + 1);
    for (const _ of "python") await editor.page.keyboard.press("Backspace");
    await editor.type("another");
    await editor.page.keyboard.press("Control+S");
    await until("the other server", () => started("another").length === 1);
    await until("the end of the first", () => !existsSync(`/proc/${before}`));
    await editor.open("mine.py");
    await answers();
    assert.equal(started().length, 5);
  });
});

describe("over all examples", () => {
  const root = join(ROOT, "examples");
  const names = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".py"));
  const ours = names.filter((name) => /^\s*(import|from) ttl\b/m.test(readFileSync(join(root, name), "utf8")));
  let editor;
  before(async () => {
    // All in one folder, those of a folder below under a longer name.
    const files = Object.fromEntries(names.map((name) => [name.replaceAll("/", "-"), readFileSync(join(root, name), "utf8")]));
    editor = current = await openEditor({ files, settings: { "ttl.interpreter": PYTHON } });
  });
  after(() => editor?.close());

  test("each opens, is checked, and nothing goes wrong in the log", async () => {
    assert.ok(ours.length > 40);
    const left = await editor.openAll(ours.map((name) => name.replaceAll("/", "-")), async () => {
      await editor.statusItem("wormhole").waitFor();
      await editor.statusItem("").locator(".codicon-loading").waitFor({ state: "detached" });
    });
    assert.deepEqual(left, []);
    assert.match(editor.log(), /ttlang 0/);
    assert.doesNotMatch(editor.log(), /\[error\]|Traceback|TTL9001/);
    assert.deepEqual(await editor.notifications(), []);
  });
});
