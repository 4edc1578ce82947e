"""Compiled programs on the emulated chip against the reference and the simulator.

    python scripts/differential.py --programs 300 --seed 0    random programs; findings are printed with their source
    python scripts/differential.py --rows                     every row x element type x form x layout
    python scripts/differential.py --docs                     write docs/reference/differences.md anew

``--arch blackhole`` runs on the other chip. Exit code 1 when there are findings. See tests/differential.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]  # in place of this folder

import ttl  # noqa: E402, F401 - lets programs import ttnn
from differential.differences_page import PAGE, page  # noqa: E402
from differential.known import gap_of  # noqa: E402
from differential.rows import Case, cases, together  # noqa: E402
from differential.test_random_programs import REFUSALS  # noqa: E402
from differential.three_ways import check, wrong_outputs  # noqa: E402
from support.random_programs.language.emit import device_text  # noqa: E402
from support.random_programs.language.generate import generate  # noqa: E402
from ttl.diag import TTLError  # noqa: E402


def main() -> int:
    arguments = _parser().parse_args()
    if arguments.docs:
        (ROOT / PAGE).write_text(page(), encoding="utf-8")
        return 0
    began = time.monotonic()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        if arguments.rows:
            _rows(Path(name), arguments.arch, counts)
        for seed in range(arguments.seed, arguments.seed + arguments.programs):
            _program(seed, Path(name), arguments.arch, counts)
    print(f"{dict(counts.most_common())} in {time.monotonic() - began:.0f} s")
    return 1 if any("wrong" in kind or "crash" in kind or "not expected" in kind for kind in counts) else 0


def _program(seed: int, folder: Path, arch: str, counts: Counter[str]) -> None:
    failure = check(generate(seed), folder, arch=arch)
    kind = "ok" if failure is None else failure.kind
    if failure is not None and kind.removeprefix("refused ") not in REFUSALS:
        kind = kind if not kind.startswith("refused") else f"{kind}, not expected"
        print(f"--- seed {seed}: {kind}\n{failure.text}\n{device_text(generate(seed))}", flush=True)
    counts[kind] += 1


def _rows(folder: Path, arch: str, counts: Counter[str]) -> None:
    for group, program in together(case for case in cases() if gap_of(case) is None):
        try:
            wrong = wrong_outputs(program, folder, arch=arch)
        except TTLError:
            for case in group:
                _row(case, folder, arch, counts)
            continue
        counts["ok"] += len(group) - len(wrong)
        for name, text in wrong.items():
            counts["wrong"] += 1
            print(f"--- {group[int(name[1:])].name}: {text}", flush=True)


def _row(case: Case, folder: Path, arch: str, counts: Counter[str]) -> None:
    failure = check(case.program, folder, arch=arch)
    kind = "ok" if failure is None else failure.kind
    counts[kind] += 1
    if failure is not None and kind.removeprefix("refused ") not in REFUSALS:
        print(f"--- {case.name}: {kind}\n{failure.text}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="The emulated chip against the reference and the simulator.")
    parser.add_argument("--programs", type=int, default=0, metavar="N", help="random programs to run")
    parser.add_argument("--seed", type=int, default=0, help="number of the first")
    parser.add_argument("--rows", action="store_true", help="every form of every operation")
    parser.add_argument("--arch", choices=("wormhole", "blackhole"), default="wormhole", help="the chip")
    parser.add_argument("--docs", action="store_true", help="write the page of known differences")
    return parser


if __name__ == "__main__":
    sys.exit(main())
