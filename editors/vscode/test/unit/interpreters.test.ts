import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { candidates, complaint, lacks, PROBE, type Probe, readProbe, type Surroundings } from "../../src/interpreters";

const FOLDER = "/home/me/kernels";

function around(files: string[], changes: Partial<Surroundings> = {}): Surroundings {
  return {
    setting: "", ofPythonExtension: undefined, folder: FOLDER, trusted: true, home: "/home/me", windows: false,
    environment: { PATH: "/usr/local/bin:/usr/bin" }, exists: (file) => files.includes(file), ...changes,
  };
}

test("the environment of the Python extension, then .venv, then the path", () => {
  const files = ["/opt/conda/bin/python", `${FOLDER}/.venv/bin/python`, "/usr/bin/python3", "/usr/bin/python"];
  assert.deepEqual(candidates(around(files, { ofPythonExtension: "/opt/conda/bin/python" })), [
    { python: "/opt/conda/bin/python", origin: "extension" },
    { python: `${FOLDER}/.venv/bin/python`, origin: "folder" },
    { python: "/usr/bin/python3", origin: "path" },
  ]);
});

test("what does not exist is no candidate, and none is twice", () => {
  const files = [`${FOLDER}/.venv/bin/python`];
  const found = candidates(around(files, { ofPythonExtension: `${FOLDER}/.venv/bin/python` }));
  assert.deepEqual(found, [{ python: `${FOLDER}/.venv/bin/python`, origin: "extension" }]);
  assert.deepEqual(candidates(around([])), []);
});

test("a setting stands alone, and is expanded", () => {
  const of = (setting: string, files: string[] = []): string | undefined => candidates(around(files, { setting }))[0]?.python;
  assert.equal(of("~/envs/tt/bin/python"), "/home/me/envs/tt/bin/python");
  assert.equal(of("${workspaceFolder}/env/bin/python"), `${FOLDER}/env/bin/python`);
  assert.equal(of("env/bin/python"), `${FOLDER}/env/bin/python`);
  assert.equal(of("python3.12", ["/usr/bin/python3.12"]), "/usr/bin/python3.12");
  assert.equal(candidates(around(["/usr/bin/python3"], { setting: "/nowhere/python" })).length, 1);
});

test("where the folder is not trusted, nothing from inside it is started", () => {
  const files = [`${FOLDER}/.venv/bin/python`, `${FOLDER}/bin/python3`, "python3", "/usr/bin/python3"];
  const environment = { PATH: `.:${FOLDER}/bin:bin:/usr/bin` };
  const untrusted = around(files, { trusted: false, ofPythonExtension: `${FOLDER}/.venv/bin/python`, environment });
  assert.deepEqual(candidates(untrusted), [{ python: "/usr/bin/python3", origin: "path" }]);
});

function onWindows(files: string[], changes: Partial<Surroundings> = {}): Surroundings {
  const known = new Set(files.map((file) => file.toLowerCase()));
  return around([], { windows: true, folder: "c:\\Users\\me\\kernels", home: "C:\\Users\\me", environment: { Path: "C:\\Python;D:\\tools" }, exists: (file) => known.has(file.toLowerCase()), ...changes });
}

test("on Windows there are drives, backslashes and Scripts", () => {
  const own = "c:\\Users\\me\\kernels\\.venv\\Scripts\\python.exe";
  assert.deepEqual(candidates(onWindows([own, "D:\\tools\\python.exe"])), [
    { python: own, origin: "folder" },
    { python: "D:\\tools\\python.exe", origin: "path" },
  ]);
  // The Python extension writes the drive in its own way: it is the same file.
  assert.deepEqual(candidates(onWindows([own], { ofPythonExtension: own.replace("c:", "C:") })), [{ python: own.replace("c:", "C:"), origin: "extension" }]);
});

test("a setting on Windows", () => {
  const of = (setting: string, files: string[] = []): string | undefined => candidates(onWindows(files, { setting }))[0]?.python;
  assert.equal(of("~\\envs\\tt\\Scripts\\python.exe"), "C:\\Users\\me\\envs\\tt\\Scripts\\python.exe");
  assert.equal(of("${workspaceFolder}\\env\\python.exe"), "c:\\Users\\me\\kernels\\env\\python.exe");
  assert.equal(of("env/python.exe"), "c:\\Users\\me\\kernels\\env\\python.exe");
  assert.equal(of("E:\\py\\python.exe"), "E:\\py\\python.exe");
  assert.equal(of("\\\\server\\share\\python.exe"), "\\\\server\\share\\python.exe");
  assert.equal(of("python3.12.exe", ["D:\\tools\\python3.12.exe"]), "D:\\tools\\python3.12.exe");
});

test("on Windows, too, nothing is started from inside a folder that is not trusted, however its drive is written", () => {
  const own = "C:\\USERS\\me\\kernels\\.venv\\Scripts\\python.exe";
  const environment = { Path: "C:\\Users\\Me\\Kernels\\bin;.;bin;D:\\tools" };
  const files = [own, "C:\\Users\\me\\kernels\\bin\\python.exe", "D:\\tools\\python.exe"];
  assert.deepEqual(candidates(onWindows(files, { trusted: false, ofPythonExtension: own, environment })), [{ python: "D:\\tools\\python.exe", origin: "path" }]);
});

test("a folder whose name begins with dots is inside, one beside it is not", () => {
  const hidden = `${FOLDER}/..python/bin/python3`;
  const untrusted = around([hidden, "/home/me/kernels2/python3"], { trusted: false, environment: { PATH: `${FOLDER}/..python/bin:/home/me/kernels2` } });
  assert.deepEqual(candidates(untrusted), [{ python: "/home/me/kernels2/python3", origin: "path" }]);
});

const WHOLE: Probe = { python: [3, 11, 2], environment: true, ttlang: "0.1.0", pygls: "2.1.1", lsprotocol: "2025.0.0" };

test("what a Python lacks, and what is said of it", () => {
  const candidate = { python: "/usr/bin/python3", origin: "path" } as const;
  assert.equal(lacks(WHOLE), undefined);
  assert.equal(lacks({ ...WHOLE, python: [3, 10, 9] }), "python");
  assert.equal(lacks({ ...WHOLE, ttlang: null }), "ttlang");
  assert.equal(lacks({ ...WHOLE, pygls: null }), "lsp");
  assert.equal(lacks(undefined), "answer");
  assert.match(complaint(candidate, { ...WHOLE, python: [3, 10, 9] }), /is Python 3\.10\.9; TT-Lang needs 3\.11/);
  assert.match(complaint(candidate, { ...WHOLE, lsprotocol: null }), /pip install "ttlang\[lsp\]"/);
});

test("answers that are none", () => {
  for (const output of ["", "hello", "{}", "[1]", '{"python": [3], "environment": true}']) assert.equal(readProbe(output), undefined);
  assert.deepEqual(readProbe(`a warning\n${JSON.stringify(WHOLE)}\n`), WHOLE);
});

test("a real Python answers the probe, and imports nothing from the current folder", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "ttl-probe-"));
  writeFileSync(join(folder, "json.py"), "raise SystemExit('code of the folder ran')\n");
  let output: string;
  try {
    output = execFileSync("python3", ["-c", PROBE], { cwd: folder, encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return context.skip("no python3");
    throw error;
  }
  assert.equal(readProbe(output)?.python[0], 3);
});
