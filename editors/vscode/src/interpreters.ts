/** Which Pythons may have the language server, in order; and what one of them says of itself. */

import * as path from "node:path";

export type Origin = "setting" | "extension" | "folder" | "path";

export interface Candidate {
  readonly python: string;
  readonly origin: Origin;
}

/** What a search looks at: settings, other extensions, the folder and the environment, as they are when it begins. */
export interface Surroundings {
  readonly setting: string;
  readonly ofPythonExtension: string | undefined;
  readonly folder: string | undefined;
  readonly trusted: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly windows: boolean;
  readonly exists: (file: string) => boolean;
}

/** Paths as the system has them that is searched: of Windows with drives, of others without. */
function paths(around: Surroundings): path.PlatformPath {
  return around.windows ? path.win32 : path.posix;
}

/** The Python of an environment. */
export function pythonIn(environment: string, windows: boolean): string {
  return windows ? path.win32.join(environment, "Scripts", "python.exe") : path.posix.join(environment, "bin", "python");
}

/** A setting's text as a path: ~, ${workspaceFolder} and ${env:NAME} replaced; relative to the folder. */
export function expanded(text: string, around: Surroundings): string {
  const replaced = text
    .trim()
    .replace(/^~(?=$|[\\/])/, around.home)
    .replaceAll("${workspaceFolder}", around.folder ?? "")
    .replace(/\$\{env:(\w+)\}/g, (_, name: string) => around.environment[name] ?? "");
  const isName = !/[\\/]/.test(replaced);
  if (isName) return onPath([replaced], around) ?? replaced;
  return around.folder === undefined ? replaced : paths(around).resolve(around.folder, replaced);
}

/**
 * The Pythons that exist, best first. A setting stands alone: who names one does not want another.
 * In a folder that is not trusted, a Python from inside it is code of the folder's, and is left out.
 */
export function candidates(around: Surroundings): Candidate[] {
  if (around.setting.trim() !== "") return [{ python: expanded(around.setting, around), origin: "setting" }];
  const all: Candidate[] = [];
  const add = (python: string | undefined, origin: Origin): void => {
    if (python === undefined || !around.exists(python)) return;
    if (!around.trusted && isInside(python, around)) return;
    if (!all.some((other) => paths(around).relative(other.python, python) === "")) all.push({ python, origin });
  };
  add(around.ofPythonExtension, "extension");
  if (around.folder !== undefined) {
    for (const name of [".venv", "venv"]) {
      add(pythonIn(paths(around).join(around.folder, name), around.windows), "folder");
    }
  }
  add(onPath(around.windows ? ["python.exe", "python3.exe"] : ["python3", "python"], around), "path");
  return all;
}

/** The first of some names in the folders of PATH; never in the current folder, whatever PATH says. */
function onPath(names: readonly string[], around: Surroundings): string | undefined {
  const text = around.environment["PATH"] ?? around.environment["Path"] ?? "";
  const folders = text.split(paths(around).delimiter).filter((folder) => paths(around).isAbsolute(folder));
  for (const name of names) {
    for (const folder of folders) {
      const file = paths(around).join(folder, name);
      if (around.exists(file) && (around.trusted || !isInside(file, around))) return file;
    }
  }
  return undefined;
}

function isInside(file: string, around: Surroundings): boolean {
  if (around.folder === undefined) return false;
  const relative = paths(around).relative(around.folder, file);
  return relative !== "" && relative.split(paths(around).sep)[0] !== ".." && !paths(around).isAbsolute(relative);
}

/** What a Python runs to say what it has. It imports nothing of the user's: the current folder is not on its path. */
export const PROBE = [
  "import sys",
  "sys.path = [entry for entry in sys.path if entry]",
  "import json",
  "from importlib.metadata import PackageNotFoundError, version",
  "def has(name):",
  "    try:",
  "        return version(name)",
  "    except PackageNotFoundError:",
  "        return None",
  "print(json.dumps({'python': list(sys.version_info[:3]), 'environment': sys.prefix != sys.base_prefix,",
  "                  'ttlang': has('ttlang'), 'pygls': has('pygls'), 'lsprotocol': has('lsprotocol')}))",
].join("\n");

export interface Probe {
  readonly python: readonly [number, number, number];
  /** It is a virtual environment, into which may be installed. */
  readonly environment: boolean;
  readonly ttlang: string | null;
  readonly pygls: string | null;
  readonly lsprotocol: string | null;
}

/** The answer of a Python to PROBE; undefined when it is none. */
export function readProbe(output: string): Probe | undefined {
  const line = output.trim().split("\n").at(-1) ?? "";
  try {
    const value: unknown = JSON.parse(line);
    return isProbe(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isProbe(value: unknown): value is Probe {
  if (typeof value !== "object" || value === null) return false;
  const { python, environment, ttlang, pygls, lsprotocol } = value as Record<string, unknown>;
  return (
    Array.isArray(python) && python.length === 3 && python.every((part) => typeof part === "number") &&
    typeof environment === "boolean" &&
    [ttlang, pygls, lsprotocol].every((version) => version === null || typeof version === "string")
  );
}

export type Lack = "python" | "ttlang" | "lsp" | "answer";

/** What a Python lacks to be the language server, or undefined. */
export function lacks(probe: Probe | undefined): Lack | undefined {
  if (probe === undefined) return "answer";
  const [major, minor] = probe.python;
  if (major !== 3 || minor < 11) return "python";
  if (probe.ttlang === null) return "ttlang";
  if (probe.pygls === null || probe.lsprotocol === null) return "lsp";
  return undefined;
}

/** What is installed, and into what: the text for people and the arguments of Python. */
export const INSTALLATION = { requirement: "ttlang[lsp]", arguments: ["-m", "pip", "install", "ttlang[lsp]"] } as const;

/** One line about a Python that cannot serve. */
export function complaint(candidate: Candidate, probe: Probe | undefined): string {
  const place = { setting: "the setting ttl.interpreter", extension: "the Python extension", folder: "the folder", path: "the path" }[candidate.origin];
  const python = `${candidate.python} (from ${place})`;
  switch (lacks(probe)) {
    case "answer":
      return `${python} does not answer as Python does`;
    case "python":
      return `${python} is Python ${probe?.python.join(".") ?? ""}; TT-Lang needs 3.11 or newer`;
    case "ttlang":
      return `${python} does not have ttlang: python -m pip install "${INSTALLATION.requirement}"`;
    case "lsp":
      return `${python} has ttlang without its language server: python -m pip install "${INSTALLATION.requirement}"`;
    case undefined:
      return "";
  }
}
