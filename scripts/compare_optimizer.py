"""What the optimizer is worth: estimated cycles of the ten models of ``examples/models``, without it and with each policy.

    python scripts/compare_optimizer.py [--check]

Replaces the table between ``<!-- compared -->`` and ``<!-- /compared -->`` of docs/ttmlir/optimizer.md. The cycles are those
of ``ttrt perf``, of what runs on the chip; transfers of the host are the same with and without. ``--check`` changes nothing
and fails where the table is stale.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ttmlir" / "optimizer.md"
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "examples" / "models")]

import ten_models  # noqa: E402
import torch  # noqa: E402

import ttmlir  # noqa: E402
from ttmlir.layouts.system_desc import default_system  # noqa: E402
from ttrt.common.estimate import estimates  # noqa: E402

_ANALYSIS = "enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy="
POLICIES = {
    "without": "",
    "`L1Interleaved`": _ANALYSIS + "L1Interleaved",
    "`DFSharding`": _ANALYSIS + "DFSharding",
    "`Fastest`": _ANALYSIS + "Fastest",
}
_HEAD = (
    f"| model, bf16 | {' | '.join(POLICIES)} | operations of the fastest in L1 |\n"
    f"| --- | {' | '.join(['---:'] * len(POLICIES))} | ---: |\n"
)


def cycles(binary: Any) -> tuple[int, int, int]:
    """Cycles on the chip, how many operations there are on it, and how many of them write to L1."""
    ran = [
        one
        for program in binary.programs
        for one in estimates(program, default_system().first_chip)
        if not one.on_host
    ]
    in_l1 = sum(
        any(out.config is not None and out.config.buffer_type.name == "L1" for out in one.outputs)
        for one in ran
    )
    return sum(one.cycles for one in ran), len(ran), in_l1


def row(name: str) -> str:
    """The line of a model."""
    example = ten_models.example(name, real=True, dtype=torch.bfloat16)
    measured = [
        cycles(ttmlir.compile(example.module, *example.inputs, options=options).binary)
        for options in POLICIES.values()
    ]
    before = measured[0][0]
    cells = [f"{before:,}"]
    cells += [f"{taken:,} ({100 * taken / before:.0f} %)" for taken, _, _ in measured[1:]]
    _, count, in_l1 = measured[-1]
    return f"| {name} | {' | '.join(cells)} | {in_l1} of {count} |"


def main() -> int:
    parser = argparse.ArgumentParser(description="What the optimizer is worth.")
    parser.add_argument("--check", action="store_true", help="change nothing, fail where the table is stale")
    arguments = parser.parse_args()
    table = _HEAD + "\n".join(map(row, ten_models.MODELS)) + "\n"
    start, end = "<!-- compared -->\n", "<!-- /compared -->"
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    new = f"{before}{start}\n{table}\n{end}{after}"
    print(table, end="")
    if new == text:
        return 0
    if arguments.check:
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/compare_optimizer.py")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
