"""What the optimizer is worth: estimated cycles of models at the size of a layer, without it and with each policy.

    python scripts/compare_optimizer.py [--check]

Replaces the table between ``<!-- compared -->`` and ``<!-- /compared -->`` of docs/ttmlir/optimizer.md. The cycles are those
of ``ttrt perf``, of what runs on the chip; transfers of the host are the same with and without. Seconds are CPU time of one compile in
this process. ``--check`` changes nothing and fails where cycles or conversions are stale, or a policy called ``Fastest`` loses.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ttmlir" / "optimizer.md"
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "examples" / "models"), str(ROOT / "benchmarks")]

import ten_models  # noqa: E402
import torch  # noqa: E402
from zoo.layers import LAYERS, layer  # noqa: E402

import ttmlir  # noqa: E402
from tt_model.binaries.estimate import estimates  # noqa: E402
from tt_model.layouts.known_systems import default_system  # noqa: E402
from tt_model.operations.explanation import EXPLANATION, Explanation  # noqa: E402

_ANALYSIS = "enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy="
POLICIES = {
    "without": "",
    "`L1Interleaved`": _ANALYSIS + "L1Interleaved",
    "`DFSharding`": _ANALYSIS + "DFSharding",
    "`Fastest`": _ANALYSIS + "Fastest",
}
_COLUMNS = (
    *POLICIES,
    "operations of the fastest in L1",
    "its conversions, with a reason",
    "compile, with it, s",
)
_HEAD = f"| model, bf16 | {' | '.join(_COLUMNS)} |\n| --- | {' | '.join(['---:'] * len(_COLUMNS))} |\n"


@dataclass(frozen=True)
class Compiled:
    """Cycles on the chip, how many operations there are on it, how many of them write to L1, how many bring a tensor to another
    layout or memory and for how many of these ``--explain`` has a reason, and CPU seconds of the compile."""

    cycles: int
    operations: int
    in_l1: int
    conversions: int
    explained: int
    seconds: float


def compiled(module: torch.nn.Module, inputs: tuple[Any, ...], options: str) -> Compiled:
    """A model with options of the pipeline."""
    explanation = Explanation()
    started = time.process_time()
    with EXPLANATION.given(explanation):
        model = ttmlir.compile(module, *inputs, options=options)
    seconds = time.process_time() - started
    chip = default_system().first_chip
    ran = [one for program in model.binary.programs for one in estimates(program, chip) if not one.on_host]
    in_l1 = sum(
        any(out.config is not None and out.config.buffer_type.name == "L1" for out in one.outputs)
        for one in ran
    )
    assert model.module is not None
    conversions = [
        one
        for one in explanation.tensors(model.module.xdsl)
        if one.operation in ("ttnn.to_layout", "ttnn.to_memory_config")
    ]
    explained = sum(bool(one.reasons) for one in conversions)
    return Compiled(sum(one.cycles for one in ran), len(ran), in_l1, len(conversions), explained, seconds)


def row(name: str) -> str:
    """The line of a model."""
    if name in LAYERS:
        module, inputs = layer(name, torch.bfloat16)
    else:
        example = ten_models.example(name, real=True, dtype=torch.bfloat16)
        module, inputs = example.module, tuple(example.inputs)
    first, *others = (compiled(module, inputs, options) for options in POLICIES.values())
    fastest = others[-1]
    assert fastest.cycles <= first.cycles, f"{name} is slower with the optimizer"
    cells = [
        f"{first.cycles:,}",
        *(f"{one.cycles:,} ({100 * one.cycles / first.cycles:.0f} %)" for one in others),
        f"{fastest.in_l1} of {fastest.operations}",
        f"{fastest.conversions}, {fastest.explained}",
        f"{first.seconds:.2f}, {fastest.seconds:.2f}",
    ]
    return f"| {name} | {' | '.join(cells)} |"


def without_seconds(text: str) -> str:
    """A text without the last column of its tables, which no two runs have alike."""
    return re.sub(r"\| [0-9.]+, [0-9.]+ \|\n", "|\n", text)


def main() -> int:
    parser = argparse.ArgumentParser(description="What the optimizer is worth.")
    parser.add_argument("--check", action="store_true", help="change nothing, fail where the table is stale")
    arguments = parser.parse_args()
    table = _HEAD + "\n".join(map(row, (*ten_models.MODELS, *LAYERS))) + "\n"
    start, end = "<!-- compared -->\n", "<!-- /compared -->"
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    new = f"{before}{start}\n{table}\n{end}{after}"
    print(table, end="")
    if without_seconds(new) == without_seconds(text):
        return 0
    if arguments.check:
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/compare_optimizer.py")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
