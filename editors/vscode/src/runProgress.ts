/**
 * The server's progress of a run, shown in the notification of the command that asked for it, whose button cancels the run.
 * Without this it would stand in the status bar, beside the notification, and without a button.
 */

import type { ProgressToken, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport } from "vscode-languageclient";

type Value = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

/** What a notification offers: vscode.Progress. */
interface Shown {
  report(value: { readonly message?: string }): void;
}

export class RunProgress {
  private readonly shown = new Map<string, Shown>();
  private readonly tokens = new Map<ProgressToken, Shown>();

  /** From now until the function returned is called, progress of this run is this notification's: `ttl.run softmax.py`. */
  show(run: string, notification: Shown): () => void {
    this.shown.set(run, notification);
    return () => {
      if (this.shown.get(run) === notification) this.shown.delete(run);
    };
  }

  /** Something of the server's; true if it was shown here. The server's titles are `ttl run: softmax.py`. */
  hear(token: ProgressToken, value: Value): boolean {
    if (value.kind === "begin") {
      const notification = this.shown.get(value.title.replace(" ", ".").replace(":", ""));
      if (notification !== undefined) this.tokens.set(token, notification);
    }
    const notification = this.tokens.get(token);
    if (notification === undefined) return false;
    if (value.kind === "end") this.tokens.delete(token);
    else if (value.message !== undefined) notification.report({ message: value.message });
    return true;
  }
}
