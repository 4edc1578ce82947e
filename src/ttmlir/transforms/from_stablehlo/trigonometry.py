"""Functions of CHLO and StableHLO that TTIR has none of, by ``ttmlir.compositions.functions``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from ttmlir.compositions import functions
from ttmlir.transforms.from_stablehlo.writer import Writer

Rule = Callable[[Operation, Writer], Sequence[SSAValue]]


def _composed(function: Callable[..., Any]) -> Rule:
    return lambda op, w: [function(*w.operands(op), w)]


def erf_inv(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """In float32: its polynomials have more digits than others."""
    (value,) = w.operands(op)
    return [w.typecast(functions.erf_inv(w.typecast(value, f32), w), w.element(value))]


_ANGLES = (functions.acos, functions.acosh, functions.asin, functions.asinh, functions.atan, functions.atanh)
TRIGONOMETRY: Mapping[str, Rule] = MappingProxyType(
    {
        "stablehlo.atan2": _composed(functions.atan2),
        **dict.fromkeys(("chlo.tan", "stablehlo.tan"), _composed(functions.tan)),
        "chlo.erf": _composed(functions.erf),
        "chlo.erfc": _composed(functions.erfc),
        "chlo.erf_inv": erf_inv,
        **{f"chlo.{rule.__name__}": _composed(rule) for rule in _ANGLES},
    }
)
