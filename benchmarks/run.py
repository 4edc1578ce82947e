"""Benchmarks of the simulator against torch in the same run: ``make bench``.

Every program has a process of its own, where ours and torch take turns; medians. Prints tables, writes JSON and a plot
into benchmarks/results. A target that is not met is said, not an error: the machine may be another one. A result that
is wrong ends the run with status 1.

The variable TTL_BENCH_PEER names a command under which the same programs run, each as ``command program.py``:
another TT-Lang package, for comparison. What it fails at is said in its row.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "src")]

import checking
import peak

import peer
import report
import startup
from cases import Case, cases
from figures import Figure

_STARTS, _CHECKS = "start-up", "checking"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="few rounds, small sizes: does everything still run?"
    )
    parser.add_argument("--rounds", type=int, help="samples of each (default 9; 2 with --quick)")
    parser.add_argument("--seconds", type=float, default=30.0, help="of samples per row at most (default 30)")
    parser.add_argument(
        "--only", action="append", default=[], help="rows whose label contains this (may be repeated)"
    )
    parser.add_argument("--peer-seconds", type=float, default=300.0, help="time limit of a row of the peer")
    parser.add_argument("--no-files", action="store_true", help="write no JSON and no plot")
    parser.add_argument(
        "--docs",
        action="store_true",
        help="keep the rows in benchmarks/machines and write docs/reference/performance.md anew",
    )
    arguments = parser.parse_args()
    if arguments.docs and arguments.quick:
        parser.error("--docs is of rows at full size")
    rounds = arguments.rounds or (2 if arguments.quick else 9)

    chosen = [each for each in cases(quick=arguments.quick) if _wanted(each.label, arguments.only)]
    words, peaks = peer.command(), peak.measure()
    facts = {**report.environment(), "peaks": peaks}
    print(f"{facts['processor']}, {facts['core']}; {peak.words(peaks)}", end="\n\n")
    figures = []
    for number, case in enumerate(chosen):
        _say(f"{number + 1} of {len(chosen)}: {case.label}")
        figures.append(
            measure(
                case,
                rounds=rounds,
                seconds=arguments.seconds,
                peak_gflops=peak.of_products(peaks),
                words=words,
                peer_seconds=arguments.peer_seconds,
            )
        )
    starts = startup.measure(rounds=max(3, rounds)) if _wanted(_STARTS, arguments.only) else []
    checks = checking.measure(rounds=max(3, rounds)) if _wanted(_CHECKS, arguments.only) else []
    _say("")
    if figures:
        print(report.table(figures), end="\n\n")
    if starts:
        print(report.starts_table(starts), end="\n\n")
    if checks:
        print(report.starts_table(checks), end="\n\n")
    print(report.summary(figures, [*starts, *checks]))
    if arguments.docs and not any(figure.wrong for figure in figures):
        print(
            f"\nwritten: {report.write_documentation(figures, starts, facts, checks=checks)}, {report.PAGE}"
        )
    if not arguments.no_files:
        path = report.write_json(figures, starts, facts, checks=checks)
        plot = report.write_plot(figures, facts, path.with_suffix(".png")) if figures else None
        print(f"\nwritten: {path}" + (f", {plot.name}" if plot else " (no plot)"))
    return 1 if any(figure.wrong for figure in figures) else 0


def measure(
    case: Case,
    *,
    rounds: int,
    seconds: float,
    peak_gflops: float | None,
    words: list[str] | None,
    peer_seconds: float,
) -> Figure:
    """One row: ours and torch in a process of their own, then the peer, if there is one."""
    wanted = {
        "case": case.to_object(),
        "rounds": min(rounds, case.rounds or rounds),
        "seconds": seconds,
    }
    worker = str(Path(__file__).parent / "worker.py")
    done = subprocess.run([sys.executable, worker, json.dumps(wanted)], capture_output=True, text=True)
    theirs = None if words is None else peer.measure(case, words, seconds=peer_seconds)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
        return Figure(case=case, failure=f"status {done.returncode}: {said}", peer=theirs)
    found = json.loads(done.stdout.splitlines()[-1])
    return Figure(case=case, found=found, peer=theirs, peak_gflops=peak_gflops)


def _wanted(label: str, only: list[str]) -> bool:
    return not only or any(part in label for part in only)


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
