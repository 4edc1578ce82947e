"""``ttl-expand``: expressions of blocks compute what they computed, in functions that the chip has.

``lit/expand.mlir`` shows what an operation becomes, and ``lit/not_expanded.mlir`` what the chip does not compute.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, TensorType, f64, i64
from xdsl.dialects.test import TestOp as UseOp
from xdsl.ir import Block, Operation, Region, SSAValue

from rows.test_lowering import cases_of
from ttl.diag.model import Diagnostic
from ttl.dialects.compute import COMPUTE, BlockComputeOp, constant_of
from ttl.dialects.elements import RetypeOp, block_type_of, value_type
from ttl.ir.locations import synthetic
from ttl.ir.verifier import require_valid
from ttl.passes.expand import AS_IS, Expand
from ttl.rows.dtypes import FLOAT32, INT32, REAL_NUMBER, UINT16, UINT32, WHOLE_NUMBER, DType
from ttl.rows.lowering import form_of, is_elementwise, lacking, tile_call
from ttl.rows.row import OperandType, Params
from ttl.rows.table import op as row_named
from ttl.rows.types import BlockType

SHAPE = (1, 1)


class Expression:
    """A module whose operations take two blocks of one type, and compute others of that type from them."""

    def __init__(self, dtype: DType) -> None:
        self.block = Block(arg_types=[value_type(BlockType.of(SHAPE, dtype))] * 2)
        self.module = ModuleOp(Region(self.block))

    def number(self, value: float) -> SSAValue:
        whole = type(value) is int
        return self._add(ConstantOp(IntegerAttr(int(value), i64) if whole else FloatAttr(value, f64)))

    def apply(self, name: str, operands: tuple[SSAValue, ...], params: Params = ()) -> SSAValue:
        kind = COMPUTE[name]
        result = kind.ROW.infer(tuple(map(type_of, operands)), params)
        assert isinstance(result, BlockType), result
        return self._add(kind(operands, params, result))

    def use(self, value: SSAValue) -> None:
        self.block.add_op(UseOp([value]))

    def _add(self, op: Operation) -> SSAValue:
        op.location = synthetic("test")
        self.block.add_op(op)
        return op.results[0]

    def values(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """What is used, computed by the rows; integers wrapped where they are stored."""
        known: dict[SSAValue, object] = dict(zip(self.block.args, arrays))
        used = []
        for op in self.block.ops:
            with np.errstate(all="ignore"):
                match op:
                    case ConstantOp():
                        known[op.result] = constant_of(op.result)
                    case BlockComputeOp():
                        operands = [known[operand] for operand in op.operands]
                        known[op.result] = op.row.evaluate(operands, op.params, block_type_of(op.result.type))
                    case RetypeOp():
                        known[op.result] = known[op.value]
                    case UseOp():
                        dtype = block_type_of(op.operands[0].type).dtype
                        stored = dtype.load(dtype.store(np.asarray(known[op.operands[0]])))
                        used.append(np.broadcast_to(stored, arrays[0].shape))
        return used

    def expand(self) -> None:
        """Run the pass: the chip has a function for all that is elementwise, and a second run changes nothing."""
        Expand().apply(Context(), self.module)
        require_valid(self.module)
        for op in self.block.ops:
            if isinstance(op, BlockComputeOp) and is_elementwise(op.row) and AS_IS not in op.attributes:
                assert is_direct(op), str(op)
        text = str(self.module)
        Expand().apply(Context(), self.module)
        assert str(self.module) == text


def is_direct(op: BlockComputeOp) -> bool:
    types = tuple(map(type_of, op.operands))
    form = form_of(types)
    assert form is not None
    number = types[1] if form == "scalar" else None
    assert not isinstance(number, BlockType)
    blocks = [kind.dtype for kind in types if isinstance(kind, BlockType)]
    own = [dtype for dtype in blocks if dtype not in (WHOLE_NUMBER, REAL_NUMBER)] or blocks
    return tile_call(op.row, form, own[-1], op.params, number) is not None


def type_of(value: SSAValue) -> OperandType:
    if isinstance(value.type, TensorType):
        return block_type_of(value.type)
    number = constant_of(value)
    assert number is not None
    return number


FLOAT_ROWS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "max", "min", "pow", "rsub", "eq", "lt", "ge", "abs", "neg",
    "exp", "square", "relu_min", "relu_max", "clamp", "threshold", "sign", "signbit", "mask", "where", "round",
)  # fmt: skip
INTEGER_ROWS = (
    "add", "sub", "mul", "xor", "max", "min", "rsub", "eq", "ne", "lt", "le", "gt", "ge", "abs", "square", "relu_min",
    "relu_max", "clamp", "threshold", "sign", "signbit", "mask", "where",
)  # fmt: skip


def random_expression(chooser: random.Random, dtype: DType) -> Expression:
    """Up to six rows that the chip computes in a type, applied to blocks, filled blocks and numbers; all of them are used."""
    expression = Expression(dtype)
    values: list[SSAValue] = [*expression.block.args]
    for _ in range(6):
        row = row_named(chooser.choice(FLOAT_ROWS if dtype.is_float else INTEGER_ROWS))
        params = chooser.choice(
            [case for case in cases_of(row) if dtype.is_float or all(type(number) is int for number in case)]
        )
        operands: list[SSAValue] = []
        for operand in row.operands:
            kind = chooser.choice(["block"] * 3 + (["number", "fill"] if operand.scalar else []))
            number: float = chooser.choice([0.5, 2, 1, 3, -1.5] if dtype.is_float else [0, 1, 2, 3])
            match kind:
                case "number":
                    operands.append(expression.number(number))
                case "fill":
                    operands.append(expression.apply("fill", (), (number, SHAPE, None)))
                case _:
                    operands.append(chooser.choice(values))
        types = tuple(map(type_of, operands))
        result = row.infer(types, params)
        if isinstance(result, Diagnostic) or lacking(row, types, params, result):
            continue
        if result.dtype is dtype:
            values.append(expression.apply(row.name, tuple(operands), params))
            expression.use(values[-1])
    return expression


@pytest.mark.parametrize("dtype", (FLOAT32, INT32, UINT32, UINT16), ids=repr)
@pytest.mark.parametrize("seed", range(25))
def test_random_expressions_mean_the_same(seed: int, dtype: DType) -> None:
    expression = random_expression(random.Random(seed), dtype)
    generator = np.random.default_rng(seed)
    if dtype.is_float:
        arrays = [(generator.integers(-64, 64, (32, 32)) / 8).astype(np.float32) for _ in range(2)]
    else:
        # Within an expression the simulator has 64 bits, registers have the type's: small values stay within both.
        arrays = [generator.integers(0, 4, (32, 32)).astype(np.int64) for _ in range(2)]
    before = expression.values(arrays)
    expression.expand()
    for old, new in zip(before, expression.values(arrays), strict=True):
        if dtype.is_float:
            # What was rounded otherwise may be at another side of a step.
            near = np.isclose(old, new, rtol=1e-3, atol=1e-5, equal_nan=True)
            assert near.mean() > 0.97
        else:
            small = (np.abs(old) < 1 << 14) & (old >= 0)
            assert (old == new)[small].all()


def test_a_filled_block_within_an_expansion_is_a_number() -> None:
    """The sign bit of unsigned elements is a block filled with 1, and the difference in a comparison is with that block."""
    expression = Expression(UINT32)
    ones = expression.apply("signbit", (expression.block.args[0],))
    expression.use(expression.apply("lt", (ones, expression.number(2))))
    expression.expand()
