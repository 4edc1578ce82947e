/** Finds the Python of a folder that has the language server; asks the Python extension, if there is one. */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { type Candidate, candidates, complaint, lacks, PROBE, type Probe, readProbe } from "./interpreters";

/** What we use of the API of ms-python.python. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: { readonly path: string }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<{ readonly resource?: vscode.Uri | vscode.WorkspaceFolder }>;
  };
}

export interface Interpreter {
  readonly candidate: Candidate;
  readonly probe: Probe;
}

export interface Search {
  /** The first Python that can serve. */
  readonly interpreter: Interpreter | undefined;
  /** What kept the others from it, best first. */
  readonly complaints: readonly string[];
  /** The first Python that answered at all: what an installation would go into. */
  readonly fallback: Interpreter | undefined;
}

const PROBE_MILLISECONDS = 20_000;

export async function search(folder: vscode.WorkspaceFolder | undefined): Promise<Search> {
  const found = candidates({
    setting: vscode.workspace.getConfiguration("ttl", folder).get<string>("interpreter", ""),
    ofPythonExtension: await ofPythonExtension(folder),
    folder: folder?.uri.fsPath,
    trusted: vscode.workspace.isTrusted,
    environment: process.env,
    home: homedir(),
    windows: process.platform === "win32",
    exists: existsSync,
  });
  const complaints: string[] = [];
  let fallback: Interpreter | undefined;
  for (const candidate of found) {
    const probe = await ask(candidate.python);
    if (probe !== undefined && lacks(probe) === undefined) return { interpreter: { candidate, probe }, complaints, fallback };
    complaints.push(complaint(candidate, probe));
    if (probe !== undefined && lacks(probe) !== "python") fallback ??= { candidate, probe };
  }
  if (found.length === 0) complaints.push("no Python was found: neither an environment of the folder nor python3 on the path");
  return { interpreter: undefined, complaints, fallback };
}

function ask(python: string): Promise<Probe | undefined> {
  return new Promise((resolve) => {
    execFile(python, ["-c", PROBE], { timeout: PROBE_MILLISECONDS, windowsHide: true }, (_, output) => resolve(readProbe(output)));
  });
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (extension === undefined) return undefined;
  try {
    const api = extension.isActive ? extension.exports : await extension.activate();
    return (api as PythonExtension | undefined)?.environments === undefined ? undefined : api;
  } catch {
    return undefined;
  }
}

async function ofPythonExtension(folder: vscode.WorkspaceFolder | undefined): Promise<string | undefined> {
  const api = await pythonExtension();
  if (api === undefined) return undefined;
  try {
    const environment = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath(folder?.uri));
    return environment?.executable.uri?.fsPath;
  } catch {
    return undefined; // of the extension: there are other places to look
  }
}

/** Calls back whenever another environment is chosen in the Python extension, with the folder that it is for; none: for all. */
export async function onEnvironmentChange(callback: (folder: vscode.Uri | undefined) => void): Promise<vscode.Disposable | undefined> {
  return (await pythonExtension())?.environments.onDidChangeActiveEnvironmentPath(({ resource }) => {
    callback(resource !== undefined && "uri" in resource ? resource.uri : resource);
  });
}
