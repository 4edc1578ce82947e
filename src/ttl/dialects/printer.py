"""The printer: text as MLIR's own tools print it, so that they read it and so do people.

``module`` for ``builtin.module``; constants are named after their value, and other values as the program names
them; encodings and affine maps that occur several times have an alias.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from io import StringIO

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Operation,
    OpResult,
    ParametrizedAttribute,
    SSAValue,
)
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from ttl.dialects.buffers import CreateDfbOp
from ttl.dialects.layouts import EncodingAttr
from ttl.dialects.pipes import CreatePipeNetOp
from ttl.dialects.queries import TensorAccessorOp
from ttl.dialects.semaphores import CreateSemaphoreOp
from ttl.dialects.structure import OperationOp

_NUMBERED = re.compile(r"\d+")


class TextPrinter(Printer):
    """Prints one module."""

    def print_all(self, module: ModuleOp) -> None:
        """The module, with the aliases it needs before it."""
        self._names_in_use: list[set[str]] = [set()]
        self._suffixes = [_counters()]
        self._next_number = 0
        self._aliases: dict[Attribute, str] = {}
        self._used_aliases: set[str] = set()
        # Inside the types of dialects they do not know, MLIR's tools do not read aliases.
        aliases = {} if self.print_generic_format else _aliases_of(module)
        output, self.stream = self.stream, StringIO()
        self._aliases = aliases
        self.print_op(module)
        body, self.stream = self.stream, output
        self._aliases = {}
        for attribute, alias in aliases.items():
            if alias in self._used_aliases:
                self.print_string(f"{alias} = ")
                super().print_attribute(attribute)
                self.print_string("\n")
        self.print_string(f"{body.getvalue()}\n")

    def print_attribute(self, attribute: Attribute) -> None:
        alias = self._aliases.get(attribute) if isinstance(attribute, EncodingAttr | AffineMapAttr) else None
        if alias is None:
            super().print_attribute(attribute)
        else:
            self._used_aliases.add(alias)
            self.print_string(alias)

    def print_op(self, op: Operation) -> None:
        is_scope = op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
        if is_scope:
            self._names_in_use.append(set())
            self._suffixes.append(_counters())
            outer, self._next_number = self._next_number, 0
        if isinstance(op, ModuleOp) and not self.print_generic_format:
            self.print_string("module")
            op.print(self)
            if self.print_debuginfo:
                self.print_string(" ")
                self.print_attribute(op.location)
        else:
            super().print_op(op)
        if is_scope:
            self._names_in_use.pop()
            self._suffixes.pop()
            self._next_number = outer

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._ssa_values.get(value)
        if name is None:
            name = self._ssa_values[value] = self._new_name(value)
        self.print_string(f"%{name}")
        return name

    def _new_name(self, value: SSAValue) -> str:
        wanted = _own_name(value) or value.name_hint or _natural_name(value)
        used = self._names_in_use[-1]
        if wanted is None or _NUMBERED.fullmatch(wanted):
            self._next_number += 1
            return str(self._next_number - 1)
        name = wanted
        while name in used:
            name = f"{wanted}_{next(self._suffixes[-1][wanted])}"
        used.add(name)
        return name


def _counters() -> defaultdict[str, Iterator[int]]:
    return defaultdict(itertools.count)


def _own_name(value: SSAValue) -> str | None:
    """The name that the program gives to a resource or to a parameter, where it can be printed."""
    found: Attribute | None
    match value:
        case OpResult(op=CreateDfbOp() | CreatePipeNetOp() | CreateSemaphoreOp() as resource):
            found = resource.properties["name"]
        case BlockArgument(block=Block() as block) if isinstance(block.parent_op(), OperationOp):
            operation = block.parent_op()
            assert isinstance(operation, OperationOp)
            names = operation.arg_names.data
            found = names[value.index] if value.index < len(names) else None
        case _:
            return None
    return found.data if isinstance(found, StringAttr) and SSAValue.is_valid_name(found.data) else None


def _natural_name(value: SSAValue) -> str | None:
    if isinstance(value, BlockArgument):
        return "arg0"
    if isinstance(value.owner, TensorAccessorOp):
        tensor = value.owner.tensor
        return f"{_own_name(tensor) or tensor.name_hint or 'tensor'}_accessor"
    if not isinstance(value.owner, ConstantOp):
        return None
    match value.owner.value:
        case IntegerAttr(type=IntegerType(width=width)) as number if width.data == 1:
            return "true" if number.value.data else "false"
        case IntegerAttr() as number:
            sign = "c" if number.value.data >= 0 else "c-"
            suffix = "" if isinstance(number.type, IndexType) else f"_{number.type}"
            return f"{sign}{abs(number.value.data)}{suffix}"
        case FloatAttr():
            return "cst"
    return None


def _aliases_of(module: ModuleOp) -> dict[Attribute, str]:
    """Aliases of what occurs more than once, in the order of first occurrence."""
    counts = Counter(_nested(module))
    seen: Counter[str] = Counter()
    aliases: dict[Attribute, str] = {}
    for attribute, count in counts.items():
        base = "#map" if isinstance(attribute, AffineMapAttr) else "#encoding"
        if count > 1 or base == "#map":
            aliases[attribute] = f"{base}{seen[base] or ''}"
            seen[base] += 1
    return aliases


def _nested(module: ModuleOp) -> Iterator[Attribute]:
    known: dict[Attribute, tuple[Attribute, ...]] = {}

    def inside(attribute: Attribute) -> tuple[Attribute, ...]:
        found = known.get(attribute)
        if found is None:
            found = known[attribute] = tuple(_inside(attribute, inside))
        return found

    for op in module.walk():
        for attribute in (
            *op.attributes.values(),
            *op.properties.values(),
            *op.operand_types,
            *op.result_types,
        ):
            yield from inside(attribute)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    yield from inside(argument.type)


def _inside(
    attribute: Attribute, inside: Callable[[Attribute], tuple[Attribute, ...]]
) -> Iterator[Attribute]:
    match attribute:
        case EncodingAttr() | AffineMapAttr():
            yield attribute
        case ArrayAttr():
            for each in attribute.data:
                yield from inside(each)
        case DictionaryAttr():
            for each in attribute.data.values():
                yield from inside(each)
        case ParametrizedAttribute():
            for each in attribute.parameters:
                yield from inside(each)


def print_module(module: ModuleOp, *, generic: bool = False, locations: bool = False) -> str:
    """A module as text: in the readable form or the generic one, with or without locations."""
    stream = StringIO()
    TextPrinter(stream=stream, print_generic_format=generic, print_debuginfo=locations).print_all(module)
    return stream.getvalue()
