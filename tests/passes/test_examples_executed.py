"""The compute kernels of the examples, on the first node: calls of the kernel API against values of blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from passes.executed import compare
from support.ir_execution import block_results, kernel_results, lowered, simplified, types_of
from ttl.dialects import ttl as dialect
from ttl.dialects.text import context
from ttl.frontend.file import lower_file
from ttl.passes.marks import INITIAL
from ttl.passes.names import name_resources
from ttl.passes.padding import KeepPaddingOut
from ttl.rows.dtypes import Array
from ttl.rows.types import BlockType

_ROOT = Path(__file__).parents[2]
_EXAMPLES = sorted(
    [*(_ROOT / "examples").glob("*.py"), *(_ROOT / "tests/codegen/golden/programs").glob("*.py")]
)


def _operations(path: Path) -> list[dialect.OperationOp]:
    module = lower_file(str(path)).module
    simplified(module)
    KeepPaddingOut().apply(context(), module)
    found = [op for op in module.body.block.ops if isinstance(op, dialect.OperationOp)]
    for op in found:
        name_resources(op)  # buffers of a list have their names in C++
    return [op for op in found if any(kernel.kind == "compute" for kernel in op.kernels)]


def _masks(operation: dialect.OperationOp) -> dict[str, Array]:
    """The blocks that hide padding, which the compiler has another kernel write: by the buffer, for every tile of a block."""
    found = {}
    for op in operation.body.block.ops:
        if isinstance(op, dialect.CreateDfbOp) and INITIAL in op.attributes:
            _, kind, rows, columns = op.attributes[INITIAL].data.split()
            mask = np.full(
                op.result.type.block_type.elements, {"select": 1, "lowest": -np.inf}[kind], np.float32
            )
            mask[: int(rows), : int(columns)] = 0
            found[op.buffer_name.data] = mask
    return found


@pytest.mark.one_of(3)
@pytest.mark.parametrize("path", _EXAMPLES, ids=lambda path: path.stem)
def test_the_compute_kernel_of_an_example(path: Path) -> None:
    for operation in _operations(path):
        operation.detach()
        module = ModuleOp([operation])
        types = types_of(operation)
        random, masks = np.random.default_rng(0), _masks(operation)

        def supply(
            name: str, block: BlockType, random: np.random.Generator = random, masks: dict[str, Array] = masks
        ) -> Array:
            if name in masks:
                return masks[name]
            return random.integers(-3, 4, block.elements).astype(
                np.float32 if block.dtype.is_float else np.int64
            )

        wanted = block_results(module, {}, rounds=False, supply=supply)
        program = lowered(module)
        arriving = {name: blocks for name, blocks in wanted.supplied.items() if name not in masks}
        found = kernel_results(program, types, arriving, rounds=False)
        compare(wanted, found.blocks, exactly=False)
