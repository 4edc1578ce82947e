/** The page of a report: reads the data that stand in it, and shows a launch, two side by side, or several runs against a baseline. */
import { launchesByChip } from "./data/chips";
import { readFragment, writeFragment } from "./data/fragment";
import type { Launch, Pair, Report, Runs, Tuning } from "./data/model";
import { matched } from "./data/pairing";
import { type Run, unpackedRun } from "./data/run";
import { h, hideTip } from "./dom";
import { counted } from "./format";
import type { Theme } from "./palette";
import { failureView } from "./views/failure";
import { Help } from "./views/help";
import { Comparison } from "./views/pair";
import { runsView } from "./views/runs";
import { TuningView } from "./views/tuning";
import { Workspace } from "./views/workspace";

interface Choice { text: string; show: () => Promise<void>; launch?: Launch }

class Page {
  private readonly help = new Help();
  private readonly main = h("main", {});
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly runs = new Map<Launch, Promise<Run>>();
  private workspace: Workspace | undefined;
  private stores: { setTheme: (theme: Theme) => void }[] = [];
  private theme: Theme = this.dark.matches ? "dark" : "light";
  private choices: Choice[] = [];
  private readonly select: HTMLSelectElement;
  private current = 0;

  constructor(report: Report | Pair | Runs | Tuning) {
    const title = report.kind === "reports" ? `${report.before.title} → ${report.after.title}` : report.title;
    document.title = `${title} · ttl report`;
    this.select = h("select", { "aria-label": "Launch", change: () => this.choose(this.select.selectedIndex, true) });
    const command = report.kind === "report" || report.kind === "tuning" ? report.command : report.kind === "runs" ? report.baseline.command : report.after.command;
    this.choices = report.kind === "report" ? this.launches(report) : report.kind === "runs" ? this.runsOf(report) : report.kind === "tuning" ? [this.tuned(report)] : [...this.compared(report, ""), ...this.alone(report.before, "before"), ...this.alone(report.after, "after")];
    this.select.append(...this.choices.map((choice, index) => h("option", { value: index }, choice.text)));
    const bar = h("div", { class: "top" }, h("span", { class: "brand" }, "ttl report"), h("b", { class: "title" }, title), this.choices.length > 1 && h("label", {}, report.kind === "report" ? "launch " : "show ", this.select), command ? h("code", { class: "command", title: command }, command) : null, h("span", { class: "space" }),
      h("button", { type: "button", title: "Light or dark", click: () => this.setTheme(this.theme === "light" ? "dark" : "light") }, "light / dark"), h("button", { type: "button", title: "key ?", click: () => this.help.toggle() }, "? help"));
    document.body.append(bar, this.main, this.help.element);
    this.dark.addEventListener("change", () => this.setTheme(this.dark.matches ? "dark" : "light"));
    this.setTheme(this.theme);
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => void this.restore());
    void this.restore();
  }

  private launches(report: Report): Choice[] {
    const { failure } = report;
    const program: Choice[] = failure ? [{ text: "why the program failed", show: async () => {
      this.workspace = undefined;
      this.stores = [];
      this.main.replaceChildren(failureView(failure));
    } }] : [];
    return [...program, ...report.launches.map((launch) => ({ text: `${launch.number}: ${launch.name}${this.chip(launch, report)} · ${counted(launch.length, launch.unit)}`, show: () => this.showLaunch(launch, report), launch }))];
  }

  private tuned(report: Tuning): Choice {
    return { text: report.title, show: async () => {
      const view = new TuningView(report, this.theme);
      this.workspace = undefined;
      this.stores = [view];
      this.main.replaceChildren(view.element);
    } };
  }

  /** All runs against the baseline; each beside it; and each alone. */
  private runsOf(report: Runs): Choice[] {
    const { baseline, names, diffs } = report;
    const pairs = report.runs.map((after, run) => this.compared({ schema: report.schema, kind: "reports", before: baseline, after, diff: diffs[run] ?? null }, `${names[run + 1]!}: `));
    const places = pairs.map((_, run) => 1 + pairs.slice(0, run).reduce((sum, choices) => sum + choices.length, 0));
    const all: Choice = { text: "all runs", show: async () => {
      this.workspace = undefined;
      this.stores = [];
      this.main.replaceChildren(runsView(report, (run) => void this.choose(places[run]!, true)));
    } };
    return [all, ...pairs.flat(), ...[baseline, ...report.runs].flatMap((run, index) => this.alone(run, names[index]!))];
  }

  /** Launches of two runs that belong together, side by side. */
  private compared(pair: Pair, prefix: string): Choice[] {
    return matched(pair).map(({ before, after, diff }) => {
      const [first, second] = [pair.before.launches[before]!, pair.after.launches[after]!];
      return { text: `${prefix}compare ${second.name}`, show: async () => {
        const [one, two] = await Promise.all([this.run(first), this.run(second)]);
        // The stores of both sides are those of workspaces, which have all the views that a comparison shows in part.
        const sides = [one, two].map((run) => ({ store: new Workspace(run, this.theme, []).store, launch: run.launch })) as [{ store: Workspace["store"]; launch: Launch }, { store: Workspace["store"]; launch: Launch }];
        this.stores = sides.map(({ store }) => store);
        this.workspace = undefined;
        this.main.replaceChildren(new Comparison(sides[0], sides[1], diff).element);
      } };
    });
  }

  private alone(report: Report, name: string): Choice[] {
    return report.launches.map((launch) => ({ text: `${name}: ${launch.number}: ${launch.name}${this.chip(launch, report)}`, show: () => this.showLaunch(launch, report), launch }));
  }

  /** The chip that a launch ran on, where each of several had its own. */
  private chip(launch: Launch, report: Report): string {
    const { mesh } = launch;
    return mesh && launchesByChip(launch, report.launches).size > 1 ? ` on ${mesh.names[mesh.chips[0]!]}` : "";
  }

  private run(launch: Launch): Promise<Run> {
    let run = this.runs.get(launch);
    if (run === undefined) {
      run = unpackedRun(launch);
      this.runs.set(launch, run);
    }
    return run;
  }

  private async showLaunch(launch: Launch, report: Report): Promise<void> {
    const run = await this.run(launch);
    const show = (other: Launch): void => {
      const shown = this.choose(this.choices.findIndex((choice) => choice.launch === other), true);
      // The keyboard stays on the chip.
      void shown.then(() => this.main.querySelector<SVGElement>(".mesh .chosen")?.focus());
    };
    const workspace = new Workspace(run, this.theme, report.findings ?? [], { byChip: launchesByChip(launch, report.launches), show });
    this.workspace = workspace;
    this.stores = [workspace.store];
    workspace.element.addEventListener("pointerdown", hideTip);
    this.main.replaceChildren(workspace.element);
    workspace.restore(readFragment(location.hash));
    workspace.onChange(() => this.keep());
  }

  private async choose(index: number, fresh: boolean): Promise<void> {
    const choice = this.choices[index];
    if (choice === undefined) {
      this.main.replaceChildren(h("p", { class: "empty" }, "Nothing was launched in this run: the program called no operation."));
      document.body.dataset["ready"] = "yes";
      return;
    }
    this.current = index;
    this.select.selectedIndex = index;
    if (fresh) history.replaceState(null, "", index > 0 ? writeFragment({ launch: String(index + 1) }) : location.pathname + location.search);
    hideTip();
    try {
      await choice.show();
      document.body.dataset["ready"] = "yes";
    } catch (error) {
      this.main.replaceChildren(h("p", { class: "empty" }, `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}. Was it cut off, or written by another version?`));
      document.body.dataset["ready"] = "failed";
    }
  }

  private async restore(): Promise<void> {
    const kept = readFragment(location.hash);
    const asked = Number(kept["launch"] ?? "1") - 1;
    const index = Number.isInteger(asked) && asked >= 0 && asked < this.choices.length ? asked : 0;
    if (this.workspace !== undefined && index === this.current) this.workspace.restore(kept);
    else await this.choose(index, false);
  }

  private keep(): void {
    if (this.workspace === undefined) return;
    const kept = { ...(this.current > 0 ? { launch: String(this.current + 1) } : {}), ...this.workspace.fragment() };
    clearTimeout(this.timer);
    // A browser allows few changes of the address in a second.
    this.timer = window.setTimeout(() => history.replaceState(null, "", writeFragment(kept) || location.pathname + location.search), 150);
  }

  private timer = 0;

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset["theme"] = theme;
    for (const store of this.stores) store.setTheme(theme);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    if (event.key === "Escape") {
      if (this.workspace?.store.selection) this.workspace.store.select(null);
      hideTip();
    } else if (event.key === "?") this.help.toggle();
    else if (/^[1-9]$/.test(event.key)) this.workspace?.show(Number(event.key) - 1);
    else if (event.key === "[" && this.current > 0) void this.choose(this.current - 1, true);
    else if (event.key === "]" && this.current + 1 < this.choices.length) void this.choose(this.current + 1, true);
  }
}

function start(): void {
  const text = document.getElementById("report")?.textContent ?? "";
  let report: Report | Pair | Runs | Tuning;
  try {
    report = JSON.parse(text) as Report | Pair | Runs | Tuning;
    if (!["report", "reports", "runs", "tuning"].includes(report.kind)) throw new Error("it is of another kind");
    if (report.schema !== 1) throw new Error(`its schema is ${String(report.schema)}, and this page reads 1`);
  } catch (error) {
    document.body.append(h("p", { class: "empty" }, `This report cannot be read: ${error instanceof Error ? error.message : String(error)}`));
    document.body.dataset["ready"] = "failed";
    return;
  }
  new Page(report);
}

start();
