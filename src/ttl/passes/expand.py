"""``ttl-expand``: operations that the chip has no single function for, rewritten as operations that it has.

Expects: values of whole blocks, before regions are formed. Guarantees: every ``ttl.block_*`` operation that is
elementwise has a ``tile_call`` for its operands; numbers that loops carry and branches choose have an integer type
where their uses require one; other numbers are the right operand, and a filled block becomes a number if a function
takes a number there. New operations have the location of the operation that they replace. Fills, typecasts, reductions,
broadcasts, transposes, products of matrices and changes of shape are left alone. Running it again changes nothing.

Raises ``NotLowered`` with an error for each operation that the chip does not compute (TTL1450 to TTL1452).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, StringAttr, TensorType, UnitAttr, f64, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ttl.analysis.dominance import walked
from ttl.diag.model import Diagnostic, error
from ttl.dialects.buffers import BlockAccumulateOp
from ttl.dialects.compute import COMPUTE, BlockComputeOp, constant_of
from ttl.dialects.elements import RetypeOp, block_type_of
from ttl.dialects.types import BlockMemoryType
from ttl.ir.failure import NotLowered, placed
from ttl.passes.compute.carried_numbers import settle_carried_numbers
from ttl.passes.compute.later_numbers import (
    cannot_keep,
    cannot_wrap,
    has_later,
    integers_wanted,
    is_direct,
    keep_blocks,
    settled,
)
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import WHY
from ttl.rows.dtypes import INT32
from ttl.rows.lowering import (
    Apply,
    Expansion,
    RowOperand,
    expansion,
    is_elementwise,
    lacking,
    tile_call,
    value_of_numbers,
)
from ttl.rows.row import Op, OperandType, Params, is_whole
from ttl.rows.table import ADD, EQ, FILL
from ttl.rows.types import BlockType

# An attribute of operations that are not expanded: elements that their row leaves undefined here do not matter.
AS_IS = "ttl.as_is"


@dataclass(frozen=True)
class Expand(ModulePass):
    """Rewrite operations that the chip has no function for to operations that it has."""

    name = "ttl-expand"
    contract: ClassVar = Contract(
        needs=(PassFact.CHIP, PassFact.SYNC), gives=(PassFact.ROWS,), before=(PassFact.MODE,), again=True
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        findings: list[Diagnostic] = []
        settle_carried_numbers(walked(op))
        for entry in walked(op):
            waiting = [entry] if isinstance(entry, BlockComputeOp | BlockAccumulateOp) else []
            while waiting:
                item = waiting.pop()
                decided = _decided(item) if item.parent is not None else None
                if isinstance(decided, Diagnostic):
                    findings.append(placed(decided, item))
                elif decided is not None:
                    waiting += reversed(decided())
        if findings:
            raise NotLowered(findings)


# A change rewrites an operation and returns the new operations, in order, about which ``_decided`` decides as well.
_Change = Callable[[], Sequence[BlockComputeOp]]


def _decided(op: BlockComputeOp | BlockAccumulateOp) -> Diagnostic | _Change | None:
    """Return an error for an operation or the change that expands it; None if it stays. Nothing is rewritten yet."""
    if isinstance(op, BlockAccumulateOp):
        return _cannot_add(op)
    if op.row.family == "reduction":
        return _cannot_reduce(op)
    if not is_elementwise(op.row) or AS_IS in op.attributes:
        return None
    if has_later(op):
        return cannot_wrap(op) or (None if is_direct(op) else partial(_settle, op))
    if (params := _fill_params(op)) is not None:
        return partial(_fill, op, params)
    operands = _operands(op)
    wanted = integers_wanted(op)
    if wanted:
        return cannot_keep(op, wanted) or partial(_keep, op)
    return _expanded(op, operands)


def _expanded(op: BlockComputeOp, operands: list[SSAValue | float]) -> Diagnostic | _Change | None:
    """Return the change that rewrites an operation; None if it stays; an error if the chip cannot compute it."""
    types = tuple(map(_type_of, operands))
    result = _result_of(op)
    tree = expansion(op.row, types, op.params, result)
    if tree is None:
        reason = lacking(op.row, types, op.params, result)
        if reason is not None:
            return _refusal(op.row, types, reason)
        if all(isinstance(new, SSAValue) for new, old in zip(operands, op.operands) if _is_block(old)):
            return None
        tree = Apply(
            op.row.name,
            tuple(RowOperand(at) if isinstance(kind, BlockType) else kind for at, kind in enumerate(types)),
            op.params,
        )
    return partial(_write, op, operands, tree)


def _write(op: BlockComputeOp, operands: list[SSAValue | float], tree: Expansion) -> list[BlockComputeOp]:
    """Replace an operation by an expansion; return the operations of that."""
    writer = _ExpansionWriter(op, operands)
    value = writer.value(tree)
    rows = [written.row.name for written in writer.written]
    if len(rows) > 1 and isinstance(value.owner, Operation):
        value.owner.attributes[WHY] = StringAttr(
            f"{op.row.label} takes {len(rows)} functions of the chip: {', '.join(rows)}"
        )
    _replace(op, value)
    return writer.written


def _settle(op: BlockComputeOp) -> list[BlockComputeOp]:
    """Rewrite an operation with a number known only when the kernel runs, so that there are functions for it."""
    new_op = settled(op, lambda item: _insert(item, op))
    _replace(op, new_op.result)
    return [] if has_later(new_op) else [new_op]


def _keep(op: BlockComputeOp) -> list[BlockComputeOp]:
    keep_blocks(op, lambda item: _insert(item, op))
    return []


def _cannot_add(op: BlockAccumulateOp) -> Diagnostic | None:
    """Return why nothing can be added to a block of this type."""
    assert isinstance(op.block.type, BlockMemoryType)
    types = (op.block.type.block_type,) * 2
    reason = lacking(ADD, types, (), types[0])
    return None if reason is None else _refusal(ADD, types, reason)


def _cannot_reduce(op: BlockComputeOp) -> Diagnostic | None:
    """Return why integers cannot be reduced: the matrix unit, which reduces rows and columns, takes them for floats.

    The vector unit adds up rows and columns of some integer types. Along other dimensions, whole tiles are added or
    compared one after the other.
    """
    (value,) = op.operands
    given = _type_of(value)
    assert isinstance(given, BlockType)
    rank = len(given.shape)
    if given.dtype.is_float:
        return None
    if not {dim % rank for dim in op.params[0]} & {rank - 1, rank - 2}:
        assert op.row.pairwise is not None
        step = COMPUTE[op.row.pairwise].ROW
        reason = lacking(step, (given, given), (), given)
        return None if reason is None else _refusal(op.row, (given,), reason)
    if tile_call(op.row, "unary", given.dtype, ((-1,), None)) is not None:
        return None
    what = "adds up" if op.row.adds_up else "finds no maximum in"
    which = "of floats, int32 and uint32, not of" if op.row.adds_up else "of"
    return _refusal(op.row, (given,), f"the chip {what} rows and columns {which} {given.dtype}")


def _operands(op: BlockComputeOp) -> list[SSAValue | float]:
    """The operands; a fill becomes a number if another operand is a block."""
    operands: list[SSAValue | float] = [_number_or_value(value) for value in op.operands]
    fills = [_fill_of(value) for value in op.operands]
    blocks = [at for at, operand in enumerate(operands) if isinstance(operand, SSAValue)]
    if len(op.operands) != 2 or len(blocks) != 2:
        return operands
    for at in (1, 0):
        number = fills[at]
        if number is None or not op.row.operands[at].scalar:
            continue
        candidate = [*operands]
        candidate[at] = number
        types = tuple(map(_type_of, candidate))
        result = _result_of(op)
        if op.row.infer(types, op.params) is not result or lacking(op.row, types, op.params, result):
            continue
        tree = expansion(op.row, types, op.params, result)
        if not _is_filled_again(tree, op):
            return candidate
    return operands


def _is_filled_again(tree: Expansion | None, op: BlockComputeOp) -> bool:
    """Whether an expansion is the same row again, with a filled block in place of its number."""
    return (
        isinstance(tree, Apply)
        and tree.row == op.row.name
        and all(
            isinstance(operand, RowOperand) or (isinstance(operand, Apply) and operand.row == FILL.name)
            for operand in tree.operands
        )
    )


def _fill_params(op: BlockComputeOp) -> Params | None:
    """Return the parameters of the fill that an operation on numbers only amounts to; None if its type has no fill."""
    numbers = [number for value in op.operands if (number := _known_number(value)) is not None]
    if len(numbers) < len(op.operands):
        return None
    result = _result_of(op)
    number = value_of_numbers(op.row, numbers, op.params, result)
    whole = is_whole(number) and math.copysign(1, number) == math.copysign(1, int(number))
    params = (int(number) if whole else number, result.shape, result.layout)
    return params if FILL.infer((), params) is result else None


def _known_number(value: SSAValue) -> float | None:
    """A number, or the number that a block is filled with; None for other blocks."""
    given = _number_or_value(value)
    return _fill_of(value) if isinstance(given, SSAValue) else given


def _fill(op: BlockComputeOp, params: Params) -> list[BlockComputeOp]:
    """Replace an operation by a fill."""
    fill = COMPUTE[FILL.name]((), params, _result_of(op))
    _insert(fill, op)
    _replace(op, fill.result)
    return []


def _replace(op: BlockComputeOp, value: SSAValue) -> None:
    operands = [*op.operands]
    if value.type != op.result.type:
        retyped = RetypeOp(value, _result_of(op))
        _insert(retyped, op)
        value = retyped.result
    value.name_hint = value.name_hint or op.result.name_hint
    op.result.replace_all_uses_with(value)
    Rewriter.erase_op(op)
    for fromkey in dict.fromkeys(operands):
        owner = fromkey.owner
        if isinstance(owner, BlockComputeOp | RetypeOp | ConstantOp) and not any(
            result.uses for result in owner.results
        ):
            Rewriter.erase_op(owner)


def _insert(op: Operation, place: BlockComputeOp) -> None:
    op.location = place.location
    Rewriter.insert_op(op, InsertPoint.before(place))


class _ExpansionWriter:
    """Writes an expansion in front of the operation it is for."""

    def __init__(self, op: BlockComputeOp, operands: list[SSAValue | float]) -> None:
        self._op = op
        self._operands = operands
        self._known: dict[int, SSAValue] = {}
        self.written: list[BlockComputeOp] = []
        self._numbers: dict[tuple[type, float], SSAValue] = {}

    def value(self, tree: Expansion) -> SSAValue:
        """Write a tree, its parts first and each of them once, and return its value."""
        if isinstance(tree, RowOperand):
            given = self._operands[tree.position]
            assert isinstance(given, SSAValue)
            return given
        match tree:
            case Apply(row=EQ.name, operands=(RowOperand() as compared, 1)) if _is_truth(
                self.value(compared)
            ):
                return self.value(compared)
        if id(tree) not in self._known:
            parts = [
                self.value(operand) if isinstance(operand, Apply | RowOperand) else self._number(operand)
                for operand in tree.operands
            ]
            kind = COMPUTE[tree.row]
            block_type = kind.ROW.infer(tuple(map(_type_of, map(_number_or_value, parts))), tree.params)
            assert isinstance(block_type, BlockType)
            op = kind(parts, tree.params, block_type)
            if tree.as_is:
                op.attributes[AS_IS] = UnitAttr()
            _insert(op, self._op)
            self.written.append(op)
            self._known[id(tree)] = op.result
        return self._known[id(tree)]

    def _number(self, number: float) -> SSAValue:
        key = (type(number), number)
        if key not in self._numbers:
            whole = isinstance(number, int) and number.bit_length() < 64
            op = ConstantOp(IntegerAttr(int(number), i64) if whole else FloatAttr(float(number), f64))
            _insert(op, self._op)
            self._numbers[key] = op.result
        return self._numbers[key]


def _refusal(row: Op, types: tuple[OperandType, ...], reason: str) -> Diagnostic:
    blocks = [type_ for type_ in types if isinstance(type_, BlockType)]
    integers = [block for block in blocks if not block.dtype.is_float]
    if not integers:
        return error("TTL1451", f"{row.label}: {reason}")
    other = "float32" if integers[0].dtype is INT32 or row.family == "reduction" else "int32"
    return error(
        "TTL1450",
        f"{row.label}: {reason}",
        help=f"convert the blocks first: ttl.math.typecast(x, ttnn.{other})",
    )


def _result_of(op: BlockComputeOp) -> BlockType:
    assert isinstance(op.result.type, TensorType)
    return block_type_of(op.result.type)


def _type_of(operand: SSAValue | float) -> OperandType:
    if not isinstance(operand, SSAValue):
        return operand
    assert isinstance(operand.type, TensorType)
    return block_type_of(operand.type)


def _is_truth(value: SSAValue) -> bool:
    """Whether a value is the result of a comparison: 0 or 1 everywhere."""
    owner = value.owner
    while isinstance(owner, RetypeOp):
        owner = owner.value.owner
    return isinstance(owner, BlockComputeOp) and "comparison" in owner.row.traits


def _is_block(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _number_or_value(value: SSAValue) -> SSAValue | float:
    if _is_block(value):
        return value
    number = constant_of(value)
    assert number is not None
    return number


def _fill_of(value: SSAValue) -> float | None:
    """The number that a block is filled with; None for a block that is not filled with a number."""
    op = value.owner
    if isinstance(op, RetypeOp):
        return _fill_of(op.value)
    if not isinstance(op, BlockComputeOp) or op.row.family != "fill":
        return None
    number: float = op.params[0]
    return number
