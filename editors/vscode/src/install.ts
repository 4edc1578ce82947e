/** Installs the language server, when somebody says so, in a terminal that shows what happens. */

import * as path from "node:path";
import * as vscode from "vscode";
import { INSTALLATION, pythonIn } from "./interpreters";
import type { Interpreter } from "./python";
import { search } from "./python";

const INSTALL = "Install";
const ENVIRONMENT = "Make .venv and install";
const CHOOSE = "Choose another Python";

/** Says what is missing, with the command and buttons for it; afterwards calls ``then`` if something was installed. */
export async function offerInstallation(complaints: readonly string[], into: Interpreter | undefined, then: () => Promise<void>): Promise<void> {
  const message = `TT-Lang: ${complaints[0] ?? "no Python was found"}`;
  const folder = vscode.workspace.workspaceFolders?.[0];
  const choices = [CHOOSE];
  if (into !== undefined && vscode.workspace.isTrusted) {
    // Into a Python that is not an environment's, distributions forbid it, for good reasons.
    if (into.probe.environment || folder === undefined) choices.unshift(INSTALL);
    else choices.unshift(ENVIRONMENT, INSTALL);
  }
  const chosen = await vscode.window.showWarningMessage(message, ...choices);
  if (chosen === CHOOSE) await vscode.commands.executeCommand("workbench.action.openSettings", "ttl.interpreter");
  if (into === undefined || (chosen !== INSTALL && chosen !== ENVIRONMENT)) return;
  const done = await install(into.candidate.python, chosen === ENVIRONMENT ? folder : undefined);
  if (done) await then();
}

/** The command of the palette and the walkthrough. */
export async function installOnRequest(then: () => Promise<void>): Promise<void> {
  const { interpreter, complaints, fallback } = await search(vscode.workspace.workspaceFolders?.[0]);
  if (interpreter === undefined) return offerInstallation(complaints, fallback, then);
  const version = interpreter.probe.ttlang ?? "";
  void vscode.window.showInformationMessage(`TT-Lang: ${interpreter.candidate.python} has ttlang ${version} with the language server`);
}

async function install(python: string, environmentIn: vscode.WorkspaceFolder | undefined): Promise<boolean> {
  if (environmentIn === undefined) return inTerminal(python, [...INSTALLATION.arguments]);
  const environment = path.join(environmentIn.uri.fsPath, ".venv");
  if (!(await inTerminal(python, ["-m", "venv", environment]))) return false;
  return inTerminal(pythonIn(environment, process.platform === "win32"), [...INSTALLATION.arguments]);
}

/** Runs a process as a task, whose terminal stays open; true if it ended with 0. */
async function inTerminal(program: string, programArguments: string[]): Promise<boolean> {
  const task = new vscode.Task(
    { type: "process" },
    vscode.TaskScope.Workspace,
    `${path.basename(program)} ${programArguments.join(" ")}`,
    "ttl",
    new vscode.ProcessExecution(program, programArguments),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: true, clear: false };
  const execution = await vscode.tasks.executeTask(task);
  return new Promise((resolve) => {
    const listening = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution !== execution) return;
      listening.dispose();
      resolve(event.exitCode === 0);
    });
  });
}
