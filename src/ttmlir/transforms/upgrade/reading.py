"""Reads text of 2025 and later: operations with a custom assembly format, and all others in the generic one."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.traits import NoTerminator

from tt_model.operations.ttir import TTIR
from ttl.ir.refusals import Refused

VALID = "what works: text that the real project's own verifier accepts"

# Marks of later text other than names of operations: the name of its dialect, destinations as operations of their own,
# lists as attributes, caches without constraints of operands.
_MARKS = re.compile(
    r"\bttcore\b|\bttir\.empty\b|\bbatch_dim = |\b(?:stride|kernel) = array"
    r'|"ttir\.(?:fill|update)_cache"\((?![^\n]*\boperand_constraints = )'
)
_OPERATION = re.compile(r"\"ttir\.(\w+)\"\(")
_COMMENT = re.compile(r"//[^\n]*")


def is_of_later(text: str, later: Container[str]) -> bool:
    """Whether a text is of 2025 or later: it has marks, operations without destinations, or operations in ``later``."""
    bare = _COMMENT.sub("", text)
    if any(mark.search(bare) is not None for mark in (_MARKS, *_without_destination())):
        return True
    return any(name in later for name in _OPERATION.findall(bare))


@cache
def _without_destination() -> tuple[re.Pattern[str], ...]:
    """Patterns of operations of both dates that have all tensors that they read, but no destination."""
    names: dict[int, list[str]] = {}
    for kind in TTIR.classes.values():
        row = kind.ROW
        groups = [group for group in row.operands if group.name != row.inits]
        if row.elementwise:
            names.setdefault(row.takes, []).append(row.mnemonic)
        elif row.inits is not None and groups and all(group.arity == "one" for group in groups):
            names.setdefault(len(groups), []).append(row.mnemonic)
    patterns = []
    for count, own in names.items():
        read = ", *".join([r"%[\w#]+"] * count)
        patterns.append(re.compile(rf'"ttir\.(?:{"|".join(own)})"\({read}\)'))
    return tuple(patterns)


@irdl_op_definition
class LaterEmpty(IRDLOperation):
    """``%0 = ttir.empty() : tensor<...>``"""

    name = "ttir.empty"
    result = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> LaterEmpty:
        parser.parse_punctuation("(")
        parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(result_types=[parser.parse_type()], attributes=attributes)


class _Wrapper(IRDLOperation):
    body = region_def()
    traits = traits_def(NoTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> _Wrapper:
        return cls.create(regions=[parser.parse_region()])


@irdl_op_definition
class LaterDeviceModule(_Wrapper):
    """``ttcore.device_module { builtin.module { ... } }``"""

    name = "ttcore.device_module"


@irdl_op_definition
class LaterCPUModule(_Wrapper):
    """``ttcore.cpu_module { builtin.module { ... } }``"""

    name = "ttcore.cpu_module"


def later_dialect(name: str) -> Dialect:
    """Return a dialect of later text: its operations with a custom format; others are read as unregistered ones."""
    kinds: list[type[Operation]] = [
        kind for kind in (LaterEmpty, LaterDeviceModule, LaterCPUModule) if kind.name.startswith(f"{name}.")
    ]
    return Dialect(name, kinds, [])


def name_of(op: Operation) -> str:
    """Return the name of an operation, also of one that no dialect defines."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def attribute(op: Operation, name: str) -> Attribute | None:
    """An attribute from the properties or the attributes of an operation; None if it is in neither."""
    return op.properties.get(name, op.attributes.get(name))


def number(op: Operation, name: str, default: float | None = None) -> float:
    """An attribute that is a number of any type. Raises ``Refused`` if it is not one."""
    match attribute(op, name):
        case IntegerAttr() as known:
            return int(known.value.data)
        case FloatAttr() as known:
            return float(known.value.data)
        case None if default is not None:
            return default
        case other:
            raise _wrong(name, other, "number")


def integer(op: Operation, name: str, default: int | None = None) -> int:
    """An attribute that is an integer. Raises ``Refused`` if it is not one."""
    known = number(op, name, default)
    if int(known) != known:
        raise Refused(f"its attribute {name} is {known}, and not an integer", VALID)
    return int(known)


def flag(op: Operation, name: str, default: bool = False) -> bool:
    """An attribute that is a truth value. Raises ``Refused`` if it is not one."""
    match attribute(op, name):
        case None:
            return default
        case IntegerAttr() as known:
            return bool(known.value.data)
        case other:
            raise _wrong(name, other, "truth")


def integers(op: Operation, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """An attribute that is a list of integers, or a single integer. Raises ``Refused`` if it is neither."""
    match attribute(op, name):
        case DenseArrayBase() as known:
            return tuple(int(one) for one in known.get_values())
        case ArrayAttr() as known if all(isinstance(one, IntegerAttr) for one in known.data):
            return tuple(int(one.value.data) for one in known.data)
        case IntegerAttr() as known:
            return (int(known.value.data),)
        case None if default is not None:
            return default
        case other:
            raise _wrong(name, other, "list of whole numbers")


def word(op: Operation, name: str, default: str) -> str:
    """An attribute that is a string. Raises ``Refused`` if it is not one."""
    match attribute(op, name):
        case None:
            return default
        case StringAttr() as known:
            return known.data
        case other:
            raise _wrong(name, other, "text")


def _wrong(name: str, known: Attribute | None, kind: str) -> Refused:
    return Refused(
        f"its attribute {name} is {'missing' if known is None else known}, and not a {kind}", VALID
    )


def segments(op: Operation, count: int) -> list[list[int]]:
    """Return the positions of the operands of each of ``count`` groups, by ``operandSegmentSizes``.

    Without that attribute, the first groups have one operand each, and the rest is empty.
    """
    sizes = integers(op, "operandSegmentSizes", ())
    if not sizes:
        sizes = tuple(1 if at < len(op.operands) else 0 for at in range(count))
    if len(sizes) != count or sum(sizes) != len(op.operands):
        raise Refused(
            f"operandSegmentSizes is {list(sizes)}, of {len(op.operands)} operands in {count} groups", VALID
        )
    groups, start = [], 0
    for size in sizes:
        groups.append(list(range(start, start + size)))
        start += size
    return groups
