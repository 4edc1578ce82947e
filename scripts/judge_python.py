"""Random Python in kernels, judged by CPython: ``python scripts/judge_python.py --programs 10000 --shrink``.

Programs are made from seeds, run by CPython for every node, read by the front end, and compared: see tests/python_semantics. Exit code 1
when one of them does something else than CPython, does not end, or ends in an internal error.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]

from python_semantics.campaign import campaign, shrunk  # noqa: E402
from python_semantics.judge import Judgement, judged, shares  # noqa: E402
from support.random_programs.python.shrinking import generated  # noqa: E402


def main() -> int:
    arguments = _parser().parse_args()
    without = tuple(arguments.without)
    if arguments.show is not None:
        judgement = judged(generated(arguments.show, without))
        print(judgement)
        return judgement.is_wrong
    began = time.process_time()
    seeds = range(arguments.first, arguments.first + arguments.programs)
    parts = [seeds[start : start + 250] for start in range(0, len(seeds), 250)]
    work = [(part, arguments.share, without) for part in parts]
    if arguments.processes > 1:
        with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
            done = [each for part in pool.imap_unordered(_part, work) for each in part]
    else:
        done = [each for one in work for each in _part(one)]
    print(shares(done), f"\n{time.process_time() - began:.0f} s of this process")
    for code in arguments.refused:
        for each in [one for one in done if code in one.codes][: arguments.most]:
            print(f"\n=== {each.program.name}", each.text, sep="\n")
    wrong = [each for each in done if each.is_wrong]
    for each in wrong[: arguments.most]:
        shown = shrunk(each, without=without) if arguments.shrink else each
        print(f"\n=== {each.program.name}: {shown}", flush=True)
    return 1 if wrong else 0


def _part(work: tuple[range, int, tuple[str, ...]]) -> list[Judgement]:
    import multiprocessing

    # A process of a pool may start none of its own unless it is told so: that of the chip.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    seeds, share, without = work
    return list(campaign(seeds, share=share, without=without))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Random Python in kernels, judged by CPython.")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first program")
    parser.add_argument(
        "--share", type=int, default=0, help="one of so many runs on the emulated chip; 0: none, 1: all"
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--shrink", action="store_true", help="show the smallest program for each fault")
    parser.add_argument("--most", type=int, default=20, help="how many are shown")
    parser.add_argument(
        "--refused", nargs="*", default=[], metavar="CODE", help="show programs refused with these codes"
    )
    parser.add_argument(
        "--without",
        nargs="*",
        default=[],
        metavar="FORM",
        help="leave out what is known: either, match, while",
    )
    parser.add_argument("--show", type=int, metavar="SEED", help="judge one program, and show it")
    return parser


if __name__ == "__main__":
    sys.exit(main())
