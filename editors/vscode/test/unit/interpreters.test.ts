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

test("on Windows the names are others", () => {
  const found = candidates(around([`${FOLDER}/.venv/Scripts/python.exe`], { windows: true, environment: { Path: "C:\\Python" } }));
  assert.deepEqual(found, [{ python: `${FOLDER}/.venv/Scripts/python.exe`, origin: "folder" }]);
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
