"""Attributes of StableHLO operations as values of Python, from current and from older text."""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from tt_model.stablehlo.attributes import FieldsAttr, StablehloWordAttr
from tt_model.stablehlo.numbers import array_of
from ttl.ir.refusals import Refused

AttributeT = TypeVar("AttributeT", bound=Attribute)

_VALID = "what works: text that StableHLO's own verifier accepts"


def attribute(op: Operation, name: str) -> Attribute | None:
    """An attribute, either inherent or in the dictionary."""
    return op.properties.get(name, op.attributes.get(name))


def expected(op: Operation, name: str, kind: type[AttributeT]) -> AttributeT:
    """An attribute of a kind. Raises ``Refused`` if it is missing or of another kind."""
    known = attribute(op, name)
    if not isinstance(known, kind):
        raise Refused(
            f"its attribute {name} is {'missing' if known is None else known}, and not a {kind.__name__}",
            _VALID,
        )
    return known


def integer(op: Operation, name: str) -> int:
    """A number. Raises ``Refused``."""
    return int(expected(op, name, IntegerAttr).value.data)


def integers(op: Operation, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """A list of numbers, as ``array<i64: 1, 2>`` or, before 2024, ``dense<[1, 2]>``. Raises ``Refused``."""
    match attribute(op, name):
        case None if default is not None:
            return default
        case DenseArrayBase() as array:
            return tuple(
                abs(int(one)) if array.elt_type.bitwidth == 1 else int(one) for one in array.get_values()
            )
        case DenseIntOrFPElementsAttr() as table:
            values = array_of(table)
            if values is not None and values.dtype.kind in "iub":
                return tuple(int(one) for one in values.reshape(-1))
        case ArrayAttr() as listed:
            if all(isinstance(one, IntegerAttr) for one in listed.data):
                return tuple(int(one.value.data) for one in listed.data)
        case other:
            raise Refused(f"its attribute {name} is {other}, and not a list of numbers", _VALID)
    raise Refused(f"its attribute {name} is not a list of numbers", _VALID)


def pairs(op: Operation, name: str, count: int) -> list[tuple[int, int]]:
    """A table of two numbers for each of ``count`` dimensions; zeros where it is absent. Raises ``Refused``."""
    flat = integers(op, name, (0,) * (2 * count))
    if len(flat) != 2 * count:
        raise Refused(
            f"its attribute {name} has {len(flat)} numbers, and there are {count} dimensions", _VALID
        )
    return [(flat[2 * dim], flat[2 * dim + 1]) for dim in range(count)]


def word(op: Operation, name: str) -> str:
    """A word, such as a direction of comparison. Raises ``Refused``."""
    return expected(op, name, StablehloWordAttr).data


def text(op: Operation, name: str) -> str:
    """A string. Raises ``Refused``."""
    return expected(op, name, StringAttr).data


def fields(op: Operation, name: str) -> FieldsAttr:
    """Dimensions by name. Raises ``Refused``."""
    return expected(op, name, FieldsAttr)
