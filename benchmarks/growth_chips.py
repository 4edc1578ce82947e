"""How long reading and checking a program takes with the number of equal chips, 2 to 1,024: ``make growth``.

A halo exchange over a mesh and a ring all-gather, over graphs (a device domain) and with their pipes in a list (a grid of four
extents). CPU time of this process, the least of several rounds. Over graphs it is flat: more than 1.3 times the time of 8 chips
for any larger number ends the run with status 1. A list of pipes is made by the program's own Python, so that reading it grows
with its length; what the checks take beside that has to be flat as well, but for what asks for each entry of the list once.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER), str(_FOLDER.parent / "tests"), str(_FOLDER.parent / "src")]

import ttl  # noqa: F401 - lets the host library be imported
from ttl.check.module import check_module
from ttl.diag import Severity
from ttl.frontend.live import lower_call

from support.meshes import called, gather, graph_gather, graph_halo, halo

FLAT = 1.3
MESHES = ((1, 2), (2, 4), (4, 8), (8, 16), (32, 32))
_FROM = 1
"""The size that the larger ones are compared with: 8 chips."""
PROGRAMS: dict[str, Callable[[int, int], tuple[str, tuple[int, int]]]] = {
    "halo exchange, graph": lambda rows, columns: (graph_halo(rows, columns), (rows, columns)),
    "ring all-gather, graph": lambda rows, columns: (graph_gather(rows * columns), (1, rows * columns)),
    "halo exchange, list": lambda rows, columns: (halo(rows, columns), (rows, columns)),
    "ring all-gather, list": lambda rows, columns: (gather(rows * columns), (1, rows * columns)),
}


def seconds(text: str, mesh: tuple[int, int], rounds: int) -> tuple[float, float]:
    """CPU seconds of reading and of checking a program. Raises AssertionError where it is wrong, or not looked at to its end."""
    best = (float("inf"), float("inf"))
    with called(text, mesh, rows=mesh[0] * mesh[1] + 16) as (operation, tensors):
        for _ in range(rounds):
            not_checked: list[str] = []
            began = time.process_time()
            lowered = lower_call(operation, tensors, {})
            read = time.process_time()
            found = check_module(lowered.module, not_checked=not_checked)
            done = time.process_time()
            assert not any(item.severity is Severity.ERROR for item in (*lowered.diagnostics, *found))
            assert not not_checked, not_checked
            best = min(best[0], read - began), min(best[1], done - read)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="samples of every point (default 7)")
    rounds = parser.parse_args().rounds
    bad = 0
    print(
        "| program | chips | reading, ms | checks, ms | times that of 8 chips |",
        "| --- | --- | --- | --- | --- |",
        sep="\n",
    )
    for title, program in PROGRAMS.items():
        seconds(*program(2, 2), 1)  # what is imported, and made once
        times = [seconds(*program(*mesh), rounds) for mesh in MESHES]
        base = sum(times[_FROM])
        for (rows, columns), (read, check) in zip(MESHES, times, strict=True):
            ratio = (read + check) / base
            bad += "graph" in title and rows * columns > 8 and ratio > FLAT
            print(
                f"| {title} | {rows * columns} | {read * 1e3:.1f} | {check * 1e3:.1f} | {ratio:.2f} |",
                flush=True,
            )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
