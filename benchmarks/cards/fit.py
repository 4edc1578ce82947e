"""Set costs with the published rows of one side of the split: in stages, each with the families that a cost shows in.

    python benchmarks/cards/fit.py swapped [--write FILE]
    python benchmarks/cards/fit.py first --begin FILE [--write FILE]

Every cost of a stage is moved by 4, 2 and 1 steps for as long as what the stage looks at gets smaller: the mean error of its families, or
what their passes take beside their tiles. Prints what it found; which of it a chip's record gets is written there by hand, with the family
as its source.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import sys
from pathlib import Path
from typing import Literal

import run

Costs = dict[str, dict[str, int]]
Aim = Literal["error", "begin"]
BOTH = ("blackhole", "wormhole")
# Not of a stage: what the tables say by themselves. In MB5.B sums take 25 + 25 / c cycles a tile in sections of c, where the packer is
# what they wait for: pack_narrow, acquire and release; products 82.4 + 13 / c, where it is the mathematics: acquire and commit.
# In MB5.A copies take 38.5 + 11 / c where they wait for the unpacker (unpack_one, unpack_section), no less than 50 for a section of one
# (pack_narrow, acquire and release), and 43 + 27 / c with one section for all of DST, in which nothing overlaps but the unpacker;
# with the exponential 604 a tile, of which 18 are the copy (``vector.exp``).
# Of each side: chips, cost, step; and the families. What both chips have is one number; so is what only a family of one of them shows.
# MB2 on Wormhole packs every contribution onto L1, and shows pack_narrow and pack_accumulate as a sum: the second stays 0 on that side.
# A constant of each pass hardly shows in the error of passes of up to 176 tiles, which is that of their slopes, and rows of one pass have
# the profiler's zone in them, too. So it is what a straight line through passes of 8 to 64 tiles, 128 of each, has at no tile at all.
STAGES: dict[str, tuple[tuple[tuple[tuple[tuple[str, ...], str, int], ...], tuple[str, ...], Aim], ...]] = {
    "first": (
        (
            (
                (BOTH, "unpack_one", 1), (("blackhole",), "hand_over", 2), (BOTH, "unpack_section", 1),
                (BOTH, "unpack_two", 2), (BOTH, "unpack_transpose", 1), (BOTH, "math_transpose", 1),
                (("blackhole",), "pack_wide", 1),
            ),
            ("MB1 BH", "MB5.B BH"),
            "error",
        ),
        (((("wormhole",), "pack_narrow", 1), (("wormhole",), "hand_over", 2)), ("MB1 WH",), "error"),
        (
            (
                (BOTH, "math_reuse", 2), (BOTH, "pack_accumulate", 1), (BOTH, "movers_start", 20), (BOTH, "first_use", 20),
            ),
            ("MB2 BH",),
            "error",
        ),
        (
            tuple((("blackhole",), f"vector.{name}", 8) for name in ("exp", "recip", "sqrt", "rsqrt")),
            ("MB4 BH",),
            "error",
        ),
    ),
    "swapped": (
        (((BOTH, "hand_over", 1),), ("MB5.A self BH",), "begin"),
        (((BOTH, "commit", 1),), ("MB5.A self BH",), "error"),
        (
            (
                (BOTH, "math_reuse", 2), (("wormhole",), "pack_narrow", 1), (BOTH, "movers_start", 20), (BOTH, "first_use", 20),
            ),
            ("MB2 WH",),
            "error",
        ),
    ),
}  # fmt: skip


def _off(costs: Costs, families: tuple[str, ...], aim: Aim) -> float:
    """What a stage makes small: a mean error in percent, or a mean difference in nanoseconds."""
    run.programs.use(costs)
    if aim == "error":
        found = run.by_family(run.measured(families))
        return statistics.fmean(run.errors(rows).mean for rows in found.values())
    lines: dict[object, list[tuple[int, float]]] = {}
    for row in run.published.rows():
        tiles = int(row.get("tiles", "0"))
        if row.family in families and 8 <= tiles <= 64 and row.get("iters", "128") == "128":
            key = row.at["sync"], row.at["c"]
            lines.setdefault(key, []).append((tiles, run.programs.measure(row) - row.value))
    return statistics.fmean(
        abs(statistics.linear_regression(*zip(*line)).intercept) for line in lines.values()
    )


def _in_a_process(costs: Costs, families: tuple[str, ...], aim: Aim) -> float:
    # A chip keeps its costs as long as its process lasts.
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_off, (costs, families, aim))


def fitted(side: str, begin: Costs) -> Costs:
    """The costs after all stages of a side, from some to begin with."""
    costs = {chip: dict(numbers) for chip, numbers in begin.items()}
    for parameters, families, aim in STAGES[side]:
        best = _in_a_process(costs, families, aim)
        for size in (4, 2, 1):
            moved = True
            while moved:
                moved = False
                for chips, name, step in parameters:
                    for sign in (1, -1):
                        trial = {chip: dict(numbers) for chip, numbers in costs.items()}
                        for chip in chips:
                            trial[chip][name] = max(0, trial[chip][name] + sign * step * size)
                        error = _in_a_process(trial, families, aim)
                        if error < best - 0.005:
                            costs, best, moved = trial, error, True
                            break
            print(
                f"{', '.join(families)}, {aim}: steps of {size}: {best:.2f}  {json.dumps(costs)}",
                file=sys.stderr,
                flush=True,
            )
    return costs


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("side", choices=sorted(STAGES))
    parser.add_argument(
        "--begin",
        type=Path,
        default=run.SWAPPED,
        help="JSON: begin, the costs to begin with by chip and name",
    )
    parser.add_argument("--write", type=Path, help="write them there")
    arguments = parser.parse_args()
    begin = json.loads(arguments.begin.read_text(encoding="utf-8"))["begin"]
    text = json.dumps({"begin": begin, "costs": fitted(arguments.side, begin)}, indent=1) + "\n"
    print(text)
    if arguments.write:
        arguments.write.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
