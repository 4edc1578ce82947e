"""Operations that ``--ttir-to-ttl`` writes, in cycles of the emulated chip: beside those written by hand, and fused beside one by one.

    python benchmarks/outlined.py

Prints the tables of docs/ttmlir/model-to-kernels.md. Every operation's result is compared with its reference.
"""

from __future__ import annotations

import runpy
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
import ttl
import ttnn
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text

from tt_model.operations.dialects import DIALECTS
from tt_model.operations.operation import RowOperation
from tt_model.operations.shared import TTIRTTLangOp
from ttmlir.outlining.outline import TTIRToTTLang
from ttmlir.tt_lang import TTLangKernel

HERE = Path(__file__).resolve().parent
LAYER = HERE.parent / "examples" / "models" / "transformer_layer.mlir"
_TYPES = {"f32": ttnn.float32, "bf16": ttnn.bfloat16}
# Norm of the error relative to the norm of the result: one rounding to bfloat16, and products in TF32.
TOLERANCE = 2.0**-7

_MATMUL = """
func.func @forward(%a: tensor<512x512xbf16>, %b: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = tensor.empty() : tensor<512x512xbf16>
  %1 = "ttir.matmul"(%a, %b, %0) <{operand_constraints = []}>
    : (tensor<512x512xbf16>, tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16> loc("product")
  return %1 : tensor<512x512xbf16>
}
"""
_T = "tensor<2048x2048xbf16>"
_CHAIN = f"""
func.func @forward(%a: {_T}, %b: {_T}, %c: {_T}) -> {_T} {{
  %0 = tensor.empty() : {_T}
  %1 = "ttir.multiply"(%a, %b, %0) <{{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}}>
    : ({_T}, {_T}, {_T}) -> {_T} loc("product")
  %2 = tensor.empty() : {_T}
  %3 = "ttir.add"(%1, %c, %2) <{{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}}>
    : ({_T}, {_T}, {_T}) -> {_T} loc("sum")
  return %3 : {_T}
}}
"""


@contextmanager
def outlined(text: str, *, fuse: bool = True) -> Iterator[list[tuple[TTLangKernel, RowOperation]]]:
    """The operations that a model calls, each with its call."""
    context = make_context(DIALECTS)
    module = parse_text(context, text, "model.mlir")
    with tempfile.TemporaryDirectory() as folder:
        TTIRToTTLang(output=str(Path(folder) / "written.py"), fuse=fuse).apply(context, module)
        sys.path.insert(0, folder)
        try:
            written = __import__("written")
            calls = [op for op in module.walk() if isinstance(op, TTIRTTLangOp)]
            names = [op.kernel_id.partition("::")[0].rpartition(".")[2] for op in calls]
            yield [(getattr(written, name), op) for name, op in zip(names, calls, strict=True)]
        finally:
            sys.path.remove(folder)
            sys.modules.pop("written", None)


def cycles_of(kernel: TTLangKernel, call: RowOperation, device: Any) -> int:
    """Of one call, on random tensors."""
    types = [value.type for value in call.operands]
    tensors = [
        ttnn.from_torch(
            torch.randn(type.get_shape()).abs(),  # of which there are roots
            dtype=_TYPES[str(type.element_type)],
            layout=ttnn.TILE_LAYOUT,
            device=device,
        )
        for type in types
    ]
    cycles = ttl.profile(kernel.operation, *tensors, target="emu").cycles
    *inputs, result = (ttnn.to_torch(tensor).double().numpy() for tensor in tensors)
    assert kernel.reference is not None
    wanted = kernel.reference(*inputs)
    error = np.linalg.norm(result - wanted) / np.linalg.norm(wanted)
    assert error < TOLERANCE, (kernel.kernel_id, error)
    return cycles


def by_hand(device: Any) -> Iterator[tuple[str, int, int]]:
    """What is compared, the cycles of the program written by hand, and those of what was written for a model."""
    program = runpy.run_path(str(HERE.parent / "examples" / "matmul_multicast.py"))
    sys.path.insert(0, str(HERE / "programs"))
    import eltwise

    def tensors(count: int, extent: int) -> list[Any]:
        made = [torch.randn(extent, extent).bfloat16() for _ in range(count)]
        return [ttnn.from_torch(one, layout=ttnn.TILE_LAYOUT, device=device) for one in made]

    hand = ttl.profile(program["__matmul"], *tensors(3, 512), target="emu").cycles
    with outlined(_MATMUL) as ((kernel, call),):
        yield "matmul 512", hand, cycles_of(kernel, call, device)
    hand = min(
        ttl.profile(eltwise.operation((8, 8), block), *tensors(4, 2048), target="emu").cycles
        for block in (1, 2, 4)
    )
    with outlined(_CHAIN) as ((kernel, call),):
        yield "a * b + c of 2048 x 2048", hand, cycles_of(kernel, call, device)


def layer(device: Any, *, fuse: bool) -> dict[str, tuple[int, int]]:
    """For each operation of a transformer layer how often it is called, and its cycles."""
    with outlined(LAYER.read_text(encoding="utf-8"), fuse=fuse) as calls:
        counts = Counter(kernel.kernel_id for kernel, _ in calls)
        first = {kernel.kernel_id: (kernel, call) for kernel, call in reversed(calls)}
        order = dict.fromkeys(kernel.kernel_id for kernel, _ in calls)
        return {name: (counts[name], cycles_of(*first[name], device)) for name in order}


def main() -> None:
    device = ttnn.open_device(device_id=0)
    sys.path.insert(0, str(HERE.parent / "examples"))
    print("| | written by hand | written by `--ttir-to-ttl` | |\n| --- | --: | --: | --: |")
    for name, hand, ours in by_hand(device):
        print(f"| {name} | {hand:,} | {ours:,} | {100 * hand / ours:.0f} % |")
    print("\n| operation | calls | cycles each |\n| --- | --: | --: |")
    fused = layer(device, fuse=True)
    for name, (count, cycles) in fused.items():
        print(f"| `{name.partition('::')[0].partition('.')[2]}` | {count} | {cycles:,} |")
    singly = layer(device, fuse=False)
    for title, result in (("fused", fused), ("each by itself", singly)):
        calls = sum(count for count, _ in result.values())
        total = sum(count * cycles for count, cycles in result.values())
        print(f"\n{title}: {calls} calls of {len(result)} operations, {total:,} cycles")


if __name__ == "__main__":
    main()
