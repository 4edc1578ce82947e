/** The commands: asked of the server, with progress and cancellation; running only where the workspace is trusted. */

import * as path from "node:path";
import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";
import { type Beside, kernelPages } from "./beside";
import type { IrResult, KernelsResult, ReportResult, Target, TaskResult } from "./protocol";
import type { RunProgress } from "./runProgress";
import { isPython, type Servers } from "./servers";

/** What the server does with a program: while it does, and afterwards. */
const DOING = {
  "ttl.run": ["runs", "ran"],
  "ttl.sanitize": ["runs under the sanitizer", "ran under the sanitizer"],
  "ttl.compare": ["is compared with the emulated chip", "compared with the emulated chip"],
  "ttl.profile": ["is profiled on the emulated chip", "profiled"],
  "ttl.showKernels": ["is compiled", "compiled"],
  "ttl.showDesign": ["is designed", "designed"],
  "ttl.showIR": ["is read as IR", "read as IR"],
  "ttl.openReport": ["gets its report page", "has its report page"],
  "ttl.fixAll": ["is fixed", "fixed"],
} as const;

export type Command = keyof typeof DOING;
export const COMMANDS = Object.keys(DOING) as Command[];

/** These run the user's program: not where the workspace is not trusted. */
const RUNNING: ReadonlySet<Command> = new Set(["ttl.run", "ttl.sanitize", "ttl.compare", "ttl.profile", "ttl.openReport"]);

export class Tasks {
  private beside: Beside | undefined;
  private readonly under = new Set<string>();

  constructor(
    private readonly servers: Servers,
    private readonly output: vscode.OutputChannel,
    private readonly progress: RunProgress,
  ) {}

  /** Where the texts of showKernels and showIR go. */
  showIn(beside: Beside): void {
    this.beside = beside;
  }

  async perform(command: Command, argument: unknown): Promise<void> {
    const target = targetOf(argument);
    if (target === undefined) {
      void vscode.window.showInformationMessage("TT-Lang: open a Python file first");
      return;
    }
    if (RUNNING.has(command) && !vscode.workspace.isTrusted) {
      const chosen = await vscode.window.showWarningMessage("TT-Lang: this runs the program, and the workspace is not trusted", "Manage trust");
      if (chosen !== undefined) await vscode.commands.executeCommand("workbench.trust.manage");
      return;
    }
    const uri = vscode.Uri.parse(target.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await this.servers.serve(document);
    if (this.servers.client(uri) === undefined) {
      void vscode.window.showWarningMessage(`TT-Lang: the language server does not run for ${path.basename(uri.fsPath)}`);
      return;
    }
    const key = `${command} ${target.uri}`;
    if (this.under.has(key)) return;
    this.under.add(key);
    try {
      const result = await this.ask(command, target, uri);
      if (result !== undefined) await this.present(command, uri, result);
    } catch (error) {
      void vscode.window.showErrorMessage(`TT-Lang: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.under.delete(key);
    }
  }

  private ask(command: Command, target: Target, uri: vscode.Uri): Thenable<Partial<TaskResult> | undefined> {
    const running = RUNNING.has(command);
    const title = `${target.operation ?? path.basename(uri.fsPath)} ${DOING[command][0]}`;
    const location = running ? vscode.ProgressLocation.Notification : vscode.ProgressLocation.Window;
    return vscode.window.withProgress({ location, title, cancellable: running }, async (progress, cancellation) => {
      const ended = this.progress.show(`${command} ${path.basename(uri.fsPath)}`, progress);
      try {
        const parameters = { command, arguments: [target] };
        return (await this.servers.client(uri)?.sendRequest(ExecuteCommandRequest.type, parameters, cancellation)) as Partial<TaskResult> | undefined;
      } catch (error) {
        if (cancellation.isCancellationRequested) return { status: "cancelled" } as const;
        throw error;
      } finally {
        ended();
      }
    });
  }

  private async present(command: Command, uri: vscode.Uri, result: Partial<TaskResult>): Promise<void> {
    const name = path.basename(uri.fsPath);
    if (result.output !== undefined && result.output !== "") {
      this.output.appendLine(`--- ${name} ${DOING[command][1]}`);
      this.output.appendLine(result.output.replace(/\n$/, ""));
    }
    const seconds = result.seconds === undefined ? "" : ` in ${result.seconds.toFixed(1)} s`;
    switch (result.status) {
      case "cancelled":
        vscode.window.setStatusBarMessage(`$(circle-slash) ${name}: cancelled`, 5000);
        return;
      case "limit":
        await this.complain(`${name}: stopped${seconds}: ${result.reason ?? "the limit of ttl.task.seconds or ttl.task.megabytes"}`);
        return;
      case "failed": {
        const count = result.diagnostics?.length ?? 0;
        const findings = count === 0 ? "" : `, ${count} finding${count === 1 ? "" : "s"}`;
        const reason = result.reason === undefined || result.reason === null || result.reason === "" ? "" : `: ${result.reason}`;
        await this.complain(`${name} ${DOING[command][1]}: failed${RUNNING.has(command) ? seconds : ""}${findings}${reason}`);
        return;
      }
      default:
        await this.succeed(command, uri, result, `${name} ${DOING[command][1]}${seconds}`);
    }
  }

  private async succeed(command: Command, uri: vscode.Uri, result: Partial<TaskResult>, message: string): Promise<void> {
    switch (command) {
      case "ttl.showKernels":
      case "ttl.showDesign": {
        const kernels = (result as KernelsResult).kernels ?? [];
        const kind = command === "ttl.showDesign" ? "design" : "kernels";
        if (kernels.length === 0) await this.complain(`${path.basename(uri.fsPath)}: no operation could be ${DOING[command][1]}`);
        else await this.beside?.show(kind, uri, kernelPages(kernels));
        return;
      }
      case "ttl.showIR": {
        const { text, lines } = result as IrResult;
        const page = { title: path.basename(uri.fsPath, ".py"), extension: "ttlir", text: text ?? "", links: lines ?? [] };
        await this.beside?.show("ir", uri, [page]);
        return;
      }
      case "ttl.openReport": {
        const file = (result as ReportResult).path;
        if (file !== undefined) await vscode.env.openExternal(vscode.Uri.file(file));
        return;
      }
      case "ttl.run":
      case "ttl.sanitize":
      case "ttl.compare":
        if (result.output !== undefined && result.output !== "") this.output.show(true);
        vscode.window.setStatusBarMessage(`$(check) ${message}`, 8000);
        return;
      case "ttl.fixAll":
        vscode.window.setStatusBarMessage(`$(check) ${result.output === undefined || result.output === "" ? message : result.output}`, 8000);
        return;
      default:
        vscode.window.setStatusBarMessage(`$(check) ${message}`, 8000);
    }
  }

  private async complain(message: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(`TT-Lang: ${message}`, "Show the output");
    if (chosen !== undefined) this.output.show(true);
  }
}

/** What a command is about: the argument of a lens, the file of a menu, or the file in sight. */
function targetOf(argument: unknown): Target | undefined {
  if (argument instanceof vscode.Uri) return { uri: argument.toString() };
  if (typeof argument === "object" && argument !== null && typeof (argument as Partial<Target>).uri === "string") return argument as Target;
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && isPython(document) ? { uri: document.uri.toString() } : undefined;
}
