import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import * as vscode from "vscode";
import { onEnvironmentChange, search } from "../../src/python";
import { installed, settings } from "../mock/vscode";

const workspace = vscode.workspace as unknown as { isTrusted: boolean };
const root = mkdtempSync(join(tmpdir(), "ttl-python-"));

/** A Python that says of itself what a test wants, and notes that it was asked. */
function python(name: string, says: object | string): string {
  const file = join(root, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${typeof says === "string" ? says : JSON.stringify({ python: [3, 11, 2], environment: true, ttlang: "0.1.0", pygls: "2.1.1", lsprotocol: "2025.0.0", ...says })}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const folder = { uri: { fsPath: join(root, "kernels") } } as unknown as vscode.WorkspaceFolder;
const listeners: ((event: object) => void)[] = [];
const asked: unknown[] = [];

/** The Python extension as its API is documented, with one environment chosen. */
function pythonExtension(environments: object, isActive = true): { activated: number } {
  const state = { activated: 0 };
  const api = {
    environments: {
      getActiveEnvironmentPath: (resource?: unknown) => {
        asked.push(resource);
        return { id: "chosen", path: "/chosen" };
      },
      onDidChangeActiveEnvironmentPath: (listener: (event: object) => void) => {
        listeners.push(listener);
        return new vscode.Disposable(() => listeners.splice(listeners.indexOf(listener), 1));
      },
      ...environments,
    },
  };
  installed.set("ms-python.python", {
    get isActive() {
      return isActive;
    },
    exports: isActive ? api : undefined,
    activate: () => {
      state.activated += 1;
      return Promise.resolve(api);
    },
  });
  return state;
}

const resolving = (file: string | undefined): object => ({
  resolveEnvironment: ({ path }: { path: string }) => Promise.resolve(path === "/chosen" ? { executable: { uri: file === undefined ? undefined : { fsPath: file } } } : undefined),
});

beforeEach(() => {
  installed.clear();
  settings.clear();
  asked.length = 0;
  listeners.length = 0;
  workspace.isTrusted = true;
  process.env["PATH"] = "/usr/bin:/bin";
});

test("the environment that the Python extension has chosen for the folder comes first", async () => {
  const chosen = python("conda/bin/python", {});
  python("kernels/.venv/bin/python", {});
  pythonExtension(resolving(chosen));
  const { interpreter, complaints } = await search(folder);
  assert.deepEqual(interpreter?.candidate, { python: chosen, origin: "extension" });
  assert.deepEqual(complaints, []);
  assert.deepEqual(asked, [folder.uri]);
});

test("where that one lacks the language server, the next is taken, and why is kept for the log", async () => {
  const chosen = python("bare/bin/python", { pygls: null });
  const own = python("kernels/.venv/bin/python", {});
  pythonExtension(resolving(chosen));
  const { interpreter, complaints, fallback } = await search(folder);
  assert.equal(interpreter?.candidate.python, own);
  assert.match(complaints[0] ?? "", /from the Python extension\) has ttlang without its language server/);
  assert.equal(fallback?.candidate.python, chosen);
});

test("an extension that is asleep is woken; one that is old, fails or knows no environment is done without", async () => {
  const own = python("kernels/.venv/bin/python", {});
  const chosen = python("woken/bin/python", {});
  const state = pythonExtension(resolving(chosen), false);
  assert.equal((await search(folder)).interpreter?.candidate.python, chosen);
  assert.equal(state.activated, 1);
  pythonExtension(resolving(undefined));
  assert.equal((await search(folder)).interpreter?.candidate.python, own);
  pythonExtension({ resolveEnvironment: () => Promise.reject(new Error("of the extension")) });
  assert.equal((await search(folder)).interpreter?.candidate.python, own);
  for (const broken of [{ isActive: true, exports: {} }, { isActive: true, exports: undefined }, { isActive: false, activate: () => Promise.reject(new Error("it does not start")) }]) {
    installed.set("ms-python.python", broken);
    assert.equal((await search(folder)).interpreter?.candidate.python, own);
    assert.equal(await onEnvironmentChange(() => undefined), undefined);
  }
});

test("the setting wins over the extension, which is not waited for in vain", async () => {
  const named = python("named/python", {});
  settings.set("ttl.interpreter", named);
  pythonExtension(resolving(python("conda/bin/python", {})));
  assert.deepEqual((await search(folder)).interpreter?.candidate, { python: named, origin: "setting" });
});

test("in a workspace that is not trusted its own Python is not started, not even by way of the extension", async () => {
  workspace.isTrusted = false;
  const own = python("kernels/.venv/bin/python", "it ran");
  pythonExtension(resolving(own));
  process.env["PATH"] = join(root, "kernels/.venv/bin");
  const { interpreter, complaints } = await search(folder);
  assert.equal(interpreter, undefined);
  assert.deepEqual(complaints, ["no Python was found: neither an environment of the folder nor python3 on the path"]);
});

test("another choice in the extension is heard of, until nobody listens", async () => {
  pythonExtension({});
  const heard: (string | undefined)[] = [];
  const listening = await onEnvironmentChange((folder) => heard.push(folder?.path));
  for (const resource of [undefined, { path: "/w/a" }, { uri: { path: "/w/b" } }]) listeners.forEach((listener) => listener({ resource }));
  assert.deepEqual(heard, [undefined, "/w/a", "/w/b"]);
  void listening?.dispose();
  assert.equal(listeners.length, 0);
});
