"""The algebra of kernels: the result of every operation of Python on every kind of value, as one closed table.

A cell is decided in one of five ways. Python's default is never used for the objects that stand for values which only
the node knows: the default, comparing by identity, would be a wrong answer. The table is made when it is imported, row
by row. The first row that fits a cell decides it, and a cell without a row is an error.
``docs/reference/python-in-kernels.md`` is printed from it, the tests of ``tests/frontend/test_algebra.py`` are made
from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ttl.frontend.kernel.kinds import ValueKind


class CellDecision(Enum):
    """The decision for a cell; the value is its sign on the reference page."""

    COMPUTED = "✓"
    """The node computes what CPython computes."""
    KNOWN = "k"
    """Python computes it while the kernel is compiled, because it does not depend on the node."""
    STATIC = "s"
    """The operation needs a value while the kernel is compiled: allowed in a loop that is unrolled, else TTL1305."""
    RAISES = "r"
    """The operation raises in CPython, whatever the values are: TTL1304."""
    REFUSED = "–"
    """No node computes it: TTL1306."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A decision: ``text`` is the requirement, or the reason of a refusal; ``instead`` is the alternative for the user.

    For a cell that is computed, ``text`` names the values for which that holds; other values are needed while the
    kernel is compiled.
    """

    decided: CellDecision
    text: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class AlgebraRow:
    """Operations and kinds of values with the same decision."""

    operations: frozenset[str]
    left: frozenset[ValueKind]
    right: frozenset[ValueKind]
    cell: Cell


ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**", "divmod")
BITS = ("&", "|", "^", "<<", ">>")
BINARY = (*ARITHMETIC, "@", *BITS)
INPLACE = tuple(f"{sign}=" for sign in BINARY if sign != "divmod")
EQUALITY = ("==", "!=")
ORDER = ("<", "<=", ">", ">=")
IDENTITY = ("is", "is not")
MEMBERSHIP = ("in", "not in")
ITEM = "[]"
UNARY = (
    "-x", "+x", "~x", "not x", "abs", "bool", "int", "float", "round", "math.floor", "math.ceil", "math.trunc",
    "complex", "str", "repr", "format", "hash", "len", "iter", "call", "attribute",
)  # fmt: skip

_K = ValueKind
_ALL = frozenset(ValueKind)
_NUMERIC_OF_NODE = frozenset({_K.INTEGER, _K.FLOAT, _K.RATIO, _K.CONDITION})
_WHOLE = frozenset({_K.NUMBER, _K.INTEGER, _K.CONDITION})
_FRACTIONS = frozenset({_K.REAL, _K.FLOAT, _K.RATIO})
_NUMERIC = _WHOLE | _FRACTIONS
_CHOICE = frozenset({_K.CHOICE})
_INSTANCE = frozenset({_K.INSTANCE})
_ELEMENTS = frozenset({_K.EXPRESSION, _K.BLOCK})
_OPEN = frozenset({_K.SEQUENCE, _K.PRINTED})
_KNOWN = _ALL - _NUMERIC_OF_NODE - _OPEN - _CHOICE
"""The kinds of values with which Python, or the language, computes while a kernel is compiled."""
_OBJECT = frozenset({_K.OBJECT})

_COMPUTED = Cell(CellDecision.COMPUTED)
_BY_PYTHON = Cell(CellDecision.KNOWN)
_ERROR = Cell(CellDecision.RAISES)


def _static(text: str) -> Cell:
    return Cell(CellDecision.STATIC, text)


def _refused(text: str, instead: str) -> Cell:
    return Cell(CellDecision.REFUSED, text, instead)


def _row(
    operations: Iterable[str], left: Iterable[ValueKind], right: Iterable[ValueKind], cell: Cell
) -> AlgebraRow:
    return AlgebraRow(frozenset(operations), frozenset(left), frozenset(right), cell)


def _either(
    operations: Iterable[str], kinds: frozenset[ValueKind], others: frozenset[ValueKind], cell: Cell
) -> tuple[AlgebraRow, AlgebraRow]:
    """Two rows for operands in either order."""
    return _row(operations, kinds, others, cell), _row(operations, others, kinds, cell)


_OF_BOTH = (*BINARY, *INPLACE)


def _with_inplace(*signs: str) -> tuple[str, ...]:
    return (*signs, *(f"{sign}=" for sign in signs if f"{sign}=" in INPLACE))


_OF_BLOCKS = _with_inplace("+", "-", "*", "/", "//", "%", "**", "@", "^")
_UNROLLED = "a number that this is computed with"
_REPEATED = "how often a sequence is repeated"
_PRINTED = frozenset({_K.PRINTED})
_TEXT_NEEDED = _static("the text of a block, buffer or number")
_OPERATORS: tuple[AlgebraRow, ...] = (
    *_either(_OF_BOTH, _PRINTED, _ALL, _TEXT_NEEDED),
    *_either(_OF_BOTH, _CHOICE, _ALL, _COMPUTED),
    # A block refuses operands that it does not know, and does not leave the operation to the other operand.
    _row(_OF_BLOCKS, _ELEMENTS, _INSTANCE, _ERROR),
    *_either(_OF_BOTH, _INSTANCE, _ALL, _COMPUTED),
    # Blocks themselves decide which numbers and operators they accept.
    *_either(["divmod"], _ELEMENTS, _NUMERIC_OF_NODE, _ERROR),
    *_either(_OF_BOTH, _ELEMENTS, _NUMERIC_OF_NODE, _COMPUTED),
    _row(_OF_BOTH, _KNOWN, _KNOWN, _BY_PYTHON),
    _row(_with_inplace("+", "-", "*", "/"), _NUMERIC, _NUMERIC, _COMPUTED),
    _row(_with_inplace("//", "%", "divmod", *BITS), _WHOLE, _WHOLE, _COMPUTED),
    _row(_with_inplace("**"), {_K.INTEGER, _K.CONDITION}, {_K.NUMBER}, Cell(CellDecision.COMPUTED, "exponents from 0 to 8")),
    _row(_with_inplace("**"), {_K.NUMBER}, {_K.INTEGER}, Cell(CellDecision.COMPUTED, "powers of 1, 2, 4, ... with exponents that are not negative")),
    _row(_with_inplace("**"), {_K.NUMBER}, {_K.CONDITION}, _COMPUTED),
    _row(_with_inplace(*BITS, "@"), _NUMERIC, _NUMERIC, _ERROR),
    _row(_with_inplace("//", "%", "divmod"), _NUMERIC, _NUMERIC, _refused("//, % and divmod of floats", "write math.floor(a / b), or compute with integers")),
    _row(_with_inplace("**"), _NUMERIC, _NUMERIC, _static("the exponent, or a number that is raised to one,")),
    *_either(_with_inplace("*"), _WHOLE & _NUMERIC_OF_NODE, frozenset({_K.TEXT, _K.TUPLE, _K.LIST}), _static(_REPEATED)),
    _row(_with_inplace("%"), {_K.TEXT}, _NUMERIC_OF_NODE | _OPEN, _static("the text of a number")),
    *_either(_OF_BOTH, _OBJECT, _NUMERIC_OF_NODE, _static(_UNROLLED)),
    _row(["+="], {_K.LIST}, {_K.SEQUENCE}, Cell(CellDecision.COMPUTED, "of a known length")),
    *_either(_OF_BOTH, frozenset({_K.SEQUENCE}), _ALL, _static("the members of a range or list")),
    *_either(_OF_BOTH, _NUMERIC_OF_NODE, _KNOWN, _ERROR),
)  # fmt: skip

_SEQUENCES = frozenset({_K.TUPLE, _K.LIST})
WHICH_OBJECT = _refused("the identity of a number, text or tuple", "compare with == and !=")
_MEMBERS = _static("the members of a range or list")
_RELATIONS: tuple[AlgebraRow, ...] = (
    *_either((*EQUALITY, *ORDER, *IDENTITY), _PRINTED, _ALL, _TEXT_NEEDED),
    *_either((*EQUALITY, *ORDER, *IDENTITY), _CHOICE, _ALL, _COMPUTED),
    # ``is``
    _row(IDENTITY, {_K.CONDITION}, {_K.CONDITION, _K.NUMBER}, _COMPUTED),
    _row(IDENTITY, {_K.NUMBER}, {_K.CONDITION}, _COMPUTED),
    *_either(IDENTITY, _NUMERIC_OF_NODE, _NUMERIC, WHICH_OBJECT),
    *_either(IDENTITY, _NUMERIC_OF_NODE, _ALL, _COMPUTED),
    _row(IDENTITY, {_K.SEQUENCE}, {_K.SEQUENCE}, _refused("whether two sequences of the node are one object", "compare their members")),
    _row(IDENTITY, _ALL, _ALL, _BY_PYTHON),
    # ``==``
    _row((*EQUALITY, *ORDER), _ELEMENTS, _INSTANCE, _ERROR),
    *_either((*EQUALITY, *ORDER), _INSTANCE, _ALL, _COMPUTED),
    _row((*EQUALITY, *ORDER), _NUMERIC, _NUMERIC, _COMPUTED),
    _row((*EQUALITY, *ORDER), {_K.TUPLE}, {_K.TUPLE}, _COMPUTED),
    _row((*EQUALITY, *ORDER), {_K.LIST}, {_K.LIST}, _COMPUTED),
    _row(EQUALITY, {_K.DICT}, {_K.DICT}, _COMPUTED),
    *_either((*EQUALITY, *ORDER), _ELEMENTS, _NUMERIC_OF_NODE, Cell(CellDecision.COMPUTED, "element by element, 0 and 1")),
    *_either((*EQUALITY, *ORDER), _OBJECT, _NUMERIC_OF_NODE, _static("a number that is compared")),
    *_either(EQUALITY, _NUMERIC_OF_NODE, _ALL, _COMPUTED),
    *_either(EQUALITY, frozenset({_K.SEQUENCE}), _SEQUENCES | _OBJECT | {_K.SEQUENCE}, _MEMBERS),
    _row(EQUALITY, _ALL, _ALL, _BY_PYTHON),
    # ``<``
    *_either(ORDER, frozenset({_K.SEQUENCE}), _SEQUENCES | _OBJECT | {_K.SEQUENCE}, _MEMBERS),
    *_either(ORDER, _NUMERIC_OF_NODE | {_K.SEQUENCE}, _ALL, _ERROR),
    _row(ORDER, _ALL, _ALL, _BY_PYTHON),
)  # fmt: skip

_UNHASHABLE = frozenset({_K.LIST, _K.DICT})
_IN: tuple[AlgebraRow, ...] = (
    *_either(MEMBERSHIP, _PRINTED, _ALL, _TEXT_NEEDED),
    *_either(MEMBERSHIP, _CHOICE, _ALL, _COMPUTED),
    _row(MEMBERSHIP, _ALL, _INSTANCE, _COMPUTED),
    _row(MEMBERSHIP, _UNHASHABLE, {_K.SET, _K.DICT}, _ERROR),
    _row(MEMBERSHIP, _ALL, _SEQUENCES | {_K.SET, _K.DICT}, _COMPUTED),
    _row(MEMBERSHIP, _WHOLE, {_K.SEQUENCE}, _COMPUTED),
    _row(MEMBERSHIP, _ALL, {_K.SEQUENCE}, _MEMBERS),
    _row(MEMBERSHIP, {_K.INTEGER, _K.CONDITION}, _OBJECT, Cell(CellDecision.COMPUTED, "in a range")),
    _row(MEMBERSHIP, _NUMERIC_OF_NODE | {_K.SEQUENCE}, _OBJECT | {_K.ITERATOR}, _static("what is looked for")),
    _row(MEMBERSHIP, _ALL, {_K.ITERATOR}, _COMPUTED),
    _row(MEMBERSHIP, _ALL, _NUMERIC_OF_NODE, _ERROR),
    _row(MEMBERSHIP, _NUMERIC_OF_NODE | {_K.SEQUENCE}, {_K.TEXT}, _ERROR),
    _row(MEMBERSHIP, _ALL, _ALL, _BY_PYTHON),
)  # fmt: skip

_LOOKED_UP = Cell(CellDecision.COMPUTED, "of integers, and of what can be chosen on the node")
_ITEMS: tuple[AlgebraRow, ...] = (
    *_either([ITEM], _PRINTED, _ALL, _TEXT_NEEDED),
    *_either([ITEM], _CHOICE, _ALL, _COMPUTED),
    _row([ITEM], _INSTANCE, _ALL, _COMPUTED),
    _row([ITEM], _NUMERIC_OF_NODE, _ALL, _ERROR),
    _row([ITEM], _SEQUENCES | {_K.TEXT}, {_K.FLOAT, _K.RATIO}, _ERROR),
    _row([ITEM], {_K.TEXT}, _NUMERIC_OF_NODE, _static("an index of a text")),
    _row([ITEM], {_K.DICT}, {_K.FLOAT, _K.RATIO}, _static("a key of a Python dictionary")),
    _row([ITEM], _SEQUENCES | _OBJECT | {_K.DICT, _K.SEQUENCE}, {_K.INTEGER, _K.CONDITION}, _LOOKED_UP),
    # The index may also be a slice or tuple that contains values of the node.
    _row([ITEM], _SEQUENCES | _OBJECT | {_K.DICT, _K.SEQUENCE, _K.TENSOR, _K.BLOCK, _K.TEXT}, _ALL, _COMPUTED),
    _row([ITEM], _ALL, _ALL, _BY_PYTHON),
)  # fmt: skip

_NOTHING = frozenset({_K.OBJECT})
"""The right operand of operations of one value."""
_FUNCTIONS: tuple[AlgebraRow, ...] = (
    _row(UNARY, _CHOICE, _NOTHING, _COMPUTED),
    _row(["hash"], _ALL - _NUMERIC_OF_NODE - _OPEN - {_K.NUMBER, _K.REAL, _K.LIST, _K.DICT, _K.SET}, _NOTHING, _refused("a hash, which differs between runs", "use the value itself")),
    _row(["str", "repr", "format"], {_K.ITERATOR, _K.EXPRESSION, _K.BLOCK, _K.BUFFER, _K.PIPE, _K.HANDLE}, _NOTHING, _TEXT_NEEDED),
    _row(UNARY, _INSTANCE, _NOTHING, _COMPUTED),
    _row(["attribute"], _NUMERIC_OF_NODE | _OPEN, _NOTHING, Cell(CellDecision.COMPUTED, "real, imag, numerator and denominator of numbers, start and step of ranges")),
    _row(["attribute"], _ALL, _NOTHING, _COMPUTED),
    _row(["-x", "+x", "abs", "not x", "bool", "float"], _NUMERIC_OF_NODE, _NOTHING, _COMPUTED),
    _row(["round", "math.floor", "math.ceil", "math.trunc", "int"], _NUMERIC_OF_NODE, _NOTHING, _COMPUTED),
    _row(["~x"], {_K.INTEGER, _K.CONDITION}, _NOTHING, _COMPUTED),
    _row(["repr"], {_K.PRINTED}, _NOTHING, _TEXT_NEEDED),
    _row(["str", "repr", "format"], _NUMERIC_OF_NODE | {_K.PRINTED}, _NOTHING, Cell(CellDecision.COMPUTED, "for print, without a format")),
    _row(["complex", "hash"], _NUMERIC_OF_NODE, _NOTHING, _static("a number")),
    _row(["~x", "len", "iter", "call"], _NUMERIC_OF_NODE, _NOTHING, _ERROR),
    _row(["len", "not x", "bool"], {_K.SEQUENCE}, _NOTHING, _COMPUTED),
    _row(["iter"], {_K.SEQUENCE}, _NOTHING, Cell(CellDecision.COMPUTED, "in for, enumerate, zip, reversed")),
    _row(["str", "repr", "format", "hash"], {_K.SEQUENCE}, _NOTHING, _MEMBERS),
    _row(["len", "iter", "not x", "bool", "hash", "int", "float", "complex"], {_K.PRINTED}, _NOTHING, _TEXT_NEEDED),
    _row(UNARY, _OPEN, _NOTHING, _ERROR),
    _row(UNARY, _ALL, _NOTHING, _BY_PYTHON),
)  # fmt: skip

Table = dict[str, list[list[Cell]]]


def _table(
    operations: Sequence[str], rows: Sequence[AlgebraRow], right: Sequence[ValueKind] = tuple(ValueKind)
) -> Table:
    """The cells of operations. Raises ``LookupError`` for a cell that no row decides."""
    table: Table = {}
    alike: dict[tuple[int, ...], list[list[Cell]]] = {}
    for operation in operations:
        key = tuple(position for position, row in enumerate(rows) if operation in row.operations)
        if key not in alike:
            alike[key] = _grid(operation, [rows[position] for position in key], right)
        table[operation] = alike[key]
    return table


def _grid(operation: str, rows: Sequence[AlgebraRow], right: Sequence[ValueKind]) -> list[list[Cell]]:
    cells: list[list[Cell | None]] = [[None] * len(ValueKind) for _ in ValueKind]
    for row in reversed(rows):
        for first in row.left:
            for second in row.right:
                cells[first][second] = row.cell
    for first in ValueKind:
        for second in right:
            if cells[first][second] is None:
                raise LookupError(f"nobody has decided about {operation} of {first.name} and {second.name}")
    return cells  # type: ignore[return-value]


TABLE: Table = {
    **_table(_OF_BOTH, _OPERATORS),
    **_table((*EQUALITY, *ORDER, *IDENTITY), _RELATIONS),
    **_table(MEMBERSHIP, _IN),
    **_table((ITEM,), _ITEMS),
    **_table(UNARY, _FUNCTIONS, tuple(_NOTHING)),
}
ROWS = (*_OPERATORS, *_RELATIONS, *_IN, *_ITEMS, *_FUNCTIONS)
