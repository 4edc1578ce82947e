"""The nodes that the machine computes: a graph of values over blocks seen as ``outer`` matrices of rows and columns.

Rows of the operations' table become nodes in ``lowering.py``; ``plan.py`` decides where and when they are computed.
"""

from __future__ import annotations

import math
from enum import IntEnum
from math import prod
from typing import Literal

import numpy as np

from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B, BFLOAT16, FLOAT16, DType
from ttl.rows.types import BlockType
from ttl.sim.program import GivenNumber

Extents = tuple[int, int, int]  # matrices, rows, columns
Map = tuple[int, ...]  # for each matrix of a reader the matrix it reads (or adds to)

NodeKind = Literal[
    "leaf",  # an operand of the task
    "number",  # one number everywhere
    "element",  # element by element
    "columns",  # the sum or maximum of each row, in column 0, zeros beside it
    "spread",  # column 0 of each row everywhere in the row
    "pad",  # rows and columns beyond the first so many replaced by a number
    "rows",  # the sum or maximum over rows, matrices and perhaps columns
    "view",  # matrices chosen by a map, row 0 for every row, column 0 for every column
    "transpose",
    "regroup",  # the same units (tiles, elements), in order, in other extents
    "product",  # a0 @ b0 + a1 @ b1 ...
]
# Integers up to ``EXACT`` are exact in float32; the numbers in ``NAMED`` have code of their own.
EXACT = 1 << 24
NAMED = (0, 1, 2, 3, 4)
# Kinds that each row of a block computes for itself.
ROW_LOCAL = frozenset({"element", "columns", "spread", "pad"})


class Format(IntEnum):
    """The format of elements in memory, as ``native/machine/machine.h`` numbers it."""

    F32 = 0
    BF16 = 1
    F16 = 2
    BFP8 = 3
    BFP4 = 4


def format_of(dtype: DType) -> Format:
    """The format a float element type is stored in."""
    formats = {
        BFLOAT16: Format.BF16,
        FLOAT16: Format.F16,
        BFLOAT8_B: Format.BFP8,
        BFLOAT4_B: Format.BFP4,
    }
    return formats.get(dtype, Format.F32)


def extents_of(block: BlockType) -> Extents:
    """The block with its outer dimensions collapsed."""
    *outer, columns = block.elements
    rows = outer.pop() if outer else 1
    return prod(outer), rows, columns


class ValueNode:
    """One value. The fields below the operands are filled by ``plan.py``."""

    __slots__ = (
        "args", "asked", "buffer", "column", "extents", "fixed", "format", "index", "kind", "level", "map",
        "needs_columns", "needs_rows", "opcode", "params", "uniform", "users",
    )  # fmt: skip

    def __init__(
        self,
        kind: NodeKind,
        extents: Extents,
        args: tuple[ValueNode, ...] = (),
        *,
        opcode: str = "",
        params: tuple[float, ...] = (),
        format: Format = Format.F32,
        index: int = 0,
        map: Map | None = None,
        fixed: tuple[bool, bool] = (False, False),
    ) -> None:
        self.kind = kind
        self.extents = extents
        self.args = args
        self.opcode = opcode
        self.params = params
        # A storage format that holds its values exactly.
        self.format = format
        self.index = index  # a leaf's position; the id of a number that may differ between calls; else -1
        self.map = map
        # Of a number: whether its format has decided something.
        self.asked = False
        # Of a view: whether row 0 stands for all, column 0 stands for all. Of "rows": whether rows, columns are reduced.
        self.fixed = fixed
        # Whether rows other than row 0, and columns other than column 0, are used.
        self.needs_rows = False
        self.needs_columns = False
        # Whether all columns are equal; whether only column 0 is computed (it stands for all, or is all that is needed).
        self.uniform = False
        self.column = False
        self.level = 0
        self.buffer: int | None = None
        self.users: list[ValueNode] = []

    @property
    def domain(self) -> tuple[int, int]:
        """The matrices and rows a segment walks through to compute it."""
        source = self.args[0] if self.kind == "rows" else self
        outer, rows, _ = source.extents
        every_row = self.needs_rows or (self.kind == "rows" and self.fixed[0])
        return outer, rows if every_row else 1

    @property
    def number(self) -> float:
        """The value of a number."""
        return self.params[0]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.opcode} {self.extents}>"


def number_node(value: float) -> ValueNode:
    """A number, as float32."""
    rounded = _rounded(value)
    node = ValueNode(
        "number", (1, 1, 1), params=(rounded,), index=value.id if type(value) is GivenNumber else -1
    )
    if _is_bfloat16(rounded):
        node.format = Format.BF16
    return node


def number_class(value: float, *, closely: bool) -> str:
    """The class of a number: numbers of one class change nothing but the table of numbers in the code of a program.

    ``closely``: for a number whose format the code depends on (``asked``).
    """
    if not abs(value) <= EXACT or value in NAMED:
        return repr(value)
    if not closely:
        return "any"
    rounded = _rounded(value)
    return "power of two" if is_power_of_two(rounded) else "bfloat16" if _is_bfloat16(rounded) else "float32"


def is_power_of_two(value: float) -> bool:
    """Whether multiplying by a number only changes exponents."""
    return math.isfinite(value) and abs(math.frexp(value)[0]) == 0.5


def _rounded(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def view_node(source: ValueNode, extents: Extents, map: Map | None, row: bool, column: bool) -> ValueNode:
    """A view; views of views and of numbers are simplified."""
    if source.kind == "number":
        return source
    if source.kind == "spread":
        return view_node(source.args[0], extents, map, row, True)
    if source.kind == "view":
        if map is None:
            map = source.map
        elif source.map is not None:
            map = tuple(source.map[index] for index in map)
        row, column = row or source.fixed[0], column or source.fixed[1]
        source = source.args[0]
    return ValueNode("view", extents, (source,), format=source.format, map=map, fixed=(row, column))


def _is_bfloat16(value: float) -> bool:
    bits = int(np.float32(value).view(np.uint32))
    return bits & 0xFFFF == 0
