"""Pages of tensors that a data movement kernel prints: each is read into a buffer of the compiler, and printed from it.

Expects: checked operations with every push, pop and wait in place. Guarantees: a print of a data movement kernel names no
tensor. A compute kernel cannot reach a tensor, and prints a description of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.passes.building import Building, Number, erase
from ttl.passes.compute.temporaries import Temporaries
from ttl.passes.marks import PAGE
from ttl.rows.types import TILE, BlockType, Layout

# Up to this number of pages, each page has code of its own.
_UNROLLED = 2


def print_pages(kernel: dialect.UserKernelOp, buffers: Temporaries) -> None:
    """Read the pages of tensors that a kernel prints."""
    pages: dict[BlockType, dialect.CreateDfbOp] = {}
    for op in inside(kernel):
        if isinstance(op, dialect.PrintOp):
            tensor = next((at for at, value in enumerate(op.operands) if _is_tensor(value)), None)
            if tensor is not None:
                _print(op, tensor, buffers, pages)


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, dialect.AccessorType)


def _print(
    op: dialect.PrintOp, position: int, buffers: Temporaries, pages: dict[BlockType, dialect.CreateDfbOp]
) -> None:
    """Print the text before a tensor and its description, the first pages of the tensor, and the text behind it."""
    tensor = op.operands[position]
    type_ = tensor.type
    assert isinstance(type_, dialect.AccessorType)
    build = Building(op)
    head = f"{op.pieces[position]}tensor {list(type_.shape)} {type_.dtype} {type_.layout.value}"
    build.add(dialect.PrintOp([*op.pieces[:position], head], op.operands[:position]))
    page = _Page(type_)
    if page.block not in pages:
        why = "pages of tensors cannot be printed, only data in the node's memory"
        pages[page.block] = buffers.buffer(page.block, 1, "printed_page", why, op.location)
        pages[page.block].attributes[PAGE] = UnitAttr()
    dfb = pages[page.block]
    count = min(op.num_pages or 1, page.count)

    def show(within: Building, number: Number) -> None:
        block = within.add(dialect.DfbReserveOp(dfb.result)).results[0]
        part = dialect.TensorSliceOp(
            tensor,
            [within.value(offset) for offset in page.offsets(within, number)],
            sizes=page.sizes,
            single=page.single,
        )
        within.add(part)
        copy = dialect.CopyOp(part.result, block)
        for step in (copy, dialect.WaitOp(copy.result), dialect.DfbPushOp(block, how="inferred")):
            within.add(step)
        filled = within.add(dialect.DfbWaitOp(dfb.result)).results[0]
        if isinstance(number, int):
            within.add(dialect.PrintOp([f"page {number}", ""], [filled]))
        else:
            within.add(dialect.PrintOp(["page ", "", ""], [number, filled]))
        within.add(dialect.DfbPopOp(filled, how="inferred"))

    if count <= _UNROLLED:
        for number in range(count):
            show(build, number)
    else:

        def one(within: Building, number: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            show(within, number)
            return []

        build.loop(0, count, 1, [], one, name="page")
    rest = op.pieces[position + 1 :]
    if "".join(rest).strip() or len(rest) > 1:
        build.add(dialect.PrintOp(rest, op.operands[position + 1 :]))
    erase(op)


class _Page:
    """Pages of a tensor as TT-NN numbers them: tiles of a tiled one, rows of a row-major one."""

    def __init__(self, type_: dialect.AccessorType) -> None:
        *outer, rows, columns = type_.shape if len(type_.shape) > 1 else (1, *type_.shape)
        rank = len(type_.shape)
        self._rank = rank
        if type_.layout is Layout.TILE:
            self._extents = (*outer, -(-rows // TILE), -(-columns // TILE))[-rank:]
            self.sizes = (1,) * rank
            shape = (1,) * min(rank, 2)
        else:
            self._extents = (*outer, rows, 1)[-rank:]
            self.sizes = (1,) * (rank - 1) + (columns,)
            shape = (columns,)
        self.block = BlockType.of(shape, type_.dtype, type_.layout)
        self.single = (True,) * (rank - len(shape)) + (False,) * len(shape)
        self.count = prod(self._extents)

    def offsets(self, build: Building, number: Number) -> list[Number]:
        """Where page ``number`` begins, in each dimension."""
        result: list[Number] = []
        for extent in reversed(self._extents):
            result.append(build.remainder(number, extent))
            number = build.quotient(number, extent)
        return result[::-1]
