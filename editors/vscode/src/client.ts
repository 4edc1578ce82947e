/** The language client of one folder: starts `python -m ttl lsp`, and hands on what it sends beyond the protocol. */

import * as vscode from "vscode";
import {
  CloseAction,
  type DocumentSelector,
  type DynamicFeature,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Owner } from "./folders";
import { EXPERIMENTAL, PROFILE, type Profile, STATUS, type Status } from "./protocol";
import type { Interpreter } from "./python";
import type { RunProgress } from "./runProgress";

const RESTARTS = 3;
const WITHIN_MILLISECONDS = 180_000;

export interface Listener {
  status(status: Status): void;
  profile(profile: Profile): void;
  /** The server has ended and is not started again. */
  gaveUp(reason: string): void;
}

/**
 * The commands of the server are not registered under their names here: they are the extension's commands
 * (commands.ts), which ask the server with progress and cancellation.
 */
class TtlClient extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const method = (feature as Partial<DynamicFeature<unknown>>).registrationType?.method;
    if (method !== ExecuteCommandRequest.method) super.registerFeature(feature);
  }
}

export function makeClient(
  interpreter: Interpreter,
  owner: Owner,
  folder: vscode.WorkspaceFolder | undefined,
  log: vscode.LogOutputChannel,
  progress: RunProgress,
  listener: Listener,
): LanguageClient {
  // -P: a file of the folder's called, say, json.py is not what the server imports. As a flag, programs that run do not inherit it.
  const command = { command: interpreter.candidate.python, args: ["-P", "-m", "ttl", "lsp", "--stdio"] };
  const ended: number[] = [];
  const options: LanguageClientOptions = {
    documentSelector: selector(owner),
    ...(folder === undefined ? {} : { workspaceFolder: folder }),
    outputChannel: log,
    initializationOptions: { ...settings(folder), trusted: vscode.workspace.isTrusted },
    synchronize: { configurationSection: "ttl", fileEvents: vscode.workspace.createFileSystemWatcher("**/{pyproject.toml,ttl.tuned.toml,*.py}") },
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        const now = Date.now();
        ended.push(now);
        if (ended.filter((time) => now - time < WITHIN_MILLISECONDS).length <= RESTARTS) return { action: CloseAction.Restart, handled: true };
        const reason = `the language server ended ${ended.length} times and is not started again`;
        listener.gaveUp(reason);
        return { action: CloseAction.DoNotRestart, message: reason, handled: true };
      },
    },
    middleware: {
      handleWorkDoneProgress: (token, value, next) => {
        if (!progress.hear(token, value)) next(token, value);
      },
    },
    initializationFailedHandler: (error) => {
      log.error(error instanceof Error ? error : String(error));
      return false;
    },
  };
  const server = { ...command, options: folder === undefined ? {} : { cwd: folder.uri.fsPath } };
  const client = new TtlClient("ttl", "TT-Lang", server, options);
  client.registerFeature({
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { ...(capabilities.experimental as object | undefined), ...EXPERIMENTAL };
    },
    getState: () => ({ kind: "static" }),
    initialize: () => undefined,
    clear: () => undefined,
  });
  client.onNotification(STATUS, (status: Status) => listener.status(status));
  client.onNotification(PROFILE, (profile: Profile) => listener.profile(profile));
  return client;
}

/** The documents of a server: those of its owner, and of no other server. Texts without a file belong to the first one. */
function selector(owner: Owner): DocumentSelector {
  const python = { scheme: "file", language: "python" };
  const untitled = { scheme: "untitled", language: "python" };
  switch (owner.kind) {
    case "window":
      return [python, untitled];
    case "folder": {
      const own = { ...python, pattern: { baseUri: owner.key, pattern: "**/*" } };
      return owner.index === 0 ? [own, untitled] : [own];
    }
    case "loose":
      return [{ ...python, pattern: { baseUri: owner.key, pattern: "*" } }];
  }
}

/** The settings of the section as plain data, as they are asked for by workspace/configuration, too. */
function settings(folder: vscode.WorkspaceFolder | undefined): Record<string, unknown> {
  return JSON.parse(JSON.stringify(vscode.workspace.getConfiguration("ttl", folder))) as Record<string, unknown>;
}
