/** Texts made from the user's program, shown beside it: C++ of kernels, IR, explicit operations. The cursor follows both ways. */

import * as vscode from "vscode";
import { best, LineMap, ranges } from "./lineMap";
import type { Kernel, LineLink } from "./protocol";

export const SCHEME = "ttl-beside";

export type PageKind = "kernels" | "design" | "ir";

/** One text: a kernel, an explicit operation, or the IR of a file. */
export interface Page {
  readonly title: string;
  readonly extension: string;
  readonly text: string;
  readonly links: readonly LineLink[];
}

interface Group {
  readonly source: vscode.Uri;
  pages: readonly Page[];
  maps: readonly LineMap[];
  shown: number;
  /** The program has changed since: links are those of the older text, and are not followed. */
  stale: boolean;
}

export function kernelPages(kernels: readonly Kernel[]): Page[] {
  return kernels.map(({ operation, name, text, lines, language }) => ({
    title: `${operation}.${name}`,
    extension: language === "cpp" ? "cpp" : language,
    text,
    links: lines,
  }));
}

export class Beside implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly groups = new Map<string, Group>();
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly linked = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("ttl.linked.background"),
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor("ttl.linked.background"),
  });
  private readonly listening: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  /** ``refresh`` makes the pages of a kind anew, when the program was saved while they are in sight. */
  constructor(private readonly refresh: (kind: PageKind, source: vscode.Uri) => Thenable<void>) {
    this.listening = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.window.onDidChangeTextEditorSelection((event) => void this.follow(event)),
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.workspace.onDidSaveTextDocument((document) => this.saved(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "// Ask for this text again: it is of a window that was closed.\n";
  }

  /** Shows pages of one kind beside their program: the one that belongs to the line of the cursor. */
  async show(kind: PageKind, source: vscode.Uri, pages: readonly Page[]): Promise<void> {
    const line = vscode.window.visibleTextEditors.find((editor) => same(editor.document.uri, source))?.selection.active.line ?? 0;
    const maps = pages.map((page) => new LineMap(page.links, normalised));
    const before = this.groups.get(groupKey(kind, source));
    const kept = before === undefined ? -1 : pages.findIndex((page) => page.title === before.pages[before.shown]?.title);
    const index = best(maps, Math.max(kept, 0), source.fsPath, line) ?? Math.max(kept, 0);
    const group: Group = { source, pages, maps, shown: index, stale: false };
    this.groups.set(groupKey(kind, source), group);
    for (const page of pages) {
      const uri = pageUri(kind, source, page);
      this.texts.set(uri.toString(), page.text);
      this.changed.fire(uri);
    }
    const editor = await this.turnTo(kind, group, index);
    if (editor !== undefined) this.highlight(editor, group, line);
  }

  dispose(): void {
    for (const disposable of [...this.listening, this.linked]) disposable.dispose();
  }

  private async turnTo(kind: PageKind, group: Group, index: number): Promise<vscode.TextEditor | undefined> {
    const page = group.pages[index];
    if (page === undefined) return undefined;
    const uri = pageUri(kind, group.source, page);
    const before = this.editorOf(kind, group);
    const column = before?.viewColumn ?? vscode.ViewColumn.Beside;
    group.shown = index;
    const document = await vscode.workspace.openTextDocument(uri);
    return vscode.window.showTextDocument(document, { viewColumn: column, preserveFocus: true, preview: true });
  }

  /** The editor in which a page of this group is in sight. */
  private editorOf(kind: PageKind, group: Group): vscode.TextEditor | undefined {
    const uris = new Set(group.pages.map((page) => pageUri(kind, group.source, page).toString()));
    return vscode.window.visibleTextEditors.find((editor) => uris.has(editor.document.uri.toString()));
  }

  private async follow(event: vscode.TextEditorSelectionChangeEvent): Promise<void> {
    const uri = event.textEditor.document.uri;
    const line = event.selections[0]?.active.line ?? 0;
    for (const [key, group] of this.groups) {
      const kind = key.slice(0, key.indexOf(":")) as PageKind;
      if (same(uri, group.source)) await this.toPage(kind, group, line);
      else if (event.textEditor === this.editorOf(kind, group)) this.toSource(group, line);
      else continue;
      // Marks show where the cursor's line is on the other side, and so never on its own.
      event.textEditor.setDecorations(this.linked, []);
    }
  }

  private async toPage(kind: PageKind, group: Group, line: number): Promise<void> {
    let editor = group.stale ? undefined : this.editorOf(kind, group);
    if (editor === undefined) return;
    const index = best(group.maps, group.shown, group.source.fsPath, line);
    if (index !== undefined && index !== group.shown) editor = await this.turnTo(kind, group, index);
    if (editor !== undefined) this.highlight(editor, group, line);
  }

  private highlight(editor: vscode.TextEditor, group: Group, line: number): void {
    const lines = group.maps[group.shown]?.textLines(group.source.fsPath, line) ?? [];
    mark(editor, lines, this.linked);
  }

  private toSource(group: Group, line: number): void {
    if (group.stale) return;
    const shown = group.maps[group.shown]?.sources(line) ?? [];
    const file = normalised(group.source.fsPath);
    const editor = vscode.window.visibleTextEditors.find((candidate) => same(candidate.document.uri, group.source));
    if (editor !== undefined) mark(editor, shown.filter((place) => place.file === file).map((place) => place.line), this.linked);
  }

  private edited(event: vscode.TextDocumentChangeEvent): void {
    if (event.contentChanges.length === 0) return;
    for (const [key, group] of this.groups) {
      if (!same(event.document.uri, group.source) || group.stale) continue;
      group.stale = true;
      const kind = key.slice(0, key.indexOf(":")) as PageKind;
      this.editorOf(kind, group)?.setDecorations(this.linked, []);
    }
  }

  private saved(document: vscode.TextDocument): void {
    for (const [key, group] of this.groups) {
      const kind = key.slice(0, key.indexOf(":")) as PageKind;
      if (same(document.uri, group.source) && group.stale && this.editorOf(kind, group) !== undefined) void this.refresh(kind, group.source);
    }
  }
}

function mark(editor: vscode.TextEditor, lines: readonly number[], type: vscode.TextEditorDecorationType): void {
  const inside = ranges(lines.filter((line) => line < editor.document.lineCount));
  editor.setDecorations(type, inside.map(([first, last]) => new vscode.Range(first, 0, last, 0)));
  const [first] = inside;
  if (first !== undefined) editor.revealRange(new vscode.Range(first[0], 0, first[1], 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function groupKey(kind: PageKind, source: vscode.Uri): string {
  return `${kind}:${source.toString()}`;
}

function pageUri(kind: PageKind, source: vscode.Uri, page: Page): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `${source.path}/${kind}/${page.title}.${page.extension}` });
}

function same(a: vscode.Uri, b: vscode.Uri): boolean {
  return a.toString() === b.toString();
}

function normalised(file: string): string {
  return vscode.Uri.file(file).toString();
}
