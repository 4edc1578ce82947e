"""How ``ttnn-optimizer`` grows with the length of a chain: ``python benchmarks/optimizer.py``.

CPU time of this process, the least of several rounds, of chains of 10, 100 and 1,000 operations, for each policy: the exponent
is the slope of log time against log number over the upper half, and the ratio compares with the passes before the optimizer,
in the same run. Exit code 1 where an exponent is above 1.2.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src")]

from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ttmlir.operations.dialects import DIALECTS
from ttmlir.transforms.optimizer.chains import POLICIES
from ttmlir.transforms.optimizer.ttnn_optimizer import TTNNOptimizer
from ttmlir.transforms.pipelines import TTIRToTTNNBackendPipeline

SIZES = (10, 100, 1000)
SUPERLINEAR = 1.2
_TENSOR = "tensor<128x128xbf16>"
_WORDS = ("relu", "exp", "neg", "sigmoid")


def chain(length: int) -> str:
    """A chain of elementwise operations."""
    lines = [
        "#t = #tt.operand_constraint<dram|l1|tile|any_device_tile>",
        f"func.func @f(%0: {_TENSOR}) -> {_TENSOR} {{",
    ]
    for index in range(length):
        name = _WORDS[index % len(_WORDS)]
        lines += [
            f"  %e{index} = tensor.empty() : {_TENSOR}",
            f'  %{index + 1} = "ttir.{name}"(%{index}, %e{index}) <{{operandSegmentSizes = array<i32: 1, 1>, '
            f'operand_constraints = [#t, #t]}}> : ({_TENSOR}, {_TENSOR}) -> {_TENSOR} loc("o{index}")',
        ]
    return "\n".join([*lines, f"  return %{length} : {_TENSOR}", "}"]) + "\n"


def timed(work: Callable[[], object]) -> float:
    """CPU seconds."""
    began = time.process_time()
    work()
    return time.process_time() - began


def measured(length: int, policy: str, rounds: int) -> tuple[float, float]:
    """Seconds of the passes before the optimizer, and of the optimizer."""
    before, after = [], []
    optimizer = TTNNOptimizer(memory_layout_analysis_enabled=True, memory_layout_analysis_policy=policy)
    for _ in range(rounds):
        context = make_context(DIALECTS)
        module = parse_text(context, chain(length), "chain.mlir")
        before.append(timed(lambda: _lower(context, module)))
        after.append(timed(lambda: optimizer.apply(context, module)))
    return min(before), min(after)


def _lower(context: Context, module: ModuleOp) -> None:
    pipeline = TTIRToTTNNBackendPipeline()
    for one in (*pipeline.ttir_passes(), *pipeline.lowering_passes()):
        one.apply(context, module)


def main() -> int:
    parser = argparse.ArgumentParser(description="How ttnn-optimizer grows with the length of a chain.")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    worst = 0.0
    for policy in POLICIES:
        points = [measured(size, policy, arguments.rounds) for size in SIZES]
        slope = math.log(points[-1][1] / points[-2][1]) / math.log(SIZES[-1] / SIZES[-2])
        worst = max(worst, slope)
        times = ", ".join(f"{1000 * after:.0f}" for _, after in points)
        ratio = points[-1][1] / points[-1][0]
        print(
            f"{policy}: {SIZES} operations: {times} ms, exponent {slope:.2f}, {ratio:.2f} of the passes before it"
        )
    return 1 if worst > SUPERLINEAR else 0


if __name__ == "__main__":
    sys.exit(main())
