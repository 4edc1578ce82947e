/** The item of the status bar: chip, target, and a menu behind it. */

import * as vscode from "vscode";
import { isPython, type Servers } from "./servers";
import { shown } from "./statusText";

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("ttl.status", vscode.StatusBarAlignment.Right, 90);
  private readonly listening: vscode.Disposable[];

  constructor(private readonly servers: Servers) {
    this.item.name = "TT-Lang";
    this.item.command = "ttl.menu";
    this.listening = [servers.onChange(() => this.update()), vscode.window.onDidChangeActiveTextEditor(() => this.update())];
    this.update();
  }

  update(): void {
    const document = vscode.window.activeTextEditor?.document;
    const ofPython = document !== undefined && isPython(document);
    const facts = this.servers.facts(ofPython ? document.uri : undefined);
    const active = ofPython && facts.state === "running";
    void vscode.commands.executeCommand("setContext", "ttl.active", active);
    if (!ofPython || facts.state === "none") {
      this.item.hide();
      return;
    }
    const { text, tooltip, alarm } = shown(facts, this.servers.status(document.uri));
    this.item.text = text;
    this.item.tooltip = new vscode.MarkdownString(tooltip);
    this.item.backgroundColor = alarm ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  dispose(): void {
    for (const listener of this.listening) listener.dispose();
    this.item.dispose();
  }
}

/** What a click on the item offers. */
export async function showMenu(): Promise<void> {
  const entries = [
    { label: "$(play) Run", command: "ttl.run" },
    { label: "$(beaker) Sanitize", command: "ttl.sanitize" },
    { label: "$(diff) Compare with the emulated chip", command: "ttl.compare" },
    { label: "$(flame) Profile", command: "ttl.profile" },
    { label: "$(split-horizontal) Show the C++ beside", command: "ttl.showKernels" },
    { label: "$(symbol-structure) Show the explicit operations of tile programs beside", command: "ttl.showDesign" },
    { label: "$(list-tree) Show the IR beside", command: "ttl.showIR" },
    { label: "$(settings-gear) Settings", command: "workbench.action.openSettings", argument: "@ext:ttlang.ttlang" },
    { label: "$(output) Show the log", command: "ttl.showLog" },
    { label: "$(debug-restart) Restart the language server", command: "ttl.restart" },
  ];
  const chosen = await vscode.window.showQuickPick(entries, { placeHolder: "TT-Lang" });
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
}
