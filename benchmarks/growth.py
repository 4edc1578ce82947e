"""How the time of a launch grows: with the grid, blocks per node, tensor size, number of pipes: ``make growth``.

Fits an exponent to the upper half of every curve, the slope of log time against log number of events, and calls
a curve superlinear whose slope is above 1.15; that ends the run with status 1. Prints a table and writes a JSON file.
With --docs it writes the plots and sentences of docs/guides/performance.md anew.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import importlib
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER), str(_FOLDER / "programs"), str(_FOLDER.parent / "src")]

import torch
from ttl import settings
from ttl.session import switches

import launching
import report
from curves import ARCH, Curve, curves

ASSETS = report.DOCS / "assets"
PAGE = report.DOCS / "guides" / "performance.md"

SUPERLINEAR = 1.15
_SAMPLE_SECONDS = 0.01
_MOST_LAUNCHES = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Growth:
    """A curve as measured: CPU time per launch in milliseconds, median, at every point."""

    curve: Curve
    ms: list[float]

    @property
    def slope(self) -> float:
        """The exponent of the upper half of the points."""
        upper = len(self.ms) // 2
        return fit([point.events for point in self.curve.points[upper:]], self.ms[upper:])[0]

    @property
    def superlinear(self) -> bool:
        """Whether it grows faster than a measurement of a straight line may seem to."""
        return self.slope > SUPERLINEAR

    def to_object(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "name": self.curve.name,
            "title": self.curve.title,
            "events": [point.events for point in self.curve.points],
            "unit": self.curve.events,
            "ms": self.ms,
            "slope": self.slope,
            "superlinear": self.superlinear,
        }


def fit(events: Sequence[float], times: Sequence[float]) -> tuple[float, float]:
    """Slope and intercept of log time against log number, least squares."""
    x = [math.log(each) for each in events]
    y = [math.log(each) for each in times]
    slope, intercept = statistics.linear_regression(x, y)
    return slope, intercept


def measure(curve: Curve, *, rounds: int) -> Growth:
    """All points take turns, so that a busy machine does not bend the curve. Raises when a result is wrong."""
    module = importlib.import_module(curve.program)
    runs: list[tuple[Callable[[], object], int]] = []
    for point in curve.points:
        program = module.prepare(**point.parameters)
        error = program.error()
        if error > launching.TOLERANCE:
            raise AssertionError(f"{curve.name}, {point.parameters}: wrong by {error:.1e}")
        took = _timed(program.run, 1)
        runs.append((program.run, min(max(math.ceil(_SAMPLE_SECONDS / took), 1), _MOST_LAUNCHES)))
    samples: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for found, (run, launches) in zip(samples, runs):
            found.append(_timed(run, launches) * 1e3)
    return Growth(curve=curve, ms=[statistics.median(found) for found in samples])


def table(growths: Sequence[Growth]) -> str:
    """One row per curve."""
    rows = [["", "from", "to", "", "ms", "to ms", "slope", ""]]
    for growth in growths:
        first, last = growth.curve.points[0].events, growth.curve.points[-1].events
        rows.append(
            [
                growth.curve.title,
                str(first),
                str(last),
                growth.curve.events,
                f"{growth.ms[0]:.2f}",
                f"{growth.ms[-1]:.2f}",
                f"{growth.slope:.2f}",
                "SUPERLINEAR" if growth.superlinear else "",
            ]
        )
    return report.aligned(rows)


def plot(growth: Growth, path: Path) -> None:
    """Points and the fitted line, both axes logarithmic; as SVG that is the same for the same figures."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = growth.curve.name
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot
    from matplotlib.ticker import NullFormatter

    events = [point.events for point in growth.curve.points]
    upper = len(events) // 2
    slope, intercept = fit(events[upper:], growth.ms[upper:])
    figure, axes = pyplot.subplots(figsize=(5, 3.2), layout="constrained")
    axes.plot(events, growth.ms, "o", markersize=4)
    axes.plot(
        events[upper:],
        [math.exp(intercept + slope * math.log(each)) for each in events[upper:]],
        linewidth=1.2,
        label=f"slope {slope:.2f}",
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(growth.curve.events)
    axes.set_ylabel("ms per launch")
    axes.set_title(growth.curve.title, fontsize=9)
    axes.legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def documentation(growths: Sequence[Growth], facts: dict[str, Any]) -> str:
    """The generated part of the page."""
    lines = [
        f"Measured with version {facts['ttl']}, {facts['core']}, Python {facts['python']}, one thread of "
        f"{facts['processor']}.",
    ]
    for growth in growths:
        slope = f"**{growth.slope:.2f}**" + (" (superlinear)" if growth.superlinear else "")
        lines += [
            "",
            growth.curve.sentence.format(slope=slope),
            "",
            f"![{growth.curve.title}: ms per launch against {growth.curve.events}](../assets/{_file(growth)})",
        ]
    return "\n".join(lines)


def write_documentation(growths: Sequence[Growth], facts: dict[str, Any]) -> None:
    """Plots into docs/assets, sentences between the marks of the page."""
    ASSETS.mkdir(parents=True, exist_ok=True)
    for growth in growths:
        plot(growth, ASSETS / _file(growth))
    report.write_between(PAGE, "growth", documentation(growths, facts))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the smallest sizes: does everything still run?")
    parser.add_argument("--rounds", type=int, default=5, help="samples of every point (default 5)")
    parser.add_argument("--only", action="append", default=[], help="curves whose name contains this")
    parser.add_argument("--docs", action="store_true", help="write the page and its plots anew")
    parser.add_argument("--no-files", action="store_true", help="write no JSON")
    arguments = parser.parse_args()
    if arguments.docs and (arguments.quick or arguments.only):
        parser.error("--docs is of all curves at full size")

    torch.set_num_threads(1)
    growths = []
    with settings.override(arch=ARCH, **_one_thread()):
        for curve in curves(quick=arguments.quick):
            if not arguments.only or any(part in curve.name for part in arguments.only):
                growths.append(measure(curve, rounds=arguments.rounds))
    print(table(growths))
    facts = report.environment()
    if not arguments.no_files:
        print(f"\nwritten: {_write_json(growths, facts)}")
    if arguments.docs:
        write_documentation(growths, facts)
        print(f"written: {PAGE}, {len(growths)} plots in {ASSETS}")
    bad = [growth.curve.name for growth in growths if growth.superlinear and not arguments.quick]
    return 1 if bad else 0


def _one_thread() -> dict[str, Any]:
    try:
        switches.setting("threads")
    except KeyError:
        return {}
    return {"threads": 1}


def _file(growth: Growth) -> str:
    return f"growth-{growth.curve.name}.svg"


def _write_json(growths: Sequence[Growth], facts: dict[str, Any]) -> Path:
    report.RESULTS.mkdir(parents=True, exist_ok=True)
    path = report.RESULTS / f"growth-{facts['time'].replace(':', '-').removesuffix('+00-00')}.json"
    content = {"schema": 1, "environment": facts, "curves": [growth.to_object() for growth in growths]}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def _timed(run: Callable[[], object], launches: int) -> float:
    began = time.thread_time()
    for _ in range(launches):
        run()
    return (time.thread_time() - began) / launches


if __name__ == "__main__":
    sys.exit(main())
