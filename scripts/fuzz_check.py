"""A fuzzer of the front end and the checks: ``python scripts/fuzz_check.py --count 10000 --seed 1``.

It breaks the examples and the seeds of the other fuzzer in every way that one knows, and looks at what comes out: the
text of the program, and every call of an operation it makes (see tests/frontend/fuzz_judge.py). Nothing is carried
out unless ``--compare`` is given. Exit code 1 when there are findings; ``--keep`` minimises them and writes them to
tests/frontend/fuzz_cases.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [
    str(ROOT / "src"),
    str(ROOT / "tests"),
]  # in place of this folder, where "fuzz" is another file

from frontend.fuzz_judge import Seen, case, judged, smallest  # noqa: E402
from frontend.fuzz_programs import programs  # noqa: E402
from fuzz.case import Case, read  # noqa: E402

CASES = ROOT / "tests" / "frontend" / "fuzz_cases"


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(description="A fuzzer of the front end and the checks.")
    parser.add_argument(
        "files", nargs="*", type=Path, help="look at these programs instead and show everything"
    )
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="number of the first program")
    parser.add_argument("--compare", action="store_true", help="carry the calls out, too, and compare")
    parser.add_argument("--keep", action="store_true", help="minimise findings and keep them as cases")
    arguments = parser.parse_args()
    faulthandler.enable()
    import torch

    torch.set_num_threads(1)
    sys.path.append(str(ROOT / "examples"))  # which import a module of theirs
    if arguments.files:
        return _show(arguments.files, compare=arguments.compare)
    return _campaign(arguments)


def _campaign(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    chosen = programs()
    found: dict[str, tuple[Case, Seen]] = {}
    counts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for index in range(arguments.start, arguments.start + arguments.count):
        if index % 100 == 0:  # what caches keep is not searched again and again
            gc.collect()
            gc.freeze()
        each = case(arguments.seed, index, chosen)
        seen = judged(each, compare=arguments.compare)
        codes.update(set(seen.codes))
        outcomes[seen.outcome] += 1
        slowest = max(slowest, seen.slowest)
        if seen.finding is not None:
            counts[seen.finding] += 1
            if seen.finding not in found:
                found[seen.finding] = (each, seen)
                print(f"{each.name}: {seen.finding}", flush=True)
    print(
        f"\n{arguments.count} programs in {time.monotonic() - began:.0f} s, the slowest look {slowest:.2f} s"
    )
    print(f"{len(codes)} codes; " + ", ".join(f"{code} {count}" for code, count in codes.most_common(12)))
    print("; ".join(f"{outcome} {count}" for outcome, count in outcomes.most_common(8)))
    print(f"{sum(counts.values())} findings of {len(counts)} kinds")
    for finding, count in counts.most_common():
        print(f"  {count:6} {finding}   ({found[finding][0].name})")
    if arguments.keep:
        for finding, (each, _) in found.items():
            _keep(finding, each, compare=arguments.compare)
    return 1 if found else 0


def _keep(finding: str, program: Case, *, compare: bool) -> None:
    def shows(source: str) -> bool:
        return judged(replace(program, source=source), compare=compare).finding == finding

    small = replace(program, source=smallest(program.source, shows), was=finding)
    name = re.sub(r"\W+", "_", finding.lower()).strip("_")[:60]
    CASES.mkdir(exist_ok=True)
    (CASES / f"{name}.py").write_text(small.text(), encoding="utf-8")
    print(f"\n=== {finding}\n{small.text()}")


def _show(files: list[Path], *, compare: bool) -> int:
    wrong = 0
    for file in files:
        seen = judged(read(file), compare=compare)
        wrong |= seen.finding is not None
        print(
            f"{file}: {seen.outcome}, {sorted(set(seen.codes))}, {seen.finding or 'no finding'}\n{seen.text}"
        )
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
