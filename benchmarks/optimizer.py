"""How ``ttnn-optimizer`` grows with the number of operations: ``python benchmarks/optimizer.py``.

CPU time of this process, the least of several rounds, of 10, 100 and 1,000 operations (``--large``: and 4,000), for each policy: of a
chain, of layers as in a transformer, of one tensor that half of the operations read, and of a chain with an override for each.
The exponent is the slope of log time against log number over the upper half, and the ratio compares with the passes before the
optimizer, in the same run. ``--memory`` adds the largest memory that Python had. Exit code 1 where an exponent is above 1.2.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src")]

from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tt_model.operations.dialects import DIALECTS
from ttmlir.transforms.optimizer.chains import FASTEST, POLICIES
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


def _operation(
    lines: list[str], name: str, inputs: list[tuple[str, str]], out: str, attributes: str = ""
) -> str:
    """One more operation; the name of its result."""
    number = len(lines) // 2
    destination = (
        ""
        if name in ("matmul", "softmax", "mean", "transpose")
        else f"operandSegmentSizes = array<i32: {len(inputs)}, 1>, "
    )
    types = ", ".join([*(type_ for _, type_ in inputs), out])
    constraints = ", ".join(["#t"] * (len(inputs) + 1))
    lines += [
        f"  %e{number} = tensor.empty() : {out}",
        f'  %v{number} = "ttir.{name}"({", ".join([*(value for value, _ in inputs), f"%e{number}"])}) <{{{destination}{attributes}'
        f'operand_constraints = [{constraints}]}}> : ({types}) -> {out} loc("o{number}")',
    ]
    return f"%v{number}"


def _function(arguments: str, lines: list[str], result: str, type_: str) -> str:
    head = "#t = #tt.operand_constraint<dram|l1|tile|any_device_tile>"
    return (
        "\n".join(
            [head, f"func.func @f({arguments}) -> {type_} {{", *lines, f"  return {result} : {type_}", "}"]
        )
        + "\n"
    )


def layers(count: int) -> str:
    """Layers as in a transformer, 15 operations each, until there are so many."""
    wide, square, column, scores, turned = (
        f"tensor<{shape}xbf16>" for shape in ("128x256", "256x256", "128x1", "128x128", "256x128")
    )
    lines: list[str] = []
    x = "%x"

    def product(first: str, second: tuple[str, str], out: str, kind: str = wide) -> str:
        return _operation(lines, "matmul", [(first, kind), second], out)

    while len(lines) < 2 * count:
        mean = _operation(lines, "mean", [(x, wide)], column, "dim_arg = [1 : i32], keep_dim = true, ")
        centred = _operation(lines, "subtract", [(x, wide), (mean, column)], wide)
        query, key, value = (product(centred, ("%w", square), wide) for _ in range(3))
        key = _operation(lines, "transpose", [(key, wide)], turned, "dim0 = 0 : si32, dim1 = 1 : si32, ")
        shares = product(query, (key, turned), scores)
        shares = _operation(lines, "softmax", [(shares, scores)], scores, "dimension = 1 : si32, ")
        x = _operation(lines, "add", [(x, wide), (product(shares, (value, wide), wide, scores), wide)], wide)
        hidden = _operation(lines, "gelu", [(product(x, ("%w", square), wide), wide)], wide)
        hidden = _operation(lines, "multiply", [(hidden, wide)] * 2, wide)
        x = _operation(lines, "add", [(x, wide), (product(hidden, ("%w", square), wide), wide)], wide)
    return _function(f"%x: {wide}, %w: {square}", lines, x, wide)


def fan(count: int) -> str:
    """A tensor that half of the operations read; the others add what these give."""
    lines: list[str] = []
    read = _operation(lines, "relu", [("%x", _TENSOR)], _TENSOR)
    parts = [_operation(lines, "exp", [(read, _TENSOR)], _TENSOR) for _ in range(count // 2)]
    total = parts[0]
    for part in parts[1:]:
        total = _operation(lines, "add", [(total, _TENSOR), (part, _TENSOR)], _TENSOR)
    return _function(f"%x: {_TENSOR}", lines, total, _TENSOR)


def overrides(count: int) -> str:
    """One for each operation of a chain."""
    return ",".join(f"o{number}=2x2:l1:block_sharded:tile:bf16" for number in range(count))


def timed(work: Callable[[], object]) -> float:
    """CPU seconds."""
    began = time.process_time()
    work()
    return time.process_time() - began


def measured(text: str, policy: str, rounds: int, override_output_layout: str) -> tuple[float, float]:
    """Seconds of the passes before the optimizer, and of the optimizer."""
    before, after = [], []
    optimizer = TTNNOptimizer(
        memory_layout_analysis_enabled=True,
        memory_layout_analysis_policy=policy,
        override_output_layout=override_output_layout,
    )
    for _ in range(rounds):
        context = make_context(DIALECTS)
        module = parse_text(context, text, "grown.mlir")
        before.append(timed(lambda: _lower(context, module)))
        after.append(timed(lambda: optimizer.apply(context, module)))
    return min(before), min(after)


def _lower(context: Context, module: ModuleOp) -> None:
    pipeline = TTIRToTTNNBackendPipeline()
    for one in (*pipeline.ttir_passes(), *pipeline.lowering_passes()):
        one.apply(context, module)


def peak(text: str, policy: str, override_output_layout: str) -> int:
    """The largest memory of Python while the passes and the optimizer run, in bytes."""
    tracemalloc.start()
    measured(text, policy, 1, override_output_layout)
    _, largest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return largest


def main() -> int:
    parser = argparse.ArgumentParser(description="How ttnn-optimizer grows with the number of operations.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="4,000 operations, too")
    parser.add_argument("--memory", action="store_true", help="the largest memory, too: slower")
    arguments = parser.parse_args()
    worst = 0.0
    sizes = (*SIZES, 4000) if arguments.large else SIZES
    kinds = {"chain": chain, "layers": layers, "fan": fan, "overrides": chain}
    for kind, policy in itertools.product(kinds, (*POLICIES, FASTEST)):
        texts = [kinds[kind](size) for size in sizes]
        asked = [overrides(size) if kind == "overrides" else "" for size in sizes]
        points = [
            measured(text, policy, arguments.rounds, one) for text, one in zip(texts, asked, strict=True)
        ]
        slope = math.log(points[-1][1] / points[-2][1]) / math.log(sizes[-1] / sizes[-2])
        worst = max(worst, slope)
        times = ", ".join(f"{1000 * after:.0f}" for _, after in points)
        ratio = points[-1][1] / points[-1][0]
        memory = f", {peak(texts[-1], policy, asked[-1]) / 1e6:.0f} MB" if arguments.memory else ""
        print(
            f"{kind}, {policy}: {sizes} operations: {times} ms, exponent {slope:.2f}, {ratio:.2f} of the passes before it{memory}",
            flush=True,
        )
    return 1 if worst > SUPERLINEAR else 0


if __name__ == "__main__":
    sys.exit(main())
