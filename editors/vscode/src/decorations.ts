/** The profile in the editor: cycles at the end of lines, heat in the gutter and the overview ruler, the verdict above. */

import * as path from "node:path";
import * as vscode from "vscode";
import { type Change, explanation, HEATS, heatLevel, movedAll } from "./margin";
import type { Profile } from "./protocol";

interface Shown {
  profile: Profile;
  /** Of a text that has changed since. */
  stale: boolean;
}

export class Margin implements vscode.Disposable, vscode.CodeLensProvider {
  private readonly shown = new Map<string, Shown>();
  private readonly heats: readonly vscode.TextEditorDecorationType[];
  private readonly text: vscode.TextEditorDecorationType;
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  private readonly listening: vscode.Disposable[];
  readonly onDidChangeCodeLenses = this.lensesChanged.event;

  constructor(extensionPath: string) {
    this.text = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed });
    this.heats = Array.from({ length: HEATS }, (_, index) =>
      vscode.window.createTextEditorDecorationType({
        gutterIconPath: path.join(extensionPath, "media", `heat-${index + 1}.svg`),
        gutterIconSize: "contain",
        overviewRulerColor: new vscode.ThemeColor(`ttl.profile.heat${index + 1}`),
        overviewRulerLane: vscode.OverviewRulerLane.Right,
      }),
    );
    this.listening = [
      vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach((editor) => this.draw(editor))),
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.clear(document.uri)),
      vscode.languages.registerCodeLensProvider(["file", "untitled"].map((scheme) => ({ language: "python", scheme })), this),
    ];
  }

  /** A profile of the server's; one without lines takes away what is shown. */
  show(profile: Profile): void {
    const uri = vscode.Uri.parse(profile.uri);
    if (profile.lines.length === 0) {
      this.clear(uri);
      return;
    }
    const before = this.shown.get(uri.toString());
    // A stale profile's lines are those of its version of the text; ours have moved with the edits since, and the next one comes.
    const version = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.version;
    if (profile.stale && before !== undefined && profile.version !== version) before.stale = true;
    else this.shown.set(uri.toString(), { profile, stale: profile.stale });
    this.redraw(uri);
  }

  clear(uri: vscode.Uri): void {
    if (this.shown.delete(uri.toString())) this.redraw(uri);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.shown.get(document.uri.toString());
    if (shown === undefined || shown.profile.verdict === "") return [];
    const title = shown.stale ? `$(history) ${shown.profile.verdict} (of an older text; profile again)` : `$(flame) ${shown.profile.verdict}`;
    const command = { title, command: "ttl.profile", arguments: [{ uri: document.uri.toString() }], tooltip: "Profile again" };
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  dispose(): void {
    for (const disposable of [...this.listening, ...this.heats, this.text]) disposable.dispose();
  }

  private edited(event: vscode.TextDocumentChangeEvent): void {
    const shown = this.shown.get(event.document.uri.toString());
    if (shown === undefined || event.contentChanges.length === 0) return;
    // Changes of one event are given from the end of the text to its beginning, and do not overlap.
    const changes = event.contentChanges.map(({ range, text }): Change => ({
      startLine: range.start.line,
      startCharacter: range.start.character,
      endLine: range.end.line,
      newLines: text.split("\n").length - 1,
    }));
    const lines = changes.sort((a, b) => b.startLine - a.startLine).reduce((all, change) => movedAll(all, change), [...shown.profile.lines]);
    shown.profile = { ...shown.profile, lines };
    shown.stale = true;
    this.redraw(event.document.uri);
  }

  private redraw(uri: vscode.Uri): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === uri.toString()) this.draw(editor);
    }
    this.lensesChanged.fire();
  }

  private draw(editor: vscode.TextEditor): void {
    const shown = this.shown.get(editor.document.uri.toString());
    const lines = (shown?.profile.lines ?? []).filter(({ line }) => line < editor.document.lineCount);
    const stale = shown?.stale ?? false;
    const color = new vscode.ThemeColor(stale ? "ttl.profile.stale" : "ttl.profile.text");
    editor.setDecorations(
      this.text,
      lines.map((entry) => ({
        range: editor.document.lineAt(entry.line).range,
        renderOptions: { after: { contentText: entry.text, color, margin: "0 0 0 3em", fontStyle: stale ? "italic" : "normal" } },
        hoverMessage: new vscode.MarkdownString(explanation(entry, stale)),
      })),
    );
    this.heats.forEach((type, index) => {
      const hot = stale ? [] : lines.filter(({ heat }) => heatLevel(heat) === index + 1);
      editor.setDecorations(type, hot.map(({ line }) => editor.document.lineAt(line).range));
    });
  }
}
