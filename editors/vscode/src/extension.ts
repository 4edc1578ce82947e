/** The way in: what is made when the extension starts, and which event goes where. */

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import { Beside, type PageKind } from "./beside";
import { type Command, COMMANDS, Tasks } from "./commands";
import { Margin } from "./decorations";
import { installOnRequest } from "./install";
import { onEnvironmentChange, search } from "./python";
import { RunProgress } from "./runProgress";
import { Servers } from "./servers";
import { showMenu, StatusItem } from "./statusItem";

/** A change of these needs another server; the others go to the one that runs. */
const ABOUT_THE_SERVER = ["ttl.interpreter", "ttl.enable"];

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("TT-Lang", { log: true });
  const output = vscode.window.createOutputChannel("TT-Lang programs");
  const progress = new RunProgress();
  const servers = new Servers(log, progress);
  const tasks = new Tasks(servers, output, progress);
  const shown: Readonly<Record<PageKind, Command>> = { kernels: "ttl.showKernels", design: "ttl.showDesign", ir: "ttl.showIR" };
  const beside = new Beside((kind, source) => tasks.perform(shown[kind], source));
  const margin = new Margin(context.extensionPath);
  tasks.showIn(beside);
  const command = (name: string, action: (...values: unknown[]) => unknown): vscode.Disposable => vscode.commands.registerCommand(name, action);
  context.subscriptions.push(
    log,
    output,
    servers,
    beside,
    margin,
    new StatusItem(servers),
    servers.onProfile((profile) => margin.show(profile)),
    ...COMMANDS.map((name) => command(name, (argument) => tasks.perform(name, argument))),
    command("ttl.clearProfile", () => {
      const uri = vscode.window.activeTextEditor?.document.uri;
      if (uri !== undefined) margin.clear(uri);
    }),
    command("ttl.install", () => installOnRequest(() => servers.restart())),
    command("ttl.newProgram", newProgram),
    command("ttl.restart", () => servers.restart()),
    command("ttl.showLog", () => log.show()),
    command("ttl.showOutput", () => output.show()),
    command("ttl.menu", showMenu),
    vscode.workspace.onDidOpenTextDocument((document) => servers.serve(document)),
    // An import may come after the file was opened.
    vscode.workspace.onDidSaveTextDocument((document) => servers.serve(document)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => servers.restart()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => servers.foldersChanged()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (ABOUT_THE_SERVER.some((setting) => event.affectsConfiguration(setting))) void servers.settingsChanged(event, ABOUT_THE_SERVER);
    }),
  );
  for (const document of vscode.workspace.textDocuments) await servers.serve(document);
  const listening = await onEnvironmentChange((folder) => void servers.pythonChanged(folder));
  if (listening !== undefined) context.subscriptions.push(listening);
}

/** A first program of the language, where the user says; `python -m ttl` prints it. */
async function newProgram(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const { interpreter, complaints } = await search(folder);
  if (interpreter === undefined) {
    void vscode.window.showWarningMessage(`TT-Lang: ${complaints[0] ?? ""}`);
    return;
  }
  const defaultUri = folder === undefined ? undefined : vscode.Uri.joinPath(folder.uri, "first.py");
  const file = await vscode.window.showSaveDialog({ ...(defaultUri === undefined ? {} : { defaultUri }), filters: { Python: ["py"] } });
  if (file === undefined) return;
  const text = await new Promise<string>((resolve, reject) => {
    execFile(interpreter.candidate.python, ["-P", "-m", "ttl"], (error, printed) => (error === null ? resolve(printed) : reject(error)));
  });
  await writeFile(file.fsPath, text);
  await vscode.window.showTextDocument(file);
}
