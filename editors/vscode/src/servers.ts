/** The language servers of a window: one for each folder (folders.ts), started when a file that imports ttl is opened. */

import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import { makeClient } from "./client";
import { isStillOwner, type Owner, ownerOf } from "./folders";
import { importsTtl } from "./imports";
import { offerInstallation } from "./install";
import type { Profile, Status } from "./protocol";
import { search } from "./python";
import type { RunProgress } from "./runProgress";
import type { ServerFacts } from "./statusText";

interface Server {
  readonly owner: Owner;
  readonly folder: vscode.WorkspaceFolder | undefined;
  facts: ServerFacts;
  client?: LanguageClient;
}

export class Servers implements vscode.Disposable {
  private readonly servers = new Map<string, Server>();
  private readonly statuses = new Map<string, Status>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly profiled = new vscode.EventEmitter<Profile>();
  /** Something that the status bar shows is different. */
  readonly onChange = this.changed.event;
  readonly onProfile = this.profiled.event;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly progress: RunProgress,
  ) {}

  /** Starts the server of this document's folder, if the document wants one and none is there. */
  async serve(document: vscode.TextDocument): Promise<void> {
    if (!isPython(document)) return;
    const owner = this.owner(document.uri);
    if (owner === undefined || this.servers.has(owner.key)) return;
    const enable = vscode.workspace.getConfiguration("ttl").get<string>("enable", "auto");
    if (enable === "off" || (enable === "auto" && !importsTtl(document.getText()))) return;
    await this.start(owner);
  }

  /** The running client for a document. */
  client(uri: vscode.Uri): LanguageClient | undefined {
    const key = this.key(uri);
    const server = key === undefined ? undefined : this.servers.get(key);
    return server?.facts.state === "running" ? server.client : undefined;
  }

  facts(uri: vscode.Uri | undefined): ServerFacts {
    const key = uri === undefined ? this.servers.keys().next().value : this.key(uri);
    return (key === undefined ? undefined : this.servers.get(key)?.facts) ?? { state: "none" };
  }

  status(uri: vscode.Uri): Status | undefined {
    return this.statuses.get(uri.toString());
  }

  /** Ends all servers, looks for Pythons anew, and starts them for the documents that are open. */
  async restart(): Promise<void> {
    await this.restartThose(() => true);
  }

  /** The same for the servers of folders that are not the window's any more, or share their documents otherwise than before. */
  async foldersChanged(): Promise<void> {
    const folders = folderUris();
    await this.restartThose((server) => !isStillOwner(server.owner, folders));
  }

  /** The same for the servers that a change of settings is about. */
  async settingsChanged(event: vscode.ConfigurationChangeEvent, settings: readonly string[]): Promise<void> {
    await this.restartThose(({ owner, folder }) => {
      const scope = folder?.uri ?? (owner.key === "" ? undefined : vscode.Uri.parse(owner.key));
      return settings.some((setting) => event.affectsConfiguration(setting, scope));
    });
  }

  /** The same for the servers of a folder that has another Python; for all where the Python of all is another one. */
  async pythonChanged(folder: vscode.Uri | undefined): Promise<void> {
    await this.restartThose((server) => folder === undefined || server.folder?.uri.toString() === folder.toString());
  }

  private async restartThose(isAffected: (server: Server) => boolean): Promise<void> {
    const ending = [...this.servers].filter(([, server]) => isAffected(server));
    for (const [key] of ending) this.servers.delete(key);
    for (const uri of [...this.statuses.keys()]) {
      const key = this.key(vscode.Uri.parse(uri));
      if (key === undefined || !this.servers.has(key)) this.statuses.delete(uri);
    }
    this.changed.fire();
    await Promise.all(ending.map(([, server]) => this.end(server.client)));
    for (const document of vscode.workspace.textDocuments) await this.serve(document);
  }

  dispose(): Thenable<unknown> {
    const ending = [...this.servers.values()].map((server) => server.client);
    this.servers.clear();
    return Promise.all(ending.map((client) => this.end(client)));
  }

  private async end(client: LanguageClient | undefined): Promise<void> {
    try {
      await client?.dispose();
    } catch (error) {
      // A server that has ended already, or never came up, cannot be asked to end.
      this.log.debug(`while a server was ended: ${String(error)}`);
    }
  }

  private key(uri: vscode.Uri): string | undefined {
    return this.owner(uri)?.key;
  }

  private owner(uri: vscode.Uri): Owner | undefined {
    return ownerOf(uri.toString(), folderUris());
  }

  private async start(owner: Owner): Promise<void> {
    const key = owner.key;
    const folders = vscode.workspace.workspaceFolders ?? [];
    const folder = owner.kind === "loose" ? undefined : folders[owner.kind === "folder" ? owner.index : 0];
    const server: Server = { owner, folder, facts: { state: "starting" } };
    const set = (facts: ServerFacts): void => {
      server.facts = facts;
      if (this.servers.get(key) !== server) return;
      void vscode.commands.executeCommand("setContext", "ttl.ready", facts.state === "running");
      this.changed.fire();
    };
    this.servers.set(key, server);
    set(server.facts);
    const { interpreter, complaints, fallback } = await search(folder);
    for (const complaint of complaints) this.log.info(complaint);
    if (this.servers.get(key) !== server) return;
    if (interpreter === undefined) {
      set({ state: "missing", complaint: `TT-Lang: ${complaints.join("; ")}` });
      void offerInstallation(complaints, fallback, () => this.restart());
      return;
    }
    const python = interpreter.candidate.python;
    this.log.info(`ttlang ${interpreter.probe.ttlang ?? ""} in ${python}`);
    const client = makeClient(interpreter, owner, folder, this.log, this.progress, {
      status: (status) => this.hear(status),
      profile: (profile) => this.profiled.fire(profile),
      gaveUp: (reason) => {
        this.log.error(reason);
        set({ state: "stopped", python });
        void this.sayStopped(reason);
      },
    });
    server.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) set({ state: "running", python, version: client.initializeResult?.serverInfo?.version ?? interpreter.probe.ttlang ?? "" });
      else if (newState === State.Starting) set({ state: "starting" });
    });
    try {
      await client.start();
    } catch (error) {
      this.log.error(String(error));
      set({ state: "stopped", python });
      void this.sayStopped(`the language server did not start: ${String(error)}`);
    }
  }

  private hear(status: Status): void {
    this.statuses.set(vscode.Uri.parse(status.uri).toString(), status);
    this.changed.fire();
  }

  private async sayStopped(reason: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(`TT-Lang: ${reason}`, "Show the log", "Restart");
    if (chosen === "Show the log") this.log.show();
    else if (chosen === "Restart") await this.restart();
  }
}

function folderUris(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.toString());
}

export function isPython(document: vscode.TextDocument): boolean {
  return document.languageId === "python" && ["file", "untitled"].includes(document.uri.scheme);
}
