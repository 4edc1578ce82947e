"""What ``canonicalize`` does to operations of the ``ttl`` dialect: what the program itself decides becomes a constant."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ttl.dialects.compute import constant_of
from ttl.dialects.lookup import ConstantLookupOp
from ttl.dialects.pipes import CreatePipeNetOp, IfPipeOp, IsPipeDstOp, IsPipeSrcOp
from ttl.dialects.queries import DimOp, GridSizeOp, NodeLinearOp, NodeOp
from ttl.dialects.structure import OperationOp
from ttl.dialects.transfer import TensorSliceOp
from ttl.ir.syntax import DYNAMIC
from ttl.protocol.grid import grid_size


class NodeOfOne(RewritePattern):
    """Along an extent of 1 a node has the coordinate 0."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, NodeOp)
        grid = _grid_of(op)
        if grid is None:
            return
        sizes = grid_size(grid, op.dims)
        if not any(size == 1 and result.uses for size, result in zip(sizes, op.results, strict=True)):
            return
        zero = ConstantOp.from_int_and_width(0, IndexType())
        rewriter.insert(zero)
        for size, result in zip(sizes, op.results, strict=True):
            if size == 1:
                rewriter.replace_all_uses_with(result, zero.result)


class KnownGrid(RewritePattern):
    """The extents of the grid are those of the operation around it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, GridSizeOp)
        grid = _grid_of(op)
        if grid is not None:
            _replace_by_numbers(op, grid_size(grid, op.dims), rewriter)


class LinearOfOne(RewritePattern):
    """In a grid of one node its number is 0."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        grid = _grid_of(op)
        if grid is not None and set(grid) == {1}:
            _replace_by_numbers(op, (0,), rewriter)


class StaticDim(RewritePattern):
    """The extent of a tensor whose shape is known."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, DimOp)
        extent = op.shape[op.axis]
        if extent != DYNAMIC:
            _replace_by_numbers(op, (extent,), rewriter)


class KnownMember(RewritePattern):
    """The member at a known index, and that of a list of one number."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ConstantLookupOp)
        index = constant_of(op.index)
        if len(set(op.members)) == 1:
            index = 0
        if isinstance(index, int) and 0 <= index < len(op.members):
            _replace_by_numbers(op, (op.members[index],), rewriter)


class StaticSizes(RewritePattern):
    """Sizes of a slice that are constants."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, TensorSliceOp)
        known = [size if isinstance(size, int) else constant_of(size) for size in op.size_values]
        sizes = [DYNAMIC if size is None or size < 0 else int(size) for size in known]
        if tuple(sizes) == op.sizes:
            return
        dynamic: list[SSAValue] = [
            value
            for size, value in zip(sizes, op.size_values, strict=True)
            if size == DYNAMIC and isinstance(value, SSAValue)
        ]
        rewriter.replace(
            op,
            TensorSliceOp(op.accessor, op.offsets, sizes=sizes, single=op.single, dynamic_sizes=dynamic),
        )


class NoPipes(RewritePattern):
    """No node has a part in a net without pipes."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        net = op.operands[0].owner
        if not isinstance(net, CreatePipeNetOp) or net.pipes:
            return
        if isinstance(op, IfPipeOp):
            rewriter.erase(op)
        else:
            rewriter.replace(op, ConstantOp(IntegerAttr(0, i1)))


PATTERNS: tuple[tuple[type[Operation], RewritePattern], ...] = (
    (NodeOp, NodeOfOne()),
    (GridSizeOp, KnownGrid()),
    (NodeLinearOp, LinearOfOne()),
    (ConstantLookupOp, KnownMember()),
    (DimOp, StaticDim()),
    (TensorSliceOp, StaticSizes()),
    (IfPipeOp, NoPipes()),
    (IsPipeSrcOp, NoPipes()),
    (IsPipeDstOp, NoPipes()),
)


def _grid_of(op: Operation) -> tuple[int, ...] | None:
    above = op.parent_op()
    while above is not None and not isinstance(above, OperationOp):
        above = above.parent_op()
    return None if above is None else above.grid.extents


def _replace_by_numbers(op: Operation, numbers: Sequence[int], rewriter: PatternRewriter) -> None:
    constants = [ConstantOp.from_int_and_width(number, IndexType()) for number in numbers]
    rewriter.replace(op, constants, [constant.result for constant in constants])
