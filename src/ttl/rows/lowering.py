"""The lowering of rows to the hardware: a tile function for a row, or an expansion into rows with tile functions.

``tile_call`` selects the call for operands in a form; ``expansion`` expands a row into rows that have calls;
``lacking`` says in the user's terms why there is neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

import numpy as np

from ttl.diag.model import Diagnostic
from ttl.diag.words import listed
from ttl.rows.dtypes import BFLOAT16, FLOAT32, INT32, REAL_NUMBER, UINT8, WHOLE_NUMBER, DType, promote
from ttl.rows.expansions import RULES
from ttl.rows.row import Form, Op, OperandType, Params, TileCall
from ttl.rows.table import op as row_named
from ttl.rows.trees import Apply, Case, Expansion, RowOperand, wrapped
from ttl.rows.types import BlockType

__all__ = [
    "Apply",
    "Expansion",
    "RowOperand",
    "conversion",
    "expansion",
    "form_of",
    "held_as",
    "is_elementwise",
    "is_modular",
    "lacking",
    "tile_call",
    "value_of_numbers",
    "with_any_number",
]


class _Direct(Enum):
    """The marker of a row that needs no expansion."""

    DIRECT = auto()


_DIRECT: Final = _Direct.DIRECT


def tile_call(
    row: Op, form: Form, dtype: DType, params: Params = (), number: float | None = None
) -> tuple[TileCall, TileCall] | None:
    """The calls of the two generations, 0.69 and 0.81, for block operands of an element type.

    ``number`` is the operand that is a number, in the form ``scalar``; without it, only calls for every number are
    found. None where the hardware has no such function.
    """
    held = FLOAT32 if dtype in (WHOLE_NUMBER, REAL_NUMBER) else dtype
    given = params or tuple(param.default for param in row.params)
    known = ... not in given
    for old, new in zip(row.hardware["0.69"], row.hardware["0.81"], strict=True):
        if old.form != form or held not in old.dtypes:
            continue
        if old.numbers is not None and (number is None or not old.numbers(number)):
            continue
        if old.serves is None or not known or old.serves(given):
            return old, new
    return None


def with_any_number(row: Op, dtype: DType, *, is_left: bool) -> str | None:
    """The row that has a function for blocks of a type and any number on the right, or None.

    With ``is_left``, the number is the left operand, and the row with exchanged operands is returned.
    """
    other = _exchanged(row) if is_left else row
    if other is None or ("rules_first" in other.traits and not dtype.is_float):
        return None
    return None if tile_call(other, "scalar", dtype) is None else other.name


def _exchanged(row: Op) -> Op | None:
    """The row that has the same result with its operands in the opposite order; None if there is no such row."""
    if "commutative" in row.traits:
        return row
    return None if row.exchanged is None else row_named(row.exchanged)


def is_modular(row: Op) -> bool:
    """Whether only the last bits of an integer operand count, or the row passes integers on unchanged."""
    return "modular" in row.traits or bool(row.conditions)


def conversion(given: DType, wanted: DType, *, wide: bool) -> tuple[DType, DType] | None:
    """The types that ``typecast_tile`` names to convert a value in DST; None where no conversion is necessary.

    A conversion to bfloat16 also rounds where DST has 32 bits. The packer rounds to block floats and float16.
    """
    source = held_as(given, wide=wide)
    target = BFLOAT16 if wanted is BFLOAT16 else held_as(wanted, wide=wide)
    same_bits = not given.is_float and not wanted.is_float and given.bits == wanted.bits == 32
    return None if source is target or same_bits else (source, target)


def is_elementwise(row: Op) -> bool:
    """Whether a row may be expanded: rows of other families have a lowering of their own, or need no code."""
    return row.family == "elementwise"


def held_as(dtype: DType, *, wide: bool) -> DType:
    """The element type whose format DST has for values of a type: the value of ``{fmt:in}`` and ``{fmt:out}``.

    ``wide`` says whether DST holds 32 bits per element. Typecasts name their own types instead.
    """
    if dtype.is_float:
        return FLOAT32 if wide else BFLOAT16
    return dtype


def form_of(operands: tuple[OperandType, ...]) -> Form | None:
    """The form of a call whose block operands are in DST; None where the first operand is a number."""
    match tuple(isinstance(operand, BlockType) for operand in operands):
        case (True,):
            return "unary"
        case (True, True):
            return "dst"
        case (True, False):
            return "scalar"
        case (True, True, True):
            return "ternary"
    return None


def expansion(
    row: Op, operands: tuple[OperandType, ...], params: Params, result: BlockType
) -> Expansion | None:
    """The expansion of a row into rows that the hardware has; None if it has the row itself, or there is no expansion.

    Every application in the expansion has a ``tile_call`` for its operands, or is a ``fill`` or a ``typecast``.
    """
    tree = _step(row, operands, params, result)
    if not isinstance(tree, Apply | RowOperand):
        return None
    settled = _Settling(operands).settled(tree)
    return None if settled is None else settled[0]


def lacking(row: Op, operands: tuple[OperandType, ...], params: Params, result: BlockType) -> str | None:
    """Return why the hardware has neither the row for these operands nor an expansion of it; None if it has either."""
    if _step(row, operands, params, result) is _DIRECT:
        return None
    if expansion(row, operands, params, result) is not None:
        return None
    dtype = _computed_in(row, operands).dtype
    if dtype is UINT8:
        return f"the chip computes nothing in {dtype}, it only converts it"
    numbers = [f"the number {operand}" for operand in operands if not isinstance(operand, BlockType)]
    given = [f"{param.name}={value}" for param, value in zip(row.params, params, strict=True)]
    reasons = listed([*given, *numbers] or ["these operands"])
    if dtype.is_float or tile_call(row, "dst", dtype) is not None:
        return f"no function of the chip does this with {reasons}"
    if tile_call(row, "dst", INT32) is not None:
        return f"the chip has it for int32 and for floats, not for {dtype}"
    return f"no function of the chip does this with {dtype} elements"


def value_of_numbers(row: Op, numbers: Sequence[float], params: Params, result: BlockType) -> float:
    """Return the result of an elementwise row for blocks of one number each: the number in every element."""
    kind = np.float32 if result.dtype.is_float else np.int64
    extents = (1,) * len(result.shape)
    with np.errstate(all="ignore"):
        array = row.evaluate([np.full(extents, number, kind) for number in numbers], params, result)
    value: float = array.reshape(-1)[0].item()
    return value


def _computed_in(row: Op, operands: tuple[OperandType, ...]) -> BlockType:
    """The type of the block operands in which a row computes."""
    blocks = [operand for operand in operands if isinstance(operand, BlockType)]
    blocks = [operand for operand in _values(row, operands) if isinstance(operand, BlockType)] or blocks
    dtype = blocks[0].dtype
    for block in blocks[1:]:
        dtype = promote(dtype, block.dtype) or dtype
    return blocks[0].with_dtype(dtype)


def _values(row: Op, operands: tuple[OperandType, ...]) -> list[OperandType]:
    """The operands except conditions: those that are computed with, or chosen from."""
    return [operand for position, operand in enumerate(operands) if position not in row.conditions]


def _changes_nothing(row: Op, operands: tuple[OperandType, ...], result: BlockType) -> bool:
    """Whether the second operand is a number that leaves all floats of the first one unchanged."""
    if row.identity is None or operands[0] != result or not result.dtype.is_float:
        return False
    number = operands[1]
    return not isinstance(number, BlockType) and number == row.identity and math.copysign(1, number) == 1


def _is_direct(row: Op, operands: tuple[OperandType, ...], params: Params) -> bool:
    form = form_of(operands)
    block = _computed_in(row, operands)
    if form is None or _mixed_integers(row, operands, block.dtype):
        return False
    number = operands[1] if form == "scalar" else None
    assert not isinstance(number, BlockType)
    if number is not None and not block.dtype.is_float and wrapped(block.dtype, number) != number:
        return False
    return tile_call(row, form, block.dtype, params, number) is not None


def _mixed_integers(row: Op, operands: tuple[OperandType, ...], dtype: DType) -> bool:
    """Whether operands are integers of different widths: registers hold one width."""
    return not dtype.is_float and any(
        isinstance(operand, BlockType) and operand.dtype not in (dtype, WHOLE_NUMBER)
        for operand in _values(row, operands)
    )


def _step(
    row: Op, operands: tuple[OperandType, ...], params: Params, result: BlockType
) -> Expansion | _Direct | None:
    """One step of an expansion, which may need more; ``_DIRECT`` for a row with a function; None if impossible."""
    if not is_elementwise(row):
        return _DIRECT
    block = _computed_in(row, operands)
    case = Case(operands=operands, params=params, result=result, block=block)
    if _mixed_integers(row, operands, block.dtype):
        return Apply(
            row.name, tuple(_widened(row, case, position) for position in range(len(operands))), params
        )
    if "rules_first" in row.traits:
        instead = RULES[row.name](case)
        if instead is not None:
            return instead
    if _changes_nothing(row, operands, result):
        return RowOperand(0)
    if _is_direct(row, operands, params):
        return _DIRECT
    if "modular" in row.traits and not block.dtype.is_float:
        args = tuple(arg if isinstance(arg, RowOperand) else wrapped(block.dtype, arg) for arg in case.args)
        if args != case.args:
            return Apply(row.name, args, params)
    rule = RULES.get(row.name)
    return None if rule is None else rule(case)


def _widened(row: Op, case: Case, position: int) -> Apply | RowOperand | float:
    operand = case.operands[position]
    if not isinstance(operand, BlockType):
        return operand
    if position in row.conditions or operand.dtype in (case.block.dtype, WHOLE_NUMBER):
        return RowOperand(position)
    return Apply("typecast", (RowOperand(position),), (case.block.dtype,))


class _Settling:
    """Repeats expansion steps until every row of a tree is direct. Shared subtrees stay shared."""

    def __init__(self, given: tuple[OperandType, ...]) -> None:
        self._given = given
        self._known: dict[int, tuple[Expansion, Expansion, BlockType] | None] = {}

    def settled(self, tree: Expansion) -> tuple[Expansion, BlockType] | None:
        """Return a tree expanded into direct rows, and its type; None if a row of it has no expansion."""
        if id(tree) not in self._known:
            result = self._of(tree)
            # The entry keeps the tree alive, so that no other tree gets its id.
            self._known[id(tree)] = None if result is None else (tree, *result)
        known = self._known[id(tree)]
        return None if known is None else known[1:]

    def _of(self, tree: Expansion) -> tuple[Expansion, BlockType] | None:
        if isinstance(tree, RowOperand):
            operand = self._given[tree.position]
            assert isinstance(operand, BlockType)
            return tree, operand
        operands: list[Apply | RowOperand | float] = []
        types: list[OperandType] = []
        for item in tree.operands:
            part = self.settled(item) if isinstance(item, Apply | RowOperand) else (item, item)
            if part is None:
                return None
            operands.append(part[0])
            types.append(part[1])
        row = row_named(tree.row)
        number = _filled_with(operands[-1]) if len(operands) == 2 else None
        if number is not None and _is_direct(row, (types[0], number), tree.params):
            operands[1] = types[1] = number
        result = row.infer(tuple(types), tree.params)
        assert not isinstance(result, Diagnostic), (tree, result)
        step = _DIRECT if tree.as_is else _step(row, tuple(types), tree.params, result)
        if isinstance(step, Apply | RowOperand):
            return self.settled(_substituted(step, operands, {}))
        return None if step is None else (Apply(tree.row, tuple(operands), tree.params, tree.as_is), result)


def _filled_with(tree: Apply | RowOperand | float) -> float | None:
    """The number of a ``fill``; None for other trees."""
    if not isinstance(tree, Apply) or tree.row != "fill":
        return None
    number: float = tree.params[0]
    return number


def _substituted(
    tree: Expansion, operands: list[Apply | RowOperand | float], known: dict[int, Expansion]
) -> Expansion:
    """A tree in which the operands of the expanded row are replaced by ``operands``."""
    if isinstance(tree, RowOperand):
        chosen = operands[tree.position]
        assert isinstance(chosen, Apply | RowOperand)
        return chosen
    if id(tree) not in known:
        parts = tuple(
            _substituted(operand, operands, known) if isinstance(operand, Apply | RowOperand) else operand
            for operand in tree.operands
        )
        known[id(tree)] = Apply(tree.row, parts, tree.params, tree.as_is)
    return known[id(tree)]
