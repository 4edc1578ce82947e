"""Lowering of rows: what an expansion computes is what the row computes, and everything in it has a tile function."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from rows import oracle
from rows.test_semantics import EDGES, ELSEWHERE
from ttl.diag.model import Diagnostic
from ttl.rows.comparison import within
from ttl.rows.dtypes import BFLOAT16, DTYPES, FLOAT32, INT32, UINT8, UINT16, UINT32, DType
from ttl.rows.lowering import Apply, Expansion, RowOperand, conversion, expansion, form_of, lacking, tile_call
from ttl.rows.row import Form, Op, OperandType, Params
from ttl.rows.table import OPS, op
from ttl.rows.types import BlockType, Layout

ROWS = tuple(row for row in OPS if row.name not in ELSEWHERE)
FLOAT_NUMBERS = (2, 0, 1, -1, 0.5, -0.75, -2, 3, 5, 1e-3, 3e38, math.inf, -math.inf)
INTEGER_NUMBERS = (0, 1, 2, 3, 5, -1, -7, 65535, 1 << 31, (1 << 32) - 1, 1 << 40, -(1 << 40))
# What is there for integers of a kind, and what is not: the chip's list, and the reason why there is ``lacking``.
UNSIGNED_GAPS = {UINT32: {"floordiv", "mod", "pow"}, UINT16: {"pow"}, INT32: {"pow"}}


def cases_of(row: Op) -> Sequence[Params]:
    """Parameters to try: the oracle's, and those at which something changes."""
    more: dict[str, tuple[Params, ...]] = {
        "exp": ((False, 2.0), (True, 1.0), (True, -0.5), (False, 0.0)),
        "relu_min": ((-2,), (0,), (3,)),
        "relu_max": ((-2,), (0,), (3,)),
        "round": ((0,), (2,), (-1,), (37,), (40,)),
        "clamp": ((-3, 7), (2, 9), (-9, -4)),
        "threshold": ((0, 5), (-3, 1), (2, -1)),
    }
    return (*oracle.CASES.get(row.name, ((),)), *more.get(row.name, ()))


class Evaluation:
    """What a tree computes, by the references of its rows; every integer is wrapped, as registers do."""

    def __init__(self, arrays: Sequence[object], types: Sequence[OperandType]) -> None:
        self._arrays, self._types = arrays, types
        self.known: dict[int, tuple[Apply, object, OperandType]] = {}

    def value(self, tree: Expansion | float) -> tuple[object, OperandType]:
        if isinstance(tree, RowOperand):
            return self._arrays[tree.position], self._types[tree.position]
        if not isinstance(tree, Apply):
            return tree, tree
        if id(tree) not in self.known:
            parts = [self.value(each) for each in tree.operands]
            row = op(tree.row)
            result = row.infer(tuple(kind for _, kind in parts), tree.params)
            assert isinstance(result, BlockType), result
            with np.errstate(all="ignore"):
                found = row.evaluate([part for part, _ in parts], tree.params, result)
            if not result.dtype.is_float:
                found = result.dtype.load(result.dtype.store(found))
            self.known[id(tree)] = tree, found, result
        return self.known[id(tree)][1:]


def arrays_of(dtype: DType, count: int) -> list[np.ndarray]:
    """Combinations of special and random values."""
    generator = np.random.default_rng(7)
    if dtype.is_float:
        values = EDGES[np.abs(EDGES) < 1e38].astype(np.float32)
        special = np.concatenate([values, [np.inf, -np.inf, np.nan]]).astype(np.float32)
        special = special[(special == 0) | ~(np.abs(special) < 1e-36)]  # the chip has no denormal numbers
        columns = [
            np.array(each, np.float32) for each in zip(*itertools.product(special, repeat=min(count, 2)))
        ]
        columns += [np.resize(special, columns[0].shape)] * (count - len(columns))
        random = [generator.standard_normal(200).astype(np.float32) * 30 for _ in range(count)]
        both = [np.concatenate(pair) for pair in zip(columns, random)]
        return [dtype.load(dtype.store(each)) for each in both]
    info = np.iinfo(dtype.storage)
    special = [
        each
        for each in (0, 1, 2, 3, 7, 100, 40000, -1, -7, -100, info.max, info.min)
        if info.min <= each <= info.max
    ]
    columns = [np.array(each, np.int64) for each in zip(*itertools.product(special, repeat=min(count, 2)))]
    columns += [np.resize(np.array(special, np.int64), columns[0].shape)] * (count - len(columns))
    return columns


def expansion_is_over(tree: Apply, evaluation: Evaluation) -> bool:
    row = op(tree.row)
    types = tuple(evaluation.value(each)[1] for each in tree.operands)
    result = evaluation.value(tree)[1]
    assert isinstance(result, BlockType)
    if tree.as_is or row.name in ELSEWHERE:
        return tree.as_is or row.name in ("fill", "typecast")
    return (
        expansion(row, types, tree.params, result) is None
        and lacking(row, types, tree.params, result) is None
    )


def in_range(dtype: DType, number: float) -> bool:
    info = np.iinfo(dtype.storage)
    return bool(info.min <= number <= info.max)


def combinations(row: Op, numbers: Sequence[float]) -> list[tuple[float | None, ...]]:
    """Which operands are numbers: None stands for a block."""
    places = [(None, *numbers) if operand.scalar else (None,) for operand in row.operands]
    found = [each for each in itertools.product(*places) if None in each]
    return found if len(row.operands) < 3 else found[:: max(1, len(found) // 12)]


def check(row: Op, dtype: DType, chosen: tuple[float | None, ...], params: Params) -> str:
    """Compare an expansion with the row; what was found: direct, expanded or lacking."""
    arrays: list[object] = list(arrays_of(dtype, len(row.operands)))
    if row.name in ("mask", "mask_posinf"):
        arrays[1] = np.resize(np.array([0, 1, 2, 1], arrays[0].dtype), arrays[0].shape)  # type: ignore[attr-defined]
    if row.name == "floordiv" and dtype.is_float:
        arrays[1] = np.where(np.isinf(arrays[1]), 3, arrays[1])  # type: ignore[arg-type, call-overload]
    if row.name == "where":
        arrays[0] = np.resize(np.array([0, 1, 3], arrays[1].dtype), arrays[1].shape)  # type: ignore[attr-defined]
    if row.name == "pow" and chosen[1] is None and not dtype.is_float:
        arrays[1] = np.abs(arrays[1]) % 5  # type: ignore[operator]
    block = BlockType.of(
        next(each.shape for each in arrays if isinstance(each, np.ndarray)), dtype, Layout.ROW_MAJOR
    )
    types: list[OperandType] = [block if number is None else number for number in chosen]
    arrays = [array if number is None else number for array, number in zip(arrays, chosen)]
    result = row.infer(tuple(types), params)
    if isinstance(result, Diagnostic):
        return "wrong"
    tree = expansion(row, tuple(types), params, result)
    if tree is None:
        if lacking(row, tuple(types), params, result) is not None:
            return "lacking"
        form = form_of(tuple(types))
        assert form is not None
        number = chosen[1] if form == "scalar" else None
        assert tile_call(row, form, dtype, params, number) is not None
        return "direct"
    assert lacking(row, tuple(types), params, result) is None
    with np.errstate(all="ignore"):
        expected = result.dtype.load(result.dtype.store(np.asarray(row.evaluate(arrays, params, result))))
    evaluation = Evaluation(arrays, types)
    found, kind = evaluation.value(tree)
    for each, _, _ in evaluation.known.values():
        assert expansion_is_over(each, evaluation)
    assert isinstance(kind, BlockType)
    assert kind.dtype is result.dtype or kind.dtype.name in ("number", "real number")
    with np.errstate(all="ignore"):
        actual = np.broadcast_to(result.dtype.load(result.dtype.store(np.asarray(found))), expected.shape)
    compare(row, dtype, expected, actual, f"{row.name} {dtype} {chosen} {params}")
    return "expanded"


def compare(row: Op, dtype: DType, expected: np.ndarray, actual: np.ndarray, what: str) -> None:
    tolerance = row.tolerance[FLOAT32.name if dtype.name.startswith(("number", "real")) else dtype.name]
    wrong = ~within(actual, expected, tolerance.relative, tolerance.absolute)
    where = np.flatnonzero(wrong)[:4]
    assert not wrong.any(), (what, where, actual.flat[where], expected.flat[where])


@pytest.mark.parametrize("dtype", (FLOAT32, BFLOAT16), ids=repr)
@pytest.mark.parametrize("row", [row for row in ROWS if row.accepts != "integer"], ids=repr)
def test_floats_have_every_row(row: Op, dtype: DType) -> None:
    for chosen, params in itertools.product(combinations(row, FLOAT_NUMBERS), cases_of(row)):
        if row.name == "floordiv" and chosen[1] is not None and math.isinf(chosen[1]):
            continue  # no quotient
        assert check(row, dtype, chosen, params) != "lacking", (chosen, params)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.is_float], ids=repr)
def test_all_floats_are_alike(dtype: DType) -> None:
    for row in ROWS:
        for chosen, params in itertools.product(combinations(row, (2, 0.5)), cases_of(row)):
            trees = []
            for each in (dtype, FLOAT32):
                block = BlockType.of((1, 1), each)
                types = tuple(block if number is None else number for number in chosen)
                result = row.infer(types, params)
                if isinstance(result, BlockType):
                    trees.append(expansion(row, types, params, result))
            assert trees[:1] == trees[1:]


@pytest.mark.parametrize("dtype", (INT32, UINT32, UINT16), ids=repr)
@pytest.mark.parametrize("row", [row for row in ROWS if row.accepts != "float"], ids=repr)
def test_integers_have_every_row_but_few(row: Op, dtype: DType) -> None:
    for chosen, params in itertools.product(combinations(row, INTEGER_NUMBERS), cases_of(row)):
        if not all(type(each) is int for each in params):
            continue
        if row.name in ("floordiv", "mod") and any(each and not in_range(dtype, each) for each in chosen):
            continue
        if check(row, dtype, chosen, params) == "lacking":
            assert row.name in UNSIGNED_GAPS[dtype], (chosen, params)


def call_of(name: str, form: Form, dtype: DType, *rest: object) -> str | None:
    found = tile_call(op(name), form, dtype, *rest)  # type: ignore[arg-type]
    if found is None:
        return None
    slots = (*found[1].function.template, *found[1].function.arguments)
    return " ".join([found[1].function.name, *(f"{slot.kind}:{slot.name}" for slot in slots)])


@pytest.mark.parametrize(
    ("name", "form", "dtype", "rest", "call"),
    [
        # The default of the template is the table look-up.
        ("gelu", "unary", FLOAT32, ((False,),), "gelu_tile bool:approximate"),
        # A whole exponent as it is, another as the bits of a float.
        ("pow", "scalar", FLOAT32, ((), 7), "power_iterative_tile int:exponent"),
        ("pow", "scalar", FLOAT32, ((), 0.5), "power_tile bits:exponent"),
        # It multiplies, with a number that must have been inverted.
        ("truediv", "scalar", FLOAT32, ((), 2), None),
        # Equal to ours for limits from 0 on.
        ("relu_min", "unary", FLOAT32, ((1,),), "relu_min_tile bits:lower_limit"),
        ("relu_min", "unary", FLOAT32, ((-1,),), None),
        # The scale of the function is a bfloat16.
        ("exp", "unary", FLOAT32, ((False, 2.0),), None),
        # The matrix unit keeps 10 bits of a mantissa.
        ("add", "fpu", BFLOAT16, (), "add_tiles"),
        ("add", "fpu", FLOAT32, (), None),
        # An infinity has no literal.
        ("fill", "fill", FLOAT32, ((0.5, (1, 1), None),), "fill_tile float:value"),
        ("fill", "fill", FLOAT32, ((math.inf, (1, 1), None),), "fill_tile_bitcast bits:value"),
        # It has no UInt16, and chooses between any 16 bits.
        ("where", "ternary", UINT16, (), "where_tile word:DataFormat::Float16_b"),
        # Of unsigned numbers only the comparison with zero is there.
        ("eq", "scalar", UINT32, ((), 0), "eqz_tile_uint32"),
        ("eq", "scalar", UINT32, ((), 1), None),
        ("add", "dst", UINT8, (), None),
    ],
)  # fmt: skip
def test_calls_where_the_hardware_has_its_own_ideas(
    name: str, form: Form, dtype: DType, rest: tuple[object, ...], call: str | None
) -> None:
    assert call_of(name, form, dtype, *rest) == call


@pytest.mark.parametrize(
    ("given", "wanted", "wide", "formats"),
    [
        (FLOAT32, BFLOAT16, True, (FLOAT32, BFLOAT16)),  # rounded at once
        (BFLOAT16, BFLOAT16, True, (FLOAT32, BFLOAT16)),  # an expression has more digits than its type
        (BFLOAT16, FLOAT32, True, None),
        (BFLOAT16, BFLOAT16, False, None),
        (UINT16, FLOAT32, False, (UINT16, BFLOAT16)),
        (FLOAT32, INT32, True, (FLOAT32, INT32)),
        (INT32, UINT32, True, None),  # the same bits
        (UINT16, INT32, True, (UINT16, INT32)),
    ],
)
def test_conversions(given: DType, wanted: DType, wide: bool, formats: tuple[DType, DType] | None) -> None:
    assert conversion(given, wanted, wide=wide) == formats


@pytest.mark.parametrize(
    ("name", "number", "nothing"),
    [("mul", 1, True), ("truediv", 1.0, True), ("sub", 0, True), ("sub", -0.0, False), ("add", 0, False)],
)
def test_numbers_that_change_nothing_cost_nothing(name: str, number: float, nothing: bool) -> None:
    block = BlockType.of((1, 1), FLOAT32)
    assert (expansion(op(name), (block, number), (), block) == RowOperand(0)) is nothing


def test_an_expansion_keeps_its_parts_shared() -> None:
    """A power of integers is a number of products that grows with the digits of the exponent."""
    block = BlockType.of((1, 1), INT32)
    tree = expansion(op("pow"), (block, 65535), (), block)
    assert tree is not None
    evaluation = Evaluation([np.full((32, 32), 3, np.int64), 65535], [block, 65535])
    evaluation.value(tree)
    assert len(evaluation.known) <= 32


def test_reasons_speak_of_the_program() -> None:
    def reason(name: str, dtype: DType, *numbers: float, params: Params = ()) -> str | None:
        block = BlockType.of((1, 1), dtype)
        operands = (block, *numbers) if numbers else (block,) * len(op(name).operands)
        return lacking(op(name), operands, params, block)

    assert reason("add", UINT8) == "the chip computes nothing in uint8, it only converts it"
    assert reason("mod", UINT32) == "the chip has it for int32 and for floats, not for uint32"
    assert reason("round", FLOAT32, params=(-38,)) == "no function of the chip does this with decimals=-38"
    assert reason("floordiv", FLOAT32, math.inf) == "no function of the chip does this with the number inf"
