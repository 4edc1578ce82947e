"""One step of a region as TT-Lang and as NumPy.

What a step is in TT-Lang is the row of ``ttl.ops`` that its arithmetic has in ``reference.elementwise``; where that has a
function of its own, the text stands here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np

from ttl.ops.row import Op
from ttl.ops.table import op as row_named
from ttmlir.reference.elementwise import ARITHMETIC

# Those without a row: their text, and which operands may be numbers.
_OWN: Mapping[str, str] = MappingProxyType(
    {
        "gelu": "ttl.math.gelu({0})",
        "where": "ttl.block.where({0}, {1}, {2})",
        "logical_and": "ttl.math.ne({0}, 0) * ttl.math.ne({1}, 0)",
        "logical_not": "ttl.math.eq({0}, 0)",
        "logical_or": "ttl.math.max(ttl.math.ne({0}, 0), ttl.math.ne({1}, 0))",
        "logical_xor": "ttl.math.ne(ttl.math.ne({0}, 0), ttl.math.ne({1}, 0))",
    }
)

# The reference, in float64.
_NUMPY: Mapping[str, str] = MappingProxyType(
    {
        "abs": "np.abs({0})",
        "add": "{0} + {1}",
        "ceil": "np.ceil({0})",
        "clamp": "np.clip({0}, {1}, {2})",
        "cos": "np.cos({0})",
        "div": "{0} / {1}",
        "eq": "({0} == {1}) * 1.0",
        "exp": "np.exp({0})",
        "expm1": "np.expm1({0})",
        "floor": "np.floor({0})",
        "ge": "({0} >= {1}) * 1.0",
        "gelu": "0.5 * {0} * (1 + erf({0} / np.sqrt(2)))",
        "gt": "({0} > {1}) * 1.0",
        "le": "({0} <= {1}) * 1.0",
        "leaky_relu": "np.where({0} > 0, {0}, {1} * {0})",
        "log": "np.log({0})",
        "log1p": "np.log1p({0})",
        "logical_and": "(({0} != 0) & ({1} != 0)) * 1.0",
        "logical_not": "({0} == 0) * 1.0",
        "logical_or": "(({0} != 0) | ({1} != 0)) * 1.0",
        "logical_xor": "(({0} != 0) ^ ({1} != 0)) * 1.0",
        "lt": "({0} < {1}) * 1.0",
        "maximum": "np.maximum({0}, {1})",
        "minimum": "np.minimum({0}, {1})",
        "multiply": "{0} * {1}",
        "ne": "({0} != {1}) * 1.0",
        "neg": "-{0}",
        "reciprocal": "1 / {0}",
        "relu": "np.maximum({0}, 0)",
        "rsqrt": "1 / np.sqrt({0})",
        "sigmoid": "1 / (1 + np.exp(-{0}))",
        "sign": "np.sign({0})",
        "sin": "np.sin({0})",
        "sqrt": "np.sqrt({0})",
        "subtract": "{0} - {1}",
        "where": "np.where({0} != 0, {1}, {2})",
    }
)

ELEMENTWISE = frozenset(_NUMPY)
"""The elementwise operations of TTIR that can be a step."""


@cache
def _row(mnemonic: str) -> Op | None:
    return None if mnemonic in _OWN else row_named(ARITHMETIC[mnemonic].row)


def takes_number(mnemonic: str, position: int) -> bool:
    """Whether an operand of an elementwise step may be a number."""
    row = _row(mnemonic)
    return row is not None and row.operands[position].scalar


def in_language(mnemonic: str, operands: Sequence[str], params: Sequence[float] = ()) -> str:
    """An elementwise step as an expression of TT-Lang."""
    row = _row(mnemonic)
    if row is None:
        return _OWN[mnemonic].format(*operands)
    if row.namespace == "operator":
        names = {operand.name: text for operand, text in zip(row.operands, operands, strict=True)}
        return re.sub(r"\b[a-z]+\b", lambda found: names[found.group()], row.spellings[0])
    return f"{row.spellings[0]}({', '.join((*operands, *map(number, params)))})"


def in_numpy(mnemonic: str, operands: Sequence[str], params: Sequence[float] = ()) -> str:
    """An elementwise step as an expression of NumPy."""
    return _NUMPY[mnemonic].format(*operands, *map(number, params))


def number(value: float) -> str:
    """A number as Python writes it: the shortest text of what is the same float32."""
    if value == int(value) and abs(value) < 1e6:
        return repr(int(value))
    text = str(np.float32(value))
    return text if np.float32(text) == value else repr(value)
