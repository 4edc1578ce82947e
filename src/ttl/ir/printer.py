"""The printer: readable text in MLIR's syntax, which MLIR's own tools can parse.

It writes ``module`` for ``builtin.module``; constants are named after their value, other values by operations
(``NamesValues``); affine maps, and ``Aliased`` attributes, have an alias.
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
)
from xdsl.ir import (
    Attribute,
    BlockArgument,
    Operation,
    ParametrizedAttribute,
    SSAValue,
)
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from ttl.ir.syntax import Aliased, NamesValues, Nests, PrintsAliases, given_name, namer_of

_NUMBERED = re.compile(r"\d+")


class TextPrinter(Printer, PrintsAliases):
    """Prints one module."""

    def print_all(self, module: ModuleOp) -> None:
        """Print the module, with the aliases that it needs before it."""
        self._names_in_use: list[set[str]] = [set()]
        self._suffixes = [_counters()]
        self._next_number = 0
        self._aliases: dict[Attribute, str] = {}
        self._used_aliases: set[str] = set()
        # MLIR's tools do not parse aliases inside types of dialects that they do not know.
        aliases = {} if self.print_generic_format else _aliases_of(module)
        output, self.stream = self.stream, StringIO()
        self._aliases = aliases
        self.print_op(module)
        body, self.stream = self.stream, output
        definitions = list(self._definitions(aliases))
        self.print_string("".join(reversed(definitions)) + f"{body.getvalue()}\n")

    def _definitions(self, aliases: dict[Attribute, str]) -> Iterator[str]:
        """Yield the lines of used aliases, last ones first, because the definition of an alias may use others."""
        output = self.stream
        for attribute, alias in reversed(aliases.items()):
            if alias in self._used_aliases:
                self.stream = line = StringIO()
                super().print_attribute(attribute)
                yield f"{alias} = {line.getvalue()}\n"
        self.stream = output

    def print_attribute(self, attribute: Attribute) -> None:
        if not self.print_alias(attribute):
            super().print_attribute(attribute)

    def print_alias(self, attribute: Attribute) -> bool:
        alias = self._aliases.get(attribute) if isinstance(attribute, Aliased | AffineMapAttr) else None
        if alias is None:
            return False
        self._used_aliases.add(alias)
        self.print_string(alias)
        return True

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
        wanted = given_name(value) or value.name_hint or _natural_name(value)
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


def _natural_name(value: SSAValue) -> str | None:
    namer = namer_of(value)
    if isinstance(namer, NamesValues) and (usual := namer.usual_name(value)) is not None:
        return usual
    if isinstance(value, BlockArgument):
        return "arg0"
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
    """Return the aliases in the order of first occurrence; an alias inside another one comes before it."""
    counts = Counter(_nested(module))
    seen: Counter[str] = Counter()
    aliases: dict[Attribute, str] = {}
    for attribute, count in counts.items():
        name, least = (
            (attribute.alias(), attribute.ALIASED_FROM) if isinstance(attribute, Aliased) else ("map", 1)
        )
        if count >= least:
            aliases[attribute] = f"#{name}{seen[name] or ''}"
            seen[name] += 1
    return aliases


def _nested(module: ModuleOp) -> Iterator[Attribute]:
    known: dict[Attribute, tuple[Attribute, ...]] = {}

    def inside(attribute: Attribute) -> tuple[Attribute, ...]:
        nested = known.get(attribute)
        if nested is None:
            nested = known[attribute] = tuple(_inside(attribute, inside))
        return nested

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
        case AffineMapAttr():
            yield attribute
        case ArrayAttr():
            for item in attribute.data:
                yield from inside(item)
        case DictionaryAttr():
            for item in attribute.data.values():
                yield from inside(item)
        case ParametrizedAttribute():
            for parameter in attribute.parameters:
                yield from inside(parameter)
            if isinstance(attribute, Aliased):
                yield attribute
        case Aliased() | Nests():
            if isinstance(attribute, Nests):
                for part in attribute.nested():
                    yield from inside(part)
            if isinstance(attribute, Aliased):
                yield attribute


def print_module(module: ModuleOp, *, generic: bool = False, locations: bool = False) -> str:
    """Return a module as text: in the readable form or the generic one, with or without locations."""
    stream = StringIO()
    TextPrinter(stream=stream, print_generic_format=generic, print_debuginfo=locations).print_all(module)
    return stream.getvalue()
