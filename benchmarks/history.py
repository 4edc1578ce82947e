"""The ratios that matter, one small file for each release: ``benchmarks/history/VERSION.json``.

    python benchmarks/history.py --record 0.2.0 --suite-minutes 9.7     measure, and write the file of a version
    python benchmarks/history.py                                        print the table of all versions

Every ratio is measured several times; the file has the median, and the lowest and highest value as what the machine did to it.
Times are CPU times, which other work on a machine changes less than the clock's. Those that depend on the processor are divided
by what a fixed piece of plain Python takes on it (``yardstick``), so that versions measured on different machines can be
compared. The minutes of the test suite are what ``make test`` printed on an idle machine; without ``--suite-minutes`` the file
has none. The page docs/reference/history.md draws all files when the documentation is built.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "benchmarks" / "history"
HERE = "<!-- the history goes here -->"
"""The place on the page that the table and the drawing take."""
PROGRAMS = (
    "eltwise a*b+c 2048, 2x2",
    "matmul 1024, 4x4x4",
    "multicast 1024, 4x4x4",
    "softmax 2048, 1x64",
    "layernorm 2048x1024, 1x32",
    "flash attention 8x1024x64, 4x4",
)
"""The rows of ``benchmarks/run.py`` whose ratio to torch is kept: one of each kind."""

sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "src"), str(ROOT / "tests")]


def yardstick() -> float:
    """CPU milliseconds of a piece of plain Python: what a processor and its interpreter are worth today."""

    def work() -> int:
        table: dict[int, int] = {}
        for number in range(200_000):
            table[number % 977] = table.get(number % 977, 0) + number * number % 7
        return sum(table.values())

    samples = []
    for _ in range(7):
        begun = time.process_time()
        work()
        samples.append((time.process_time() - begun) * 1e3)
    return statistics.median(samples)


def programs() -> dict[str, float]:
    """Geometric means over ``PROGRAMS`` of CPU time divided by torch's."""
    import run

    import cases

    ratios: dict[str, list[float]] = {"default": [], "replay": []}
    for case in cases.cases(quick=False):
        if case.label not in PROGRAMS:
            continue
        figure = run.measure(case, rounds=5, seconds=6.0, peak_gflops=None, words=None, peer_seconds=0.0)
        for mode, found in ratios.items():
            if (ratio := figure.ratio(mode)) is None:
                raise RuntimeError(f"{case.label}: {figure.wrong or figure.failure}")
            found.append(ratio)
    assert all(len(found) == len(PROGRAMS) for found in ratios.values())
    first, replayed = (math.exp(statistics.fmean(map(math.log, found))) for found in ratios.values())
    return {"programs": first, "replay": replayed}


def started() -> dict[str, float]:
    """CPU times of whole processes, in yardsticks: ``import ttl``, and ``ttl check`` of three examples in one file."""
    import checking

    import startup

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "three_operations.py"
        texts = [(checking.EXAMPLES / f"{name}.py").read_text("utf-8") for name in checking.TOGETHER]
        file.write_text("\n\n".join(texts), encoding="utf-8")
        commands = {"import": ["-c", "import ttl"], "check": ["-m", "ttl", "check", str(file)]}
        return {
            name: startup.start_of(name, command, None, 5).cpu_ms / yardstick()
            for name, command in commands.items()
        }


def typed() -> dict[str, float]:
    """CPU time of the language server for a keystroke, until its diagnostics are shown, in yardsticks."""
    import editor

    client = editor.Client()
    try:
        text = (ROOT / "examples" / "flash_attention.py").read_text(encoding="utf-8")
        editor.typing(client, text, "warm", 20)
        before = client.computed()
        editor.typing(client, text, "flash_attention", 100)
        return {"keystroke": (client.computed() - before) * 1e3 / 100 / yardstick()}
    finally:
        client.end()


def compiled() -> dict[str, float]:
    """CPU time from a PyTorch module of twelve layers to a file, divided by that of ``torch.export`` in it."""
    import torch
    import ttmlir_compile

    torch.set_num_threads(1)
    whole, exported = ttmlir_compile.model(12)
    return {"model": whole / exported}


def calibrated() -> dict[str, float]:
    """How far emulated cycles are from published measurements: the mean over the families of their mean error, in percent."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "errors.json"
        command = [sys.executable, str(ROOT / "benchmarks" / "cards" / "run.py"), "--keep", str(kept)]
        subprocess.run(command, check=True, capture_output=True)
        return {"calibration": statistics.fmean(row[0] for row in json.loads(kept.read_text()).values())}


REPEATED: tuple[Callable[[], dict[str, float]], ...] = (programs, started, typed, compiled)
EXACT: tuple[Callable[[], dict[str, float]], ...] = (calibrated,)
"""What gives the same ratio every time, and is measured once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """One ratio of the series; lower is better."""

    name: str
    title: str
    unit: str


MEASURES = (
    Measure(name="programs", title="programs, first calls", unit="times torch"),
    Measure(name="replay", title="programs, replayed calls", unit="times torch"),
    Measure(name="import", title="import ttl", unit="yardsticks"),
    Measure(name="check", title="ttl check, a whole process", unit="yardsticks"),
    Measure(name="keystroke", title="a keystroke in the editor", unit="yardsticks"),
    Measure(name="model", title="compiling a model", unit="times torch.export"),
    Measure(name="suite", title="the test suite", unit="minutes"),
    Measure(name="calibration", title="cycles against cards", unit="% mean error"),
)


def record(version: str, *, rounds: int, suite_minutes: float | None) -> dict[str, Any]:
    """Measure everything, and return what the file of a version holds."""
    import report

    load = [os.getloadavg()[0]]
    samples: defaultdict[str, list[float]] = defaultdict(list)
    for take in (*REPEATED * rounds, *EXACT):
        print(f"== {take.__name__}", flush=True)
        for name, value in take().items():
            samples[name].append(value)
        load.append(os.getloadavg()[0])
    ratios = {measure.name: _of(samples[measure.name]) for measure in MEASURES if samples[measure.name]}
    if suite_minutes is not None:
        ratios["suite"] = _of([suite_minutes])
    facts = report.environment()
    kept = ("commit", "core", "python", "numpy", "torch", "processor", "cores", "system")
    return {
        "version": version,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {
            **{name: facts[name] for name in kept},
            "yardstick_ms": round(yardstick(), 2),
            "load": [round(min(load), 1), round(max(load), 1)],
        },
        "ratios": ratios,
    }


def _of(samples: Sequence[float]) -> dict[str, float]:
    low, high = min(samples), max(samples)
    return {"median": _digits(statistics.median(samples)), "low": _digits(low), "high": _digits(high)}


def _digits(value: float) -> float:
    return float(f"{value:.3g}")


def versions() -> list[dict[str, Any]]:
    """What all files hold, the oldest version first."""
    return sorted(
        (json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")),
        key=lambda kept: _order(kept["version"]),
    )


def _order(version: str) -> tuple[list[int], bool, int]:
    """A version for sorting: 0.2.0.dev1 comes before 0.2.0."""
    final, _, before = version.partition(".dev")
    return [int(part) for part in final.split(".")], not before, int(before or 0)


def table(kept: Sequence[dict[str, Any]]) -> str:
    """The series in Markdown, a row for each ratio, a column for each version."""
    head = ["lower is better", "in", *(f"{each['version']}, {each['date']}" for each in kept)]
    rows = [head, ["---", "---", *("---:" for _ in kept)]]
    for measure in MEASURES:
        found = [each["ratios"].get(measure.name) for each in kept]
        rows.append([measure.title, measure.unit, *map(_cell, found)])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.append("")
    for each in kept:
        machine = each["machine"]
        low, high = machine["load"]
        busy = f"load {low:g} to {high:g} on {machine['cores']} cores"
        lines.append(
            f"- {each['version']}: {machine['processor']}, {busy} while it was measured; Python {machine['python']}, "
            f"torch {machine['torch']}; a yardstick was {machine['yardstick_ms']:g} ms."
        )
    return "\n".join(lines)


def _cell(ratio: dict[str, float] | None) -> str:
    if ratio is None:
        return "not measured"
    if ratio["low"] == ratio["high"]:
        return f"{ratio['median']:g}"
    return f"{ratio['median']:g} ({ratio['low']:g} to {ratio['high']:g})"


def drawing(kept: Sequence[dict[str, Any]]) -> str:
    """The series as an SVG: a small chart for each ratio, with bars from the lowest to the highest sample."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "history"
    from matplotlib import pyplot

    figure, charts = pyplot.subplots(2, 4, figsize=(12, 5.2), layout="constrained")
    names = [each["version"] for each in kept]
    for chart, measure in zip(charts.flat, MEASURES, strict=True):
        places = [place for place, each in enumerate(kept) if measure.name in each["ratios"]]
        ratios = [kept[place]["ratios"][measure.name] for place in places]
        middle = [ratio["median"] for ratio in ratios]
        below = [ratio["median"] - ratio["low"] for ratio in ratios]
        above = [ratio["high"] - ratio["median"] for ratio in ratios]
        chart.errorbar(places, middle, yerr=[below, above], marker="o", capsize=4, color="#3f51b5")
        chart.set_title(measure.title, fontsize=9)
        chart.set_ylabel(measure.unit, fontsize=8)
        chart.set_xticks(range(len(names)), names, fontsize=8)
        chart.set_xlim(-0.5, len(names) - 0.5)
        chart.set_ylim(0, 1.15 * max((ratio["high"] for ratio in ratios), default=1.0))
        chart.tick_params(axis="y", labelsize=8)
        chart.grid(axis="y", alpha=0.3)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return text.getvalue()


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", metavar="VERSION", help="measure, and write the file of this version")
    parser.add_argument("--suite-minutes", type=float, help="what 'make test' took on an idle machine")
    parser.add_argument("--rounds", type=int, default=3, help="samples of each ratio (default 3)")
    arguments = parser.parse_args()
    if arguments.record:
        if not re.fullmatch(r"\d+(\.\d+)*(\.dev\d+)?", arguments.record):
            parser.error(f"{arguments.record} is not a version such as 0.2.0 or 0.2.0.dev1")
        kept = record(arguments.record, rounds=arguments.rounds, suite_minutes=arguments.suite_minutes)
        FOLDER.mkdir(exist_ok=True)
        path = FOLDER / f"{arguments.record}.json"
        path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        print(f"written: {path.relative_to(ROOT)}")
    print(table(versions()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
