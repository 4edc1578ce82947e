"""Benchmarks of the simulator against torch in the same run: ``make bench``.

Single thread, CPU time, medians of interleaved runs, results checked once. Prints a table, writes JSON and a plot
into benchmarks/results. A target that is not met is said, not an error: the machine may be another one.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path[:1] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "src")]

import harness  # noqa: E402  (first: sets the number of threads)
import report  # noqa: E402
from programs import all_benchmarks  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="few rounds, small sizes: does everything still run?"
    )
    parser.add_argument("--rounds", type=int, help="counted runs of each (default 7; 2 with --quick)")
    parser.add_argument("--only", help="those whose label contains this")
    parser.add_argument("--no-files", action="store_true", help="write no JSON and no plot")
    arguments = parser.parse_args()
    rounds = arguments.rounds or (2 if arguments.quick else 7)

    import torch

    torch.set_num_threads(1)
    chosen = [
        each
        for each in all_benchmarks(quick=arguments.quick)
        if not arguments.only or arguments.only in each.label
    ]
    figures = []
    if not arguments.only or arguments.only in "import ttl":
        figures.append(harness.import_time(rounds=max(3, rounds)))
    figures += harness.measure(chosen, rounds=rounds, progress=_say)
    _say("")
    print(report.table(figures))
    if not arguments.no_files:
        facts = report.environment()
        path = report.write_json(figures, facts)
        plot = report.write_plot(figures, facts, path.with_suffix(".png"))
        print(
            f"\nwritten: {path}" + (f", {plot.name}" if plot else " (no plot: matplotlib is not installed)")
        )
    return 0


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
