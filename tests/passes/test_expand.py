"""``ttl-expand``: expressions of blocks compute what they computed, in functions that the chip has."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, ModuleOp, TensorType, f64, i64
from xdsl.dialects.test import TestOp as UseOp
from xdsl.ir import Block, Operation, Region, SSAValue

from rows.test_lowering import cases_of
from ttl.diag.model import Diagnostic
from ttl.dialects.compute import COMPUTE, BlockComputeOp, constant_of
from ttl.dialects.elements import RetypeOp, block_type_of, value_type
from ttl.ir.failure import NotLowered
from ttl.ir.locations import synthetic
from ttl.passes.expand import AS_IS, Expand
from ttl.passes.marks import WHY
from ttl.rows.dtypes import BFLOAT16, FLOAT32, INT32, REAL_NUMBER, UINT8, UINT16, UINT32, WHOLE_NUMBER, DType
from ttl.rows.lowering import form_of, is_elementwise, lacking, tile_call
from ttl.rows.row import OperandType, Params
from ttl.rows.table import op as row_named
from ttl.rows.types import BlockType

SHAPE = (1, 1)


class Expression:
    """A module with a value of blocks; ``add`` builds it up."""

    def __init__(self, *dtypes: DType) -> None:
        kinds = [BlockType.of(SHAPE, dtype) for dtype in dtypes]
        self.block = Block(arg_types=[value_type(kind) for kind in kinds])
        self.module = ModuleOp(Region(self.block))
        self.inputs: list[SSAValue] = [*self.block.args]

    def number(self, value: float) -> SSAValue:
        whole = type(value) is int
        return self._add(ConstantOp(IntegerAttr(int(value), i64) if whole else FloatAttr(value, f64)))

    def fill(self, value: float) -> SSAValue:
        return self.apply("fill", (), (value, SHAPE, None))

    def apply(self, name: str, operands: tuple[SSAValue, ...], params: Params = ()) -> SSAValue:
        kind = COMPUTE[name]
        found = kind.ROW.infer(tuple(map(type_of, operands)), params)
        assert isinstance(found, BlockType), found
        return self._add(kind(operands, params, found))

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
            match op:
                case ConstantOp():
                    known[op.result] = constant_of(op.result)
                case BlockComputeOp():
                    result = block_type_of(op.result.type)
                    with np.errstate(all="ignore"):
                        known[op.result] = op.row.evaluate(
                            [known[each] for each in op.operands], op.params, result
                        )
                case RetypeOp():
                    known[op.result] = known[op.value]
                case UseOp():
                    dtype = block_type_of(op.operands[0].type).dtype
                    with np.errstate(all="ignore"):
                        stored = dtype.load(dtype.store(np.asarray(known[op.operands[0]])))
                    used.append(np.broadcast_to(stored, arrays[0].shape))
        return used

    def expanded(self) -> str:
        Expand().apply(Context(), self.module)
        self.module.verify()
        for op in self.block.ops:
            if isinstance(op, BlockComputeOp) and is_elementwise(op.row) and AS_IS not in op.attributes:
                assert is_direct(op), str(op)
        text = str(self.module)
        Expand().apply(Context(), self.module)
        assert str(self.module) == text, "a second run changes something"
        return text


def is_direct(op: BlockComputeOp) -> bool:
    types = tuple(map(type_of, op.operands))
    form = form_of(types)
    assert form is not None
    number = types[1] if form == "scalar" else None
    assert not isinstance(number, BlockType)
    blocks = [each.dtype for each in types if isinstance(each, BlockType)]
    own = [each for each in blocks if each not in (WHOLE_NUMBER, REAL_NUMBER)] or blocks
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


@pytest.mark.parametrize("dtype", (FLOAT32, INT32, UINT32, UINT16), ids=repr)
@pytest.mark.parametrize("seed", range(25))
def test_random_expressions_mean_the_same(seed: int, dtype: DType) -> None:
    chooser = random.Random(seed)
    generator = np.random.default_rng(seed)
    expression = Expression(dtype, dtype)
    values = [*expression.inputs]
    for _ in range(6):
        row = row_named(chooser.choice(FLOAT_ROWS if dtype.is_float else INTEGER_ROWS))
        params = chooser.choice([each for each in cases_of(row) if dtype.is_float or whole(each)])
        operands: list[SSAValue] = []
        for operand in row.operands:
            kinds = ["block"] * 3 + (["number", "fill"] if operand.scalar else [])
            kind = chooser.choice(kinds)
            number: float = chooser.choice([0, 1, 2, 3] if not dtype.is_float else [0.5, 2, 1, 3, -1.5])
            match kind:
                case "number":
                    operands.append(expression.number(number))
                case "fill":
                    operands.append(expression.fill(number))
                case _:
                    operands.append(chooser.choice(values))
        found = row.infer(tuple(map(type_of, operands)), params)
        if isinstance(found, Diagnostic) or lacking(row, tuple(map(type_of, operands)), params, found):
            continue
        if found.dtype is dtype:
            values.append(expression.apply(row.name, tuple(operands), params))
            expression.use(values[-1])
    if dtype.is_float:
        arrays = [(generator.integers(-64, 64, (32, 32)) / 8).astype(np.float32) for _ in range(2)]
    else:
        # Within an expression the simulator has 64 bits, registers have the type's: small values stay within both.
        arrays = [generator.integers(0, 4, (32, 32)).astype(np.int64) for _ in range(2)]
    before = expression.values(arrays)
    expression.expanded()
    for old, new in zip(before, expression.values(arrays), strict=True):
        if dtype.is_float:
            # What was rounded otherwise may be at another side of a step.
            near = np.isclose(old, new, rtol=1e-3, atol=1e-5, equal_nan=True)
            assert near.mean() > 0.97
        else:
            small = (np.abs(old) < 1 << 14) & (old >= 0)
            assert (old == new)[small].all()


def whole(params: Params) -> bool:
    return all(type(each) is int for each in params)


def only(dtype: DType, name: str, *given: object, params: Params = ()) -> str:
    """The IR of one operation on input 0, input 1 (`b`), and numbers."""
    expression = Expression(dtype, dtype)
    operands = []
    for each in given:
        match each:
            case "a":
                operands.append(expression.inputs[0])
            case "b":
                operands.append(expression.inputs[1])
            case ("fill", value):
                operands.append(expression.fill(value))
            case _:
                operands.append(expression.number(each))  # type: ignore[arg-type]
    expression.use(expression.apply(name, tuple(operands), params))
    return expression.expanded()


def rows_in(text: str) -> list[str]:
    return [line.split("ttl.block_")[1].split(" ")[0] for line in text.splitlines() if "ttl.block_" in line]


@pytest.mark.parametrize(
    ("name", "given", "rows"),
    [
        ("sub", (2, "a"), ["rsub"]),
        ("truediv", (1, "a"), ["recip"]),
        ("truediv", (2, "a"), ["recip", "mul"]),
        ("truediv", ("a", 4), ["mul"]),
        ("truediv", ("a", 3e38), ["fill", "truediv"]),
        ("pow", ("a", 2), ["square"]),
        ("pow", ("a", 7), ["pow"]),
        ("pow", ("a", 0.3), ["pow"]),
        ("pow", (2, "a"), ["exp2"]),
        ("pow", (3, "a"), ["fill", "pow"]),
        ("lt", (2, "a"), ["gt"]),
        ("mul", ("a", ("fill", 2)), ["mul"]),
        ("add", (("fill", 2), "a"), ["add"]),
        ("add", (("fill", 2), ("fill", 3)), ["fill"]),
        ("mod", ("a", 3), ["fill", "mod"]),
        ("where", ("a", 1, "b"), ["fill", "where"]),
    ],
)  # fmt: skip
def test_numbers_and_fills(name: str, given: tuple[object, ...], rows: list[str]) -> None:
    assert rows_in(only(BFLOAT16, name, *given)) == rows


def test_a_division_is_a_product_with_the_reciprocal() -> None:
    # The chip's own function takes the reciprocal, and multiplies.
    assert "2.500000e-01" in only(FLOAT32, "truediv", "a", 4)


@pytest.mark.parametrize("name", ["mask", "mask_posinf"])
def test_a_mask_that_a_comparison_gives_is_a_condition_already(name: str) -> None:
    expression = Expression(BFLOAT16)
    (a,) = expression.inputs
    below = expression.apply("lt", (a, expression.number(0.25)))
    expression.use(expression.apply(name, (a, below)))
    assert rows_in(expression.expanded()) == ["lt", "fill", "where"]


def test_a_mask_of_a_buffer_is_compared_with_one() -> None:
    assert rows_in(only(BFLOAT16, "mask", "a", "b")) == ["eq", "fill", "where"]


def test_what_is_written_says_why_and_has_a_place() -> None:
    text = only(FLOAT32, "signbit", "a")
    assert f'{WHY} = "ttl.math.signbit takes 4 functions of the chip: gt, recip, gt, max"' in text


def test_integers_are_not_divided_by_zero() -> None:
    text = only(INT32, "floordiv", "a", "b")
    assert rows_in(text) == ["floordiv", "fill", "where"]
    assert AS_IS in text


def with_later_number(dtype: DType, name: str, *, is_left: bool = False) -> str:
    """An operation with a number that only the kernel knows, expanded."""
    expression = Expression(dtype)
    runtime = UseOp([], [IndexType()])
    expression.block.add_op(runtime)
    operands = [expression.inputs[0], runtime.results[0]]
    block = block_type_of(expression.inputs[0].type)
    expression.block.add_op(COMPUTE[name](operands[::-1] if is_left else operands, (), block))
    Expand().apply(Context(), expression.module)
    expression.module.verify()
    return str(expression.module)


@pytest.mark.parametrize(
    ("dtype", "name", "is_left", "rows"),
    [
        (FLOAT32, "add", False, ["add"]),
        (FLOAT32, "sub", True, ["rsub"]),
        (FLOAT32, "lt", True, ["gt"]),
        (FLOAT32, "truediv", False, ["fill", "truediv"]),
        (FLOAT32, "truediv", True, ["fill", "truediv"]),
        (INT32, "mul", False, ["fill", "mul"]),
        (INT32, "add", True, ["add"]),
        (UINT16, "sub", False, ["fill", "sub"]),
    ],
)
def test_a_number_that_only_the_kernel_knows_is_an_operand_or_fills_a_block(
    dtype: DType, name: str, is_left: bool, rows: list[str]
) -> None:
    assert rows_in(with_later_number(dtype, name, is_left=is_left)) == rows


@pytest.mark.parametrize("dtype", [UINT16, UINT32])
@pytest.mark.parametrize("name", ["gt", "max", "floordiv"])
def test_such_a_number_is_not_compared_with_elements_that_have_no_sign(dtype: DType, name: str) -> None:
    with pytest.raises(NotLowered) as raised:
        with_later_number(dtype, name)
    assert [each.code for each in raised.value.diagnostics] == ["TTL1452"]


@pytest.mark.parametrize(
    ("dtype", "name", "given", "code"),
    [(UINT8, "add", ("a", "b"), "TTL1450"), (UINT32, "floordiv", ("a", "b"), "TTL1450"), (INT32, "pow", ("a", "b"), "TTL1450")],
)  # fmt: skip
def test_what_the_chip_has_not(dtype: DType, name: str, given: tuple[object, ...], code: str) -> None:
    with pytest.raises(NotLowered) as raised:
        only(dtype, name, *given)
    assert [each.code for each in raised.value.diagnostics] == [code]
