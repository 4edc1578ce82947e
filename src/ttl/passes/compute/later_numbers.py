"""Numbers that are combined with blocks and known only when the kernel runs: as operands, or as filled blocks.

A function that takes any number gets its bits, computed in the kernel. If there is no such function for these elements,
the number fills a block, and functions of blocks do the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import Float64Type, IndexType, TensorType, f32, i32
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ttl.diag.model import Diagnostic, error
from ttl.dialects.buffers import BlockAccumulateOp, BlockStoreOp
from ttl.dialects.compute import A_FRACTION, AN_INTEGER, COMPUTE, BlockComputeOp, constant_of
from ttl.dialects.types import BlockMemoryType
from ttl.passes.building import Building
from ttl.passes.compute.views import type_of
from ttl.rows.dtypes import INT32, REAL_NUMBER, WHOLE_NUMBER, DType
from ttl.rows.lowering import is_modular, tile_call, with_any_number
from ttl.rows.row import Form
from ttl.rows.table import FILL
from ttl.rows.types import BlockType

_NUMBERS = (WHOLE_NUMBER, REAL_NUMBER)


def is_later(value: SSAValue) -> bool:
    """Whether a value is a number that is known only when the kernel runs."""
    return not _is_block(value) and constant_of(value) is None


def has_later(op: BlockComputeOp) -> bool:
    """Whether an operation has a number among its operands that is known only when the kernel runs."""
    return op.row.family != "fill" and any(map(is_later, op.operands))


def is_direct(op: BlockComputeOp) -> bool:
    """Whether a function takes the number of an operation, its right operand."""
    if len(op.operands) != 2 or is_later(op.operands[0]) or _computed_in(op) in _NUMBERS:
        return False
    return with_any_number(op.row, _computed_in(op), is_left=False) is not None


def settled(op: BlockComputeOp, insert: Callable[[Operation], None]) -> BlockComputeOp:
    """Return the operation with its number to the right of a function that takes it, else with filled blocks."""
    dtype = _computed_in(op)
    if len(op.operands) == 2 and dtype not in _NUMBERS:
        is_left = is_later(op.operands[0])
        name = with_any_number(op.row, dtype, is_left=is_left)
        if name is not None:
            operands = op.operands[::-1] if is_left else op.operands
            return _made(name, operands, op, insert)
    return _made(op.row.name, [_filled(value, op, insert) for value in op.operands], op, insert)


def cannot_wrap(op: BlockComputeOp) -> Diagnostic | None:
    """Return an error (TTL1452) if a run-time number beside unsigned integers is compared or divided by; None otherwise."""
    dtype = _computed_in(op)
    if dtype.is_float or dtype in (INT32, *_NUMBERS) or is_modular(op.row):
        return None
    return error(
        "TTL1452",
        f"{op.row.label}: the number beside {dtype} elements is known only when the kernel runs, and may be negative",
        notes=(
            f"the registers hold it as {dtype}, so a negative or too large number would become another one",
        ),
        help=(
            "convert the block first: ttl.math.typecast(x, ttnn.int32)",
            *(
                "or unroll the loop, so that the number is known in each iteration: for ... in list(range(n)):",
            )
            * _counts(op),
        ),
    )


def _counts(op: BlockComputeOp) -> bool:
    """Whether a number depends only on the variables of loops that run a known number of times."""
    reached = [operand for operand in op.operands if is_later(operand)]
    for value in reached:
        if isinstance(value, OpResult):
            if not value.op.operands and constant_of(value) is None:
                return False
            reached += [operand for operand in value.op.operands if operand not in reached]
        elif not _is_counter(value):
            return False
    return True


def _is_counter(value: SSAValue) -> bool:
    if not isinstance(value, BlockArgument) or value.index:
        return False
    loop = value.owner.parent_op()
    if isinstance(loop, affine.ForOp):
        return not loop.lowerBoundOperands and not loop.upperBoundOperands
    if isinstance(loop, scf.ForOp):
        return None not in map(constant_of, (loop.lb, loop.ub, loop.step))
    return False


def integers_wanted(op: BlockComputeOp) -> set[DType]:
    """The integer types that uses give the result, if all blocks are whole numbers without an element type yet."""
    if not _is_of_numbers_alone(op):
        return set()
    return {dtype for dtype in _wanted(op.result) if not dtype.is_float}


def cannot_keep(op: BlockComputeOp, wanted: set[DType]) -> Diagnostic | None:
    """Return an error (TTL1452) if no function of blocks does the operation for one of the types; None otherwise."""
    forms: dict[int, Form] = {1: "unary", 2: "dst", 3: "ternary"}
    form = forms[len(op.operands)]
    lacking = next((dtype for dtype in wanted if tile_call(op.row, form, dtype, op.params) is None), None)
    if lacking is None:
        return None
    return error(
        "TTL1452",
        f"{op.row.label}: its operands are numbers, and become {lacking} elements when the kernel runs",
        notes=(f"no function of the chip does this with {lacking} elements",),
        help="compute with the numbers first, and fill a block with the result",
    )


def keep_blocks(op: BlockComputeOp, insert: Callable[[Operation], None]) -> None:
    """Let an operation take filled blocks in place of numbers, for the functions of blocks."""
    for position, value in enumerate(op.operands):
        if not _is_block(value):
            op.operands[position] = _filled(value, op, insert)


def _is_of_numbers_alone(op: BlockComputeOp) -> bool:
    blocks = [operand for operand in (op.result, *op.operands) if _is_block(operand)]
    return all(type_of(block).dtype is WHOLE_NUMBER for block in blocks)


def _wanted(value: SSAValue) -> set[DType]:
    """The element types of the values that a value of numbers is combined with, and of the blocks it is stored to."""
    dtypes: set[DType] = set()
    for user in {use.operation for use in value.uses}:
        if isinstance(user, BlockStoreOp | BlockAccumulateOp):
            assert isinstance(user.block.type, BlockMemoryType)
            dtypes.add(user.block.type.block_type.dtype)
        for result in filter(_is_block, user.results):
            dtype = type_of(result).dtype
            dtypes |= _wanted(result) if dtype in _NUMBERS else {dtype}
    return dtypes


def bits_of_float(build: Building, number: SSAValue) -> SSAValue:
    """The bits of the float32 that a number, an index or a float of 64 bits, is rounded to."""
    if isinstance(number.owner, arith.SIToFPOp):
        rounded: Operation = arith.SIToFPOp(number.owner.input, f32)
    elif isinstance(number.type, IndexType):
        rounded = arith.SIToFPOp(_added(build, arith.IndexCastOp(number, i32)), f32)
    else:
        assert isinstance(number.type, Float64Type)
        rounded = arith.TruncFOp(number, f32)
    bits = arith.BitcastOp(_added(build, rounded), i32)
    return _added(build, arith.IndexCastOp(_added(build, bits), IndexType()))


def _added(build: Building, op: Operation) -> SSAValue:
    build.add(op)
    return op.results[0]


def _filled(value: SSAValue, op: BlockComputeOp, insert: Callable[[Operation], None]) -> SSAValue:
    """A block filled with a number, in the shape of the operation; blocks and known numbers stay."""
    if _is_block(value) or (constant_of(value) is not None and not _is_of_numbers_alone(op)):
        return value
    result = type_of(op.result)
    shape, layout = result.shape, result.layout
    number = constant_of(value)
    given = [value] if number is None else []
    stand_in = AN_INTEGER if isinstance(value.type, IndexType) else A_FRACTION
    type_ = FILL.infer((), (stand_in if number is None else number, shape, layout))
    assert isinstance(type_, BlockType)
    fill = COMPUTE[FILL.name](given, (number, shape, layout), type_)
    insert(fill)
    return fill.result


def _made(
    name: str, operands: object, op: BlockComputeOp, insert: Callable[[Operation], None]
) -> BlockComputeOp:
    new_op = COMPUTE[name](list(operands), op.params, type_of(op.result))  # type: ignore[call-overload]
    insert(new_op)
    return new_op


def _computed_in(op: BlockComputeOp) -> DType:
    """The element type of the blocks that an operation computes with; for a choice, that of its result."""
    if is_modular(op.row) and len(op.operands) == 3:
        return type_of(op.result).dtype
    return next(type_of(value).dtype for value in op.operands if _is_block(value))


def _is_block(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)
