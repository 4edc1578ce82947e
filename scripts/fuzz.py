"""A fuzzer of broken programs: ``python scripts/fuzz.py --cases 10000 --seed 1``.

It breaks correct programs in every way it knows, runs what comes out and judges what the user gets to see:
see tests/fuzz/judge.py. Exit code 1 when there are findings; with --keep they are minimised and written to
tests/fuzz/cases.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]  # in place of this folder, where "fuzz" is this file

from fuzz.campaign import Result, campaign, cases  # noqa: E402
from fuzz.case import Case, read  # noqa: E402
from fuzz.judge import Verdict, judge  # noqa: E402
from fuzz.minimise import minimised  # noqa: E402


def main() -> int:
    arguments = _parser().parse_args()
    faulthandler.enable()
    import torch

    torch.set_num_threads(1)
    if arguments.files:
        return _show(arguments.files, accept=arguments.accept)
    began = time.monotonic()
    stream = cases(arguments.cases, arguments.seed, _programs(arguments.programs), arguments.start)
    result = campaign(_announced(stream, arguments.trace), pages=not arguments.no_pages, watch=_watch)
    _report(result, time.monotonic() - began)
    if arguments.minimise or arguments.keep:
        for finding, (case, _) in result.findings.items():
            _minimise(finding, case, keep=arguments.keep, pages=not arguments.no_pages)
    return 1 if result.findings else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="A fuzzer of broken TT-Lang programs.")
    parser.add_argument("files", nargs="*", type=Path, help="run these cases instead and show everything")
    parser.add_argument(
        "--accept", action="store_true", help="write into these files what becomes of them now"
    )
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument(
        "--programs", nargs="+", type=Path, help="mutate these programs instead of tests/fuzz/seeds"
    )
    parser.add_argument("--no-pages", action="store_true", help="a code without a page is no finding")
    parser.add_argument("--minimise", action="store_true", help="show the smallest program for each finding")
    parser.add_argument("--keep", action="store_true", help="and write it to tests/fuzz/cases")
    parser.add_argument("--trace", type=Path, help="write the case that is about to run here: for crashes")
    return parser


def _programs(paths: list[Path] | None) -> list[Case] | None:
    return None if paths is None else [read(path) for path in paths]


def _announced(stream: Iterator[Case], trace: Path | None) -> Iterator[Case]:
    for case in stream:
        if trace is not None:
            trace.write_text(case.text(), encoding="utf-8")
        yield case


def _watch(case: Case, verdict: Verdict) -> None:
    if verdict.finding is not None:
        print(f"{case.name}: {verdict.finding}", flush=True)
        if verdict.finding.startswith("differs"):
            print(verdict.text)


def _report(result: Result, seconds: float) -> None:
    print(f"\n{result.cases} cases in {seconds:.0f} s")
    for outcome, count in result.outcomes.most_common():
        print(f"  {count:6} {outcome}")
    print(f"{sum(result.counts.values())} findings of {len(result.counts)} kinds")
    for finding, count in result.counts.most_common():
        print(f"  {count:6} {finding}   ({result.findings[finding][0].name})")


def _minimise(finding: str, case: Case, *, keep: bool, pages: bool) -> None:
    small = replace(minimised(case, finding, pages=pages), was=finding)
    print(f"\n=== {finding} ({case.name})\n{small.text()}--- now\n{judge(small, pages=pages).text}")
    if keep:
        name = re.sub(r"\W+", "_", finding.lower()).strip("_")[:60]
        target = ROOT / "tests" / "fuzz" / "cases" / f"{name}.py"
        target.write_text(small.text(), encoding="utf-8")
        print(f"kept as {target}")


def _show(files: list[Path], *, accept: bool) -> int:
    failed = 0
    for file in files:
        case = read(file)
        verdict = judge(case)
        failed |= verdict.finding is not None
        print(f"{file}: {verdict.outcome}, {verdict.finding or 'no finding'}\n{verdict.text}")
        if accept and verdict.finding is None:
            file.write_text(replace(case, outcome=verdict.outcome).text(), encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
