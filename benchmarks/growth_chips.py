"""How long reading and checking a program takes with the number of equal chips, 2 to 1,024: ``make growth``.

A halo exchange over a mesh and a ring all-gather, over graphs (a device domain) and with their pipes in a list that the body
makes (a grid of four extents), on more chips and on more nodes of each chip. CPU time of this process, the least of several
rounds. Over graphs it is flat: more than 1.3 times the time of 8 chips for any larger number ends the run with status 1. A
list of pipes is made by the program's own Python, so that reading it grows with its length, and no faster: more than 1.3 times
as much for each node ends the run with status 1 as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER), str(_FOLDER.parent / "tests"), str(_FOLDER.parent / "src")]

import ttl  # noqa: F401 - lets the host library be imported
from ttl.check.module import check_module
from ttl.diag import Severity
from ttl.frontend.live import lower_call

from support.meshes import called, graph_gather, graph_halo, halo

FLAT = 1.3
MESHES = ((1, 2), (2, 4), (4, 8), (8, 16), (32, 32))
NODES = ((1, 1), (2, 2), (4, 4), (8, 4), (8, 8))
"""Of each of 8 chips."""
_FROM = 1
"""The size that the larger ones are compared with: 8 chips, or four nodes on each."""
PROGRAMS: dict[str, list[tuple[int, str, tuple[int, int]]]] = {
    "halo exchange, graph": [(r * c, graph_halo(r, c), (r, c)) for r, c in MESHES],
    "ring all-gather, graph": [(r * c, graph_gather(r * c), (1, r * c)) for r, c in MESHES],
    "halo exchange, list": [(r * c, halo(r, c), (r, c)) for r, c in MESHES],
    "halo exchange of 8 chips, list": [(8 * x * y, halo(2, 4, x, y), (2, 4)) for x, y in NODES],
}
"""By title: the number of nodes, the program and its mesh."""


def seconds(text: str, mesh: tuple[int, int], rounds: int) -> tuple[float, float]:
    """CPU seconds of reading and of checking a program. Raises AssertionError where it is wrong, or not looked at to its end."""
    best = (float("inf"), float("inf"))
    with called(text, mesh, rows=mesh[0] * mesh[1] + 64) as (operation, tensors):
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
        "| program | nodes | reading, ms | checks, ms | times the second | most |",
        "| --- | --- | --- | --- | --- | --- |",
        sep="\n",
    )
    for title, sizes in PROGRAMS.items():
        seconds(*sizes[_FROM][1:], 1)  # what is imported, and made once
        times = [seconds(text, mesh, rounds) for _, text, mesh in sizes]
        base, nodes_of_base = sum(times[_FROM]), sizes[_FROM][0]
        for (nodes, _, _), (read, check) in zip(sizes, times, strict=True):
            ratio, most = (read + check) / base, FLAT
            if "list" in title:
                most *= nodes / nodes_of_base
            bad += nodes > nodes_of_base and ratio > most
            print(
                f"| {title} | {nodes:,} | {read * 1e3:.1f} | {check * 1e3:.1f} | {ratio:.2f} | {most:.1f} |",
                flush=True,
            )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
