"""Showing figures: tables on the terminal, a JSON file, a plot."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import peak

from figures import Figure, Target
from startup import Start

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
# One file for each machine whose figures the page shows.
MACHINES = ROOT / "benchmarks" / "machines"
DOCS = ROOT / "docs"
PAGE = DOCS / "reference" / "performance.md"
PLOT = DOCS / "assets" / "benchmarks.svg"
SCHEMA = 2


def table(figures: Sequence[Figure]) -> str:
    """One row per figure. CPU time of one thread; with "2t", wall clock of two; "MiB" is beyond the tensors."""
    peers = any(figure.peer is not None for figure in figures)
    head = [
        "",
        "ttl ms",
        "ratio",
        "asked",
        "first ms",
        "of replay",
        "asked",
        "replay ms",
        "ratio",
        "asked",
        "torch ms",
        "of peak",
    ]
    rows = [[*head, "torch 2t", "ttl 2t", "speed-up", "MiB", *(["peer ms", "peer/ttl"] if peers else [])]]
    for figure in figures:
        targets = figure.targets
        row = [
            figure.case.label,
            _ms(figure.cpu_ms("default")),
            _times(figure.ratio("default")),
            _asked(targets.get("ratio") or targets.get("ms")),
            _ms(figure.cpu_ms("first")),
            _times(figure.first_ratio),
            _asked(targets.get("first ratio")),
            _ms(figure.cpu_ms("replay")),
            _times(figure.ratio("replay")),
            _asked(targets.get("replay ratio") or targets.get("replay ms")),
            _ms(figure.cpu_ms("torch")),
            _share(figure.share_of_peak),
            _ms(figure.wall_ms("torch 2")),
            _ms(figure.wall_ms("threads")),
            " ".join(filter(None, (_times(figure.speedup), _asked(targets.get("speedup"))))),
            " ".join(filter(None, (_number(figure.peak_mib), _exceeded(targets.get("peak MiB"))))),
        ]
        if peers:
            row += _peer(figure)
        rows.append(row)
    lines = [aligned(rows)]
    lines += [f"FAILED {figure.case.label}: {figure.wrong}" for figure in figures if figure.wrong]
    lines += [
        f"replay, {figure.case.label}: {reason}" for figure in figures for reason in figure.not_replayed
    ]
    lines += [
        f"peer, {figure.case.label}: {figure.peer.failure}"
        for figure in figures
        if figure.peer is not None and figure.peer.failure
    ]
    return "\n".join(lines)


def starts_table(starts: Sequence[Start]) -> str:
    """Start-up, or checking."""
    rows = [["", "CPU ms", "wall ms", "asked"]]
    for start in starts:
        asked = "" if start.asked_ms is None else f"<={start.asked_ms:g} {'met' if start.met else 'NOT MET'}"
        note = ", imports torch" if start.torch_imported else ""
        rows.append([start.label + note, _ms(start.cpu_ms), _ms(start.wall_ms), asked])
    return aligned(rows)


def summary(figures: Sequence[Figure], starts: Sequence[Start]) -> str:
    """How many of the targets that could be measured are met, and which are not."""
    states = [
        (
            f"{figure.case.label}: {name} {target.value:.2f}, asked {target.asked:g}"
            + (f" (known: {target.known_gap})" if target.known_gap else ""),
            target.met,
        )
        for figure in figures
        for name, target in figure.targets.items()
    ]
    states += [(start.label, bool(start.met)) for start in starts if start.met is not None]
    missed = [text for text, met in states if not met]
    lines = [f"{len(states) - len(missed)} of {len(states)} targets met"]
    return "\n".join([*lines, *(f"  NOT MET {text}" for text in missed)])


def environment() -> dict[str, Any]:
    """What the figures depend on."""
    import numpy
    import torch
    import ttl
    from ttl import settings

    current = settings.current()
    names = ("core", "executor", "isa", "pending_mb", "replay_check")
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "ttl": ttl.__version__,
        "core": _core(),
        "settings": {name: getattr(current, name) for name in names if hasattr(current, name)},
        "extensions": sorted(path.name for path in (ROOT / "src" / "ttl").glob("_*.so")),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "torch": torch.__version__,
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
    }


def write_json(
    figures: Sequence[Figure],
    starts: Sequence[Start],
    facts: dict[str, Any],
    folder: Path = RESULTS,
    *,
    checks: Sequence[Start] = (),
) -> Path:
    """Write all of it to a file named after the time."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{facts['time'].replace(':', '-').removesuffix('+00-00')}.json"
    content = {"schema": SCHEMA, "environment": facts, **_rows(figures, starts, checks)}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def _rows(
    figures: Sequence[Figure], starts: Sequence[Start], checks: Sequence[Start]
) -> dict[str, list[dict[str, Any]]]:
    return {
        "start": [start.to_object() for start in starts],
        "check": [check.to_object() for check in checks],
        "figures": [figure.to_object() for figure in figures],
    }


def write_documentation(
    figures: Sequence[Figure],
    starts: Sequence[Start],
    facts: dict[str, Any],
    *,
    checks: Sequence[Start] = (),
) -> Path:
    """Keep the rows in the file of this machine, in place of those with the same labels; then write the page anew."""
    path = MACHINES / f"{re.sub('[^a-z0-9]+', '-', facts['processor'].lower()).strip('-')}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    content: dict[str, Any] = {"schema": SCHEMA, "environment": facts}
    for part, rows in _rows(figures, starts, checks).items():
        by_label = {_label(row): row for row in [*before.get(part, []), *rows]}
        content[part] = list(by_label.values())
    MACHINES.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    write_page()
    return path


def _label(row: dict[str, Any]) -> str:
    return str(row["case"]["label"] if "case" in row else row["label"])


def write_page() -> None:
    """The tables of the page, one of every machine that has a file, those with the most rows first; the plot is of the first."""
    machines = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(MACHINES.glob("*.json"))]
    machines.sort(key=lambda machine: -len(machine["figures"]))
    first = machines[0]
    PLOT.parent.mkdir(parents=True, exist_ok=True)
    write_plot([Figure.from_object(row) for row in first["figures"]], first["environment"], PLOT)
    lines: list[str] = []
    for machine in machines:
        lines += [*_machine(machine), ""]
    name = first["environment"]["processor"]
    lines.append(f"![CPU time of every program as a multiple of torch's, {name}](../assets/benchmarks.svg)")
    write_between(PAGE, "benchmarks", "\n".join(lines))
    checked = [one for one in machines if one["check"]]
    if checked:
        newest = max(checked, key=lambda one: str(one["environment"]["time"]))
        facts = newest["environment"]
        said = (
            f"{facts['processor']}, Python {facts['python']}, load {facts['load']} when measured, "
            f"{facts['time'][:10]}."
        )
        rows = _starts_rows("checking", _starts(newest["check"]))
        write_between(PAGE, "checking", "\n".join([said, "", *rows]))


def _starts(rows: Sequence[dict[str, Any]]) -> list[Start]:
    return [Start(**{name: value for name, value in row.items() if name != "met"}) for row in rows]


def _machine(machine: dict[str, Any]) -> list[str]:
    facts = machine["environment"]
    limits = peak.words(facts.get("peaks", {}))
    lines = [
        f"### {facts['processor']}",
        "",
        f"Version {facts['ttl']}, {facts['core']}, Python {facts['python']}, NumPy {facts['numpy']}, "
        f"torch {facts['torch']}, {facts['cores']} cores, load {facts['load']} when measured, {facts['time'][:10]}."
        + (f" One core reaches at most: {limits}." if limits else ""),
        "",
        "| program | ttl, ms | ratio | first, ms | of replay | replay, ms | ratio | torch, ms | of peak | memory, MiB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in machine["figures"]:
        figure = Figure.from_object(row)
        targets = figure.targets
        cells = (
            figure.case.label,
            _with(_ms(figure.cpu_ms("default")), targets.get("ms")),
            _with(_times(figure.ratio("default")), targets.get("ratio")),
            _ms(figure.cpu_ms("first")),
            _with(_times(figure.first_ratio), targets.get("first ratio")),
            _with(_ms(figure.cpu_ms("replay")), targets.get("replay ms")),
            _with(_times(figure.ratio("replay")), targets.get("replay ratio")),
            _ms(figure.cpu_ms("torch")),
            _share(figure.share_of_peak),
            _number(figure.peak_mib),
        )
        lines.append(f"| {' | '.join(cells)} |")
    if machine["start"]:
        lines += ["", *_starts_rows("start-up, fresh interpreter", _starts(machine["start"]))]
    return lines


def _starts_rows(title: str, starts: Sequence[Start]) -> list[str]:
    """A table of Markdown, what is asked for in parentheses."""
    rows = [f"| {title} | CPU, ms |", "| --- | ---: |"]
    for start in starts:
        asked = "" if start.asked_ms is None else f" ({start.asked_ms:g})"
        rows.append(f"| {start.label} | {_ms(start.cpu_ms)}{asked} |")
    return rows


def write_between(page: Path, name: str, text: str) -> None:
    """Put ``text`` between the marks ``name`` of a page. Raises ``ValueError`` where there are none."""
    begin, end = f"<!-- {name}: generated -->", f"<!-- end of {name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page} has no marks {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def write_plot(figures: Sequence[Figure], facts: dict[str, Any], path: Path) -> Path | None:
    """Ratios to torch on one logarithmic axis, what was asked for as ticks; None without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = path.stem
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot

    shown = [figure for figure in reversed(figures) if figure.ratio("default") is not None]
    places = range(len(shown))
    figure, axes = pyplot.subplots(figsize=(10, 0.42 * len(shown) + 1.5), layout="constrained")
    modes = (
        ("default", "ratio", 0.2, "ttl"),
        ("replay", "replay ratio", -0.2, "ttl, replay"),
    )
    for mode, target, shift, label in modes:
        axes.barh(
            [place + shift for place in places],
            [each.ratio(mode) or 0 for each in shown],
            height=0.38,
            label=label,
        )
        asked = [
            (place + shift, each.targets[target].asked)
            for place, each in zip(places, shown)
            if target in each.targets
        ]
        axes.plot(
            [value for _, value in asked],
            [place for place, _ in asked],
            "k|",
            markersize=12,
            label="asked for" if mode == "default" else None,
        )
    if any(each.peer and each.peer.ms for each in shown):
        found = [
            (place, each.peer.ms / (each.cpu_ms("torch") or 1))
            for place, each in zip(places, shown)
            if each.peer and each.peer.ms
        ]
        axes.plot([ratio for _, ratio in found], [place for place, _ in found], "x", label="peer")
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set_yticks(list(places), [each.case.label for each in shown])
    axes.set_xscale("log")
    least = min((ratio for each in shown for mode, *_ in modes if (ratio := each.ratio(mode))), default=1)
    axes.set_xlim(left=min(0.5, 0.8 * least))
    axes.margins(y=0.01)
    axes.set_xlabel("CPU time on one thread as a multiple of torch's (eager bfloat16)")
    axes.set_title(f"ttl {facts['ttl']}, commit {facts['commit']}, {facts['processor']}", fontsize=9)
    figure.legend(loc="outside lower center", ncols=4, fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
    return path


def _peer(figure: Figure) -> list[str]:
    if figure.peer is None:
        return ["", ""]
    if figure.peer.ms is None:
        return ["failed", ""]
    own = figure.cpu_ms("default")
    return [_ms(figure.peer.ms), _times(figure.peer.ms / own if own else None)]


def _ms(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.3f}"


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}x" if value >= 10 else f"{value:.2f}x"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _with(text: str, target: Target | None) -> str:
    return text if target is None else f"{text} ({target.asked:g})"


def _asked(target: Target | None) -> str:
    if target is None:
        return ""
    sign = ">=" if target.larger_is_better else "<="
    missed = "KNOWN GAP" if target.known_gap else "NOT MET"
    return f"{sign}{target.asked:g} {'met' if target.met else missed}"


def _exceeded(target: Target | None) -> str:
    return "" if target is None or target.met else f"NOT MET <={target.asked:g}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows as columns, the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    )


def _core() -> str:
    """Which core launches run on, in words."""
    from ttl import native, settings
    from ttl.sim.native.instruction_sets import instruction_set

    current = settings.current()
    if not native.available() or current.core == "python":
        return "Python core"
    if current.executor == "numpy":
        return "native core, NumPy executor"
    return f"native core, {instruction_set(current)}"


def _commit() -> str:
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def processor() -> str:
    """Its name, with the numbers that tell processors of one name apart where Linux gives them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    facts = {
        name.strip(): value.strip() for name, _, value in (line.partition(":") for line in reversed(lines))
    }
    if "model name" not in facts:
        return platform.processor() or platform.machine()
    return f"{facts['model name']} (family {facts.get('cpu family')}, model {facts.get('model')})"
