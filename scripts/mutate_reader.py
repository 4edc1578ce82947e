"""Mutants of the reader of kernels: ``python scripts/mutate_reader.py --mutants 100 --keep``.

Takes mutants at random, and looks for a program of tests/python_semantics that shows each: what CPython does is not what is read, or it
is not read any more. Prints those that nothing shows. With --keep, up to 66 that are shown are written to tests/python_semantics/mutants.txt.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]

from python_semantics.judge import Judgement, judged  # noqa: E402
from python_semantics.mutants import FILE, Gone, Mutant, all_mutants, is_shown  # noqa: E402
from python_semantics.suite import suite  # noqa: E402
from support.random_programs.python.programs import Program  # noqa: E402

_KEPT = 66
_OF_A_FUNCTION = 3
# Programs that are tried for a mutant: of those that call its function, the ones that call the fewest others.
_TRIED = 40


def main() -> int:
    arguments = _parser().parse_args()
    warnings.simplefilter("ignore", SyntaxWarning)
    programs: dict[str, Program] = {}
    sizes: dict[str, int] = {}
    reached: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, each in suite().items():
        judgement, functions = _judged(each)
        if judgement.verdict == "right":
            programs[name] = each
            sizes[name] = len(functions)
            for function in functions:
                reached[function].append(name)
    everything = [each for each in all_mutants() if (each.module, each.function) in reached]
    random.Random(arguments.seed).shuffle(everything)
    shown: list[Mutant] = []
    survivors = 0
    for mutant in everything[: arguments.mutants]:
        function = mutant.module, mutant.function
        if sum((each.module, each.function) == function for each in shown) == _OF_A_FUNCTION:
            continue
        tried = sorted(reached[function], key=lambda name: sizes[name])[:_TRIED]
        killer = _killer(mutant, {name: programs[name] for name in tried})
        if killer is None:
            survivors += 1
            print(f"survives: {mutant}", flush=True)
            continue
        shown.append(replace(mutant, killer=killer))
        if arguments.keep:
            _write(shown)
            if len(shown) == _KEPT:
                break
    print(
        f"{len(shown)} of {len(shown) + survivors} mutants are shown by {len(programs)} programs; there are {len(everything)}"
    )
    return 0


def _judged(program: Program) -> tuple[Judgement, set[tuple[str, str]]]:
    """What becomes of a program, and the functions of the reader that are called for it."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        judgement = judged(program, checked=False)
    finally:
        sys.setprofile(None)
    room = str(ROOT / "src" / "ttl" / "frontend")
    return judgement, {
        (code.co_filename[len(room) + 1 : -len(".py")].replace("/", "."), code.co_qualname)
        for code in codes
        if code.co_filename.startswith(room)
    }


def _write(shown: list[Mutant]) -> None:
    lines = [
        "\t".join((each.module, each.function, each.before, each.after, each.killer))
        for each in sorted(shown)
    ]
    FILE.write_text(
        "# Written by scripts/mutate_reader.py --keep\n" + "\n".join(lines) + "\n", encoding="utf-8"
    )


def _killer(mutant: Mutant, programs: dict[str, Program]) -> str | None:
    try:
        return next((name for name, each in programs.items() if is_shown(mutant, each)), None)
    except Gone:
        return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Mutants of the reader of kernels.")
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", action="store_true", help="write those that are shown to the file of the tests"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
