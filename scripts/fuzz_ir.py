"""A fuzzer of broken MLIR text: ``python scripts/fuzz_ir.py --cases 10000``.

It breaks right modules of TT-MLIR, gives them to ``ttmlir-opt`` and judges what a user gets to see (tests/ir_fuzz/judge.py).
Exit code 1 when there are findings.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from ir_fuzz.campaign import BrokenText, cases  # noqa: E402
from ir_fuzz.judge import judge  # noqa: E402
from ttmlir.opt.main import TTMLIR_OPT  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description="A fuzzer of broken MLIR text.")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--show", action="store_true", help="show the text of a case for each finding")
    arguments = parser.parse_args()
    began = time.process_time()
    findings: defaultdict[str, list[BrokenText]] = defaultdict(list)
    accepted = 0
    for broken in cases(arguments.start, arguments.cases):
        verdict = judge(TTMLIR_OPT, broken.text, broken.flags)
        accepted += verdict.status == 0
        if verdict.finding is not None:
            if verdict.finding not in findings:
                print(
                    f"{broken.number} {' '.join(broken.flags)} ({broken.done})\n  {verdict.finding}\n  {verdict.said[:300]}",
                    flush=True,
                )
                if arguments.show:
                    print(broken.text)
            findings[verdict.finding].append(broken)
    for finding, broken_texts in sorted(findings.items(), key=lambda item: -len(item[1])):
        print(
            f"{len(broken_texts):5}  {finding}  ({', '.join(str(broken.number) for broken in broken_texts[:5])})"
        )
    print(
        f"{arguments.cases} cases, {accepted} accepted, {len(findings)} findings, {time.process_time() - began:.0f} s"
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
