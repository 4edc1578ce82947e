"""One step of a region as TT-Lang and as NumPy.

The text of a step in TT-Lang comes from the row of ``ttl.rows`` that its class names; if there is no such row, or
another text is needed, the text is in this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np

from tt_model.operations import elementwise, ttir
from tt_model.operations.operation import TTIROperation
from tt_model.operations.stages import PerClass
from ttl.rows.row import Op
from ttl.rows.table import op as row_named

# The text of operations without a row, or with another text than that of the row.
_OWN: Mapping[type[TTIROperation], str] = MappingProxyType(
    {
        elementwise.TTIRGeluOp: "ttl.math.gelu({0})",
        elementwise.TTIRWhereOp: "ttl.block.where({0}, {1}, {2})",
        elementwise.TTIRLogicalAndOp: "ttl.math.ne({0}, 0) * ttl.math.ne({1}, 0)",
        elementwise.TTIRLogicalNotOp: "ttl.math.eq({0}, 0)",
        elementwise.TTIRLogicalOrOp: "ttl.math.max(ttl.math.ne({0}, 0), ttl.math.ne({1}, 0))",
        elementwise.TTIRLogicalXorOp: "ttl.math.ne(ttl.math.ne({0}, 0), ttl.math.ne({1}, 0))",
    }
)

# The reference, in float64.
NUMPY = PerClass[str](
    (elementwise.TTIRAbsOp, "np.abs({0})"),
    (elementwise.TTIRAddOp, "{0} + {1}"),
    (elementwise.TTIRCeilOp, "np.ceil({0})"),
    (ttir.TTIRClampOp, "np.clip({0}, {1}, {2})"),
    (elementwise.TTIRCosOp, "np.cos({0})"),
    (elementwise.TTIRDivOp, "{0} / {1}"),
    (elementwise.TTIREqualOp, "({0} == {1}) * 1.0"),
    (elementwise.TTIRExpOp, "np.exp({0})"),
    (elementwise.TTIRExpm1Op, "np.expm1({0})"),
    (elementwise.TTIRFloorOp, "np.floor({0})"),
    (elementwise.TTIRGreaterEqualOp, "({0} >= {1}) * 1.0"),
    (elementwise.TTIRGeluOp, "0.5 * {0} * (1 + erf({0} / np.sqrt(2)))"),
    (elementwise.TTIRGreaterThanOp, "({0} > {1}) * 1.0"),
    (elementwise.TTIRLessEqualOp, "({0} <= {1}) * 1.0"),
    (elementwise.TTIRLeakyReluOp, "np.where({0} > 0, {0}, {1} * {0})"),
    (elementwise.TTIRLogOp, "np.log({0})"),
    (elementwise.TTIRLog1pOp, "np.log1p({0})"),
    (elementwise.TTIRLogicalAndOp, "(({0} != 0) & ({1} != 0)) * 1.0"),
    (elementwise.TTIRLogicalNotOp, "({0} == 0) * 1.0"),
    (elementwise.TTIRLogicalOrOp, "(({0} != 0) | ({1} != 0)) * 1.0"),
    (elementwise.TTIRLogicalXorOp, "(({0} != 0) ^ ({1} != 0)) * 1.0"),
    (elementwise.TTIRLessThanOp, "({0} < {1}) * 1.0"),
    (elementwise.TTIRMaximumOp, "np.maximum({0}, {1})"),
    (elementwise.TTIRMinimumOp, "np.minimum({0}, {1})"),
    (elementwise.TTIRMultiplyOp, "{0} * {1}"),
    (elementwise.TTIRNotEqualOp, "({0} != {1}) * 1.0"),
    (elementwise.TTIRNegOp, "-{0}"),
    (elementwise.TTIRReciprocalOp, "1 / {0}"),
    (elementwise.TTIRReluOp, "np.maximum({0}, 0)"),
    (elementwise.TTIRRsqrtOp, "1 / np.sqrt({0})"),
    (elementwise.TTIRSigmoidOp, "1 / (1 + np.exp(-{0}))"),
    (elementwise.TTIRSignOp, "np.sign({0})"),
    (elementwise.TTIRSinOp, "np.sin({0})"),
    (elementwise.TTIRSqrtOp, "np.sqrt({0})"),
    (elementwise.TTIRSubtractOp, "{0} - {1}"),
    (elementwise.TTIRWhereOp, "np.where({0} != 0, {1}, {2})"),
    absent={
        **dict.fromkeys((elementwise.TTIRCbrtOp, elementwise.TTIRIsFiniteOp), "TT-Lang has no such function"),
        elementwise.TTIRRemainderOp: "the remainder of TT-Lang has the sign of the divisor",
        elementwise.TTIRTypecastOp: "a region must have one element type",
    },
)

ELEMENTWISE = frozenset(NUMPY.kinds)
"""The elementwise operations of TTIR that can be a step."""


@cache
def _row(kind: type[TTIROperation]) -> Op | None:
    return None if kind in _OWN else row_named(kind.ROW.function)


def takes_number(kind: type[TTIROperation], position: int) -> bool:
    """Whether an operand of an elementwise step may be a number."""
    row = _row(kind)
    return row is not None and row.operands[position].scalar


def in_language(kind: type[TTIROperation], operands: Sequence[str], params: Sequence[float] = ()) -> str:
    """An elementwise step as an expression of TT-Lang."""
    row = _row(kind)
    if row is None:
        return _OWN[kind].format(*operands)
    if row.namespace == "operator":
        names = {operand.name: text for operand, text in zip(row.operands, operands, strict=True)}
        return re.sub(r"\b[a-z]+\b", lambda found: names[found.group()], row.spellings[0])
    return f"{row.spellings[0]}({', '.join((*operands, *map(number, params)))})"


def in_numpy(kind: type[TTIROperation], operands: Sequence[str], params: Sequence[float] = ()) -> str:
    """An elementwise step as an expression of NumPy."""
    text = NUMPY.of(kind)
    assert text is not None
    return text.format(*operands, *map(number, params))


def number(value: float) -> str:
    """A number as Python writes it: the shortest text of the same float32."""
    if value == int(value) and abs(value) < 1e6:
        return repr(int(value))
    text = str(np.float32(value))
    return text if np.float32(text) == value else repr(value)
