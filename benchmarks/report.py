"""Showing figures: a table on the terminal, a JSON file, a plot."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness import ROOT, Figure

RESULTS = ROOT / "benchmarks" / "results"
SCHEMA = 1


def table(figures: Sequence[Figure]) -> str:
    """One row per figure: ours, torch's, the ratio, the target and whether it is met, memory."""
    rows = [("", "ttl ms", "fastest", "torch ms", "ratio", "target", "", "peak MiB")]
    for each in figures:
        rows.append(
            (
                each.label,
                f"{each.ms:.1f}",
                f"{each.fastest_ms:.1f}",
                "" if each.torch_ms is None else f"{each.torch_ms:.2f}",
                "" if each.ratio is None else f"{each.ratio:.1f}x",
                "" if each.target_ms is None else f"<= {each.target_ms:.0f} ms",
                {True: "met", False: "NOT MET", None: ""}[each.met],
                "" if each.peak_mib is None else f"{each.peak_mib:.1f}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    )


def environment() -> dict[str, Any]:
    """What the figures depend on."""
    import numpy
    import torch
    import ttl

    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "ttl": ttl.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "torch": torch.__version__,
        "torch threads": torch.get_num_threads(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
    }


def write_json(figures: Sequence[Figure], facts: dict[str, Any], folder: Path = RESULTS) -> Path:
    """Write all of it to a file named after the time."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{facts['time'].replace(':', '-').removesuffix('+00-00')}.json"
    content = {"schema": SCHEMA, "environment": facts, "figures": [each.to_object() for each in figures]}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def write_plot(figures: Sequence[Figure], facts: dict[str, Any], path: Path) -> Path | None:
    """Times of ours and torch's on one logarithmic axis, targets as ticks; None without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = list(reversed(figures))
    figure, axes = pyplot.subplots(figsize=(10, 0.45 * len(shown) + 1.5), layout="constrained")
    places = range(len(shown))
    axes.barh(
        [place + 0.2 for place in places], [each.ms for each in shown], height=0.4, label="ttl, simulated"
    )
    axes.barh(
        [place - 0.2 for place in places],
        [each.torch_ms or 0 for each in shown],
        height=0.4,
        label="torch, eager bfloat16",
    )
    targets = [(place, each.target_ms) for place, each in zip(places, shown) if each.target_ms is not None]
    axes.plot(
        [ms for _, ms in targets], [place + 0.2 for place, _ in targets], "k|", markersize=14, label="target"
    )
    axes.set_yticks(list(places), [each.label for each in shown])
    axes.set_xscale("log")
    axes.set_xlabel("CPU time of one thread, ms")
    axes.set_title(f"ttl {facts['ttl']}, commit {facts['commit']}, {facts['processor']}", fontsize=9)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path


def _commit() -> str:
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
