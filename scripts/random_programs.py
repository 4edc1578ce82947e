"""Random correct programs against an independent reference: ``python scripts/random_programs.py --cases 3000 --seed 1``.

Each program is generated from its number, run in every mode of the simulator and compared with NumPy: see
tests/support/random_programs/language/run.py. Exit code 1 when there are findings; with --keep they are minimised and written to
tests/random_programs/cases.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:1] = [
    str(ROOT / "src"),
    str(ROOT / "tests"),
]  # in place of this folder, where this file has that name

from support.random_programs.language.emit import device_text  # noqa: E402
from support.random_programs.language.emit_reference import reference_text  # noqa: E402
from support.random_programs.language.generate import generate  # noqa: E402
from support.random_programs.language.minimise import minimised, written  # noqa: E402
from support.random_programs.language.run import Failure, check  # noqa: E402


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.show is not None:
        print(device_text(generate(arguments.show)))
        print(reference_text(generate(arguments.show)))
        return 0
    began = time.monotonic()
    findings: dict[str, list[tuple[int, Failure]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(arguments.cases):
            seed = arguments.seed + number
            failure = check(generate(seed), folder)
            if failure is not None:
                findings[failure.kind].append((seed, failure))
                print(f"seed {seed}: {failure.kind}", flush=True)
            for file in folder.iterdir():
                file.unlink()
        _report(findings, folder, arguments.minimise or arguments.keep, arguments.keep)
    count = sum(map(len, findings.values()))
    print(f"{arguments.cases} programs, {count} findings, {time.monotonic() - began:.0f} s")
    return 1 if findings else 0


def _report(findings: dict[str, list[tuple[int, Failure]]], folder: Path, minimise: bool, keep: bool) -> None:
    for kind, failures in findings.items():
        seed, failure = min(failures, key=lambda each: len(device_text(generate(each[0]))))
        program = generate(seed)
        if minimise:
            program = minimised(program, failure, folder)
            failure = check(program, folder) or failure
        print(
            f"--- {kind}: {len(failures)} programs, smallest from seed {seed}\n{failure.text}\n{device_text(program)}"
        )
        if keep:
            name = "".join(letter if letter.isalnum() else "_" for letter in f"{kind}_{seed}")
            case = ROOT / "tests" / "random_programs" / "cases" / f"{name}.txt"
            case.write_text(written(program))
            print(f"written to {case}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Random correct programs against an independent reference.")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1000, help="number of the first program")
    parser.add_argument("--show", type=int, metavar="SEED", help="print the texts of one program instead")
    parser.add_argument(
        "--minimise", action="store_true", help="show the smallest program for each kind of finding"
    )
    parser.add_argument("--keep", action="store_true", help="and write it to tests/random_programs/cases")
    return parser


if __name__ == "__main__":
    sys.exit(main())
