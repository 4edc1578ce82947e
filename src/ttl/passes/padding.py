"""``ttl-padding``: what is behind the end of a tensor must not enter a sum, a maximum or a product.

A tensor is stored in whole tiles; behind its last row and column there is padding, zeros where TT-NN made the tensor.
What is computed from padding is anything. The language says that padding never enters a reduction or a product; the
simulator keeps it out, and here is what the hardware can do about it: sums do not mind zeros; sums along one dimension
can be weighted so that the last columns or rows do not count. Everything else is refused.

Expects: operations before ``ttl-materialize``. Guarantees: reductions that need weights have ``ttl.counted``, how many
columns (or rows) of the last tile count. Raises ``NotLowered`` TTL1406.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.dialects.retype import RetypeOp
from ttl.ops.lowering import value_of_numbers
from ttl.ops.row import Valid
from ttl.ops.rules import negative
from ttl.ops.types import TILE, BlockType, Layout
from ttl.passes.building import integer
from ttl.passes.compute.carried import LOOPS
from ttl.passes.compute.views import type_of
from ttl.passes.failure import NotLowered, placed
from ttl.passes.marks import COUNTED


@dataclass(frozen=True, slots=True)
class Padding:
    """What is known of the padding of a block: rows and columns that are none, where that is always the same."""

    valid: Valid
    is_fixed: bool = True
    is_zero: bool = True


_NONE = Padding(None)


@dataclass(frozen=True)
class KeepPaddingOut(ModulePass):
    """Look at every operation of a module."""

    name = "ttl-padding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        problems: list[Diagnostic] = []
        for operation in op.walk():
            if isinstance(operation, dialect.OperationOp):
                problems += _Analysis(operation).run()
        if problems:
            raise NotLowered(problems)


class _Analysis:
    def __init__(self, operation: dialect.OperationOp) -> None:
        self._operation = operation
        # Of buffers, nets of pipes, and values.
        self._known: dict[SSAValue, Padding] = {}
        self._changed = True

    def run(self) -> list[Diagnostic]:
        if not any(_is_padded(op) for op in self._operation.walk() if isinstance(op, dialect.TensorSliceOp)):
            return []
        while self._changed:
            self._changed = False
            for op in self._operation.walk():
                self._visit(op)
        return [problem for op in self._operation.walk() if (problem := self._problem(op)) is not None]

    # --- what padding is where ---

    def _learn(self, value: SSAValue, padding: Padding | None) -> None:
        """What else a value may be; None where nothing is known of it yet."""
        if padding is None:
            return
        before = self._known.get(value)
        after = padding if before is None else _either(before, padding)
        if after != before:
            self._known[value] = after
            self._changed = True

    def _of(self, value: SSAValue) -> Padding:
        return self._known.get(value, _NONE)

    def _visit(self, op: Operation) -> None:
        match op:
            case dialect.CopyOp():
                self._copy(op)
            case dialect.BlockReadOp():
                self._learn(op.result, self._known.get(_buffer_of(op.block)))
            case dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
                self._learn(_buffer_of(op.block), self._known.get(op.value))
            case RetypeOp():
                self._learn(op.result, self._known.get(op.value))
            case dialect.BlockComputeOp():
                self._learn(op.result, self._computed(op))
        if isinstance(op, LOOPS):
            body = op.regions[0].block
            end = body.last_op
            assert end is not None
            count = len(op.results)
            initial = op.operands[len(op.operands) - count :]
            for result, argument, first, last in zip(
                op.results, body.args[len(body.args) - count :], initial, end.operands, strict=True
            ):
                if isinstance(result.type, TensorType):
                    for each in (self._known.get(first), self._known.get(last)):
                        self._learn(argument, each)
                        self._learn(result, each)
        elif isinstance(op, scf.IfOp):
            for region in op.regions:
                end = region.block.last_op if region.blocks else None
                for result, value in zip(op.results, end.operands if end is not None else (), strict=False):
                    if isinstance(result.type, TensorType):
                        self._learn(result, self._known.get(value))

    def _copy(self, op: dialect.CopyOp) -> None:
        source, target = op.src, op.dst
        if isinstance(source.owner, dialect.TensorSliceOp):
            self._learn(_buffer_of(target), _padding_of(source.owner))
        elif isinstance(target.type, dialect.PipeType):
            self._learn(_net_of(target), self._known.get(_buffer_of(source)))
        elif isinstance(source.type, dialect.PipeType):
            self._learn(_buffer_of(target), self._known.get(_net_of(source)))

    def _computed(self, op: dialect.BlockComputeOp) -> Padding | None:
        tiles = [operand for operand in op.operands if isinstance(operand.type, TensorType)]
        paddings = [self._known[operand] for operand in tiles if operand in self._known]
        if len(paddings) < len(tiles):
            return None
        if all(each.valid is None for each in paddings):
            return _NONE
        result = type_of(op.result)
        valid = op.row.valid_rule([each.valid for each in paddings], op.params, result)
        fixed = all(each.is_fixed for each in paddings)
        if valid is None and fixed:
            return _NONE
        return Padding(valid or (0, 0), fixed, _stays_zero(op, paddings, result))

    # --- where it must not enter ---

    def _problem(self, op: Operation) -> Diagnostic | None:
        if not isinstance(op, dialect.BlockComputeOp):
            return None
        if op.row.name == "matmul":
            left, right = (self._of(operand) for operand in op.operands)
            depth = type_of(op.operands[0]).elements[-1]
            sides = ((left, 1), (right, 0))
            if any(_adds_to(side, other, depth) for side, other in (sides, sides[::-1])):
                return placed(_enters(op, "the product sums over"), op)
            return None
        if op.row.name not in ("reduce_sum", "reduce_max"):
            return None
        (source,) = op.operands
        padding, block = self._of(source), type_of(source)
        reduced = negative(op.params[0], len(block.shape))
        if padding.valid is None or not _touches(padding, block, reduced):
            return None
        if op.row.name == "reduce_sum" and padding.is_zero:
            return None
        is_weighted = op.row.name == "reduce_sum" and block.dtype.is_float
        if is_weighted and padding.is_fixed and not {-2, -1} <= set(reduced):
            axis = -1 if -1 in reduced else -2
            counted = padding.valid[axis] - (block.elements[axis] - TILE)
            if 0 < counted < TILE:
                op.attributes[COUNTED] = IntegerAttr(counted, i64)
                return None
        what = "the maximum is over" if op.row.name == "reduce_max" else "the sum is over"
        return placed(_enters(op, what), op)


def _adds_to(side: tuple[Padding, int], other: tuple[Padding, int], depth: int) -> bool:
    """Whether padding of one factor enters a sum of products: it is not zero, nor what it is multiplied with."""
    (padding, axis), (factor, factor_axis) = side, other
    if padding.valid is None or padding.is_zero or (padding.is_fixed and padding.valid[axis] >= depth):
        return False
    return (
        factor.valid is None
        or not factor.is_zero
        or factor.is_fixed is not padding.is_fixed
        or factor.valid[factor_axis] != padding.valid[axis]
    )


def _touches(padding: Padding, block: BlockType, reduced: tuple[int, ...]) -> bool:
    """Whether there is padding along a reduced dimension."""
    assert padding.valid is not None
    return any(
        axis in reduced and (not padding.is_fixed or padding.valid[axis] < block.elements[axis])
        for axis in (-2, -1)
    )


def _either(one: Padding, other: Padding) -> Padding:
    if one.valid == other.valid:
        return Padding(one.valid, one.is_fixed and other.is_fixed, one.is_zero and other.is_zero)
    return Padding(one.valid or other.valid, False, one.is_zero and other.is_zero)


def _is_padded(op: dialect.TensorSliceOp) -> bool:
    accessor = op.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    return accessor.layout is Layout.TILE and any(extent % TILE for extent in accessor.shape[-2:])


def _padding_of(op: dialect.TensorSliceOp) -> Padding:
    """The padding in blocks that a slice of a tensor is copied to."""
    if not _is_padded(op):
        return _NONE
    accessor = op.accessor.type
    assert isinstance(accessor, dialect.AccessorType)
    valid: list[int] = []
    fixed = True
    for extent, offset, size in zip(
        accessor.shape[-2:], list(op.offsets)[-2:], list(op.size_values)[-2:], strict=True
    ):
        first = integer(offset)
        tiles = -(-extent // TILE)
        count = size if isinstance(size, int) else tiles
        if extent % TILE == 0 or (first is not None and first + count < tiles):
            valid.append(count * TILE)
        elif first is not None and isinstance(size, int):
            valid.append(extent - first * TILE)
        else:
            fixed = count == tiles
            valid.append(extent if fixed else count * TILE - TILE + extent % TILE)
    return Padding((valid[0], valid[1]), fixed)


def _buffer_of(block: SSAValue) -> SSAValue:
    return dialect.dfb_of(block) or block


def _net_of(pipe: SSAValue) -> SSAValue:
    owner = pipe.owner if isinstance(pipe.owner, Operation) else pipe.owner.parent_op()
    return owner.net if isinstance(owner, dialect.IfPipeOp) else pipe


_VIEWS = ("squeeze", "unsqueeze", "broadcast", "transpose")


def _stays_zero(op: dialect.BlockComputeOp, paddings: Sequence[Padding], result: BlockType) -> bool:
    """Whether padding of zeros is still zeros after an operation."""
    padded = [each for each in paddings if each.valid is not None]
    if not all(each.is_zero for each in padded):
        return False
    if op.row.name in (*_VIEWS, "matmul", "reduce_sum"):
        return True
    if op.row.name == "mul":
        return True
    if len({each.valid for each in paddings}) > 1 or any(
        type_of(op.result).shape != type_of(each).shape
        for each in op.operands
        if isinstance(each.type, TensorType)
    ):
        return False
    operands = [0 if isinstance(each.type, TensorType) else dialect.constant_of(each) for each in op.operands]
    numbers = [each for each in operands if each is not None]
    return len(numbers) == len(operands) and value_of_numbers(op.row, numbers, op.params, result) == 0


def _enters(op: dialect.BlockComputeOp, what: str) -> Diagnostic:
    return error(
        "TTL1406",
        f"{what} padding of a tensor whose extent is no multiple of {TILE}, and the hardware cannot leave it out",
        notes=(
            "the simulator keeps padding out of reductions and products; on the chip it is part of the tile",
        ),
        help="pad the tensor to a multiple of 32 with what does not change the result: ttnn.pad(..., value=0) for sums "
        "and products, value=-inf for maxima; or mask the block before: ttl.block.where(mask, expr, fill)",
    )
