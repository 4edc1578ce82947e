"""The attributes that have an alias in a text, their order and their numbers, as MLIR decides them.

The whole text is printed once, without output, to find the attributes in it: an attribute that contains another
one lies one deeper. Definitions are sorted by depth and then by name, and numbered in that order. Locations that stand only after
operations are defined at the end of the file. The rules are those of ``AliasInitializer`` in ``AsmPrinter.cpp``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    BytesAttr,
    CallSiteLoc,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FileLineColLoc,
    FloatAttr,
    FusedLoc,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NameLoc,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    UnknownLoc,
    UnregisteredAttr,
)
from xdsl.ir import Attribute, BlockArgument, Operation

from ttl.ir.assembly import Assembly, AssemblyPrinter, Style
from ttl.ir.attribute_text import is_identity, parts_of
from ttl.ir.locations import CallLoc, FileRangeLoc
from ttl.ir.numbering import Numbering, sanitized
from ttl.ir.syntax import Aliased

# Attributes without an alias, whose parts have no aliases either.
_LEAVES = frozenset(
    {
        BytesAttr,
        DenseArrayBase,
        DenseIntOrFPElementsAttr,
        DenseResourceAttr,
        FloatAttr,
        IntegerAttr,
        IntegerType,
        NoneAttr,
        StringAttr,
        SymbolRefAttr,
        UnitAttr,
    }
)
_LOCATIONS = frozenset({UnknownLoc, FileLineColLoc, FileRangeLoc, NameLoc, FusedLoc, CallLoc, CallSiteLoc})


@dataclass(frozen=True, slots=True)
class Alias:
    """An alias. ``name`` includes its mark: ``#layout1``."""

    name: str
    attribute: Attribute
    deferred: bool


@dataclass(slots=True)
class _Visited:
    stem: str | None
    deferred: bool
    depth: int
    inside: list[_Visited] = field(default_factory=list)

    def keep_before(self) -> None:
        """Define the attribute, and those nested in it, before the module and not at the end of the file."""
        if self.deferred:
            self.deferred = False
            for part in self.inside:
                part.keep_before()


class Aliases:
    """The aliases for an operation with everything nested in it."""

    def __init__(
        self, op: Operation, style: Style, numbering: Numbering, forms: Mapping[str, Assembly]
    ) -> None:
        visitor = _Visitor(style, numbering, forms)
        visitor.print_op(op)
        named = [(one.depth, one.stem, one, key) for key, one in visitor.visited.items() if one.stem]
        named.sort(key=lambda item: (item[0], item[1]))
        counts: Counter[str] = Counter()
        self.all: list[Alias] = []
        for _, stem, one, attribute in named:
            self.all.append(Alias(f"#{stem}{counts[stem] or ''}", attribute, one.deferred))
            counts[stem] += 1
        self.names: Mapping[Attribute, str] = {alias.attribute: alias.name for alias in self.all}


def _stem(attribute: Attribute) -> str | None:
    match attribute:
        case Aliased():
            return sanitized(attribute.alias(), trailing_digit=False)
        case AffineMapAttr():
            return "map"
        case AffineSetAttr():
            return "set"
    return "loc" if attribute.__class__ in _LOCATIONS else None


class _Visitor(AssemblyPrinter):
    """Prints nothing, and records the attributes that it meets."""

    def __init__(self, style: Style, numbering: Numbering, forms: Mapping[str, Assembly]) -> None:
        super().__init__(style, numbering, {}, forms)
        self.visited: dict[Attribute, _Visited] = {}
        # By identity, as equality of attributes is slow to find.
        self._met: dict[int, tuple[Attribute, _Visited]] = {}
        # The parts of the attributes that are being visited, innermost last.
        self._insides: list[list[_Visited]] = []
        self._deferring = False

    def visit(self, attribute: Attribute) -> None:
        """Record an attribute, and those nested in it."""
        if attribute.__class__ in _LEAVES:
            return
        met = self._met.get(id(attribute))
        if met is not None:
            one = met[1]
        else:
            known = self.visited.get(attribute)
            one = self._look_into(attribute) if known is None else known
            self._met[id(attribute)] = (attribute, one)
        if one.deferred and not self._deferring:
            one.keep_before()
        if self._insides:
            self._insides[-1].append(one)

    def _look_into(self, attribute: Attribute) -> _Visited:
        stem = _stem(attribute)
        one = self.visited[attribute] = _Visited(stem, self._deferring, 0 if stem is None else 1)
        self._insides.append(one.inside)
        self._visit_parts(attribute)
        self._insides.pop()
        deepest = max((part.depth for part in one.inside), default=0)
        if deepest:
            one.depth = deepest + 1
        return one

    def _visit_parts(self, attribute: Attribute) -> None:
        match attribute:
            case AffineMapAttr() | AffineSetAttr() | UnregisteredAttr() | FileLineColLoc() | UnknownLoc():
                return
            case NameLoc():
                if not isinstance(attribute.location, NoneAttr | UnknownLoc):
                    self.visit(attribute.location)
            case CallLoc() | CallSiteLoc():
                self.visit(attribute.callee)
                self.visit(attribute.caller)
            case FusedLoc():
                if not isinstance(attribute.metadata, NoneAttr):
                    self.visit(attribute.metadata)
                for part in parts_of(attribute):
                    self.visit(part)
            case TensorType():
                self.visit(attribute.element_type)
                self.visit(attribute.encoding)
            case MemRefType():
                self.visit(attribute.element_type)
                if not is_identity(attribute.layout):
                    self.visit(attribute.layout)
                self.visit(attribute.memory_space)
            case _:
                self.spelled(attribute)

    # The printer's output is discarded; attributes are visited instead.

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        pass

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        pass

    def text_of(self, attribute: Attribute) -> str:
        self.visit(attribute)
        return ""

    def short_text_of(self, attribute: Attribute) -> str:
        self.visit(attribute)
        return ""

    def print_alias(self, attribute: Attribute) -> bool:
        self.visit(attribute)
        return True

    def print_argument(
        self, argument: BlockArgument, attributes: Mapping[str, Attribute], *, with_type: bool = True
    ) -> None:
        self.visit(argument.type)
        if self.print_debuginfo:
            self.visit(argument.location)

    def print_location(self, op: Operation) -> None:
        pass

    def print_op(self, op: Operation) -> None:
        if self.print_debuginfo:
            self._deferring = True
            self.visit(op.location)
            self._deferring = False
        self.print_op_without_results(op)
        self._output.clear()

    def print_op_with_default_format(self, op: Operation) -> None:
        for region in op.regions:
            self.print_region(region)
        for type in op.operand_types:
            self.visit(type)
        for type in op.result_types:
            self.visit(type)
        attributes = op.attributes
        if op.properties:
            attributes = {**attributes, **op.properties}
        for _, value in sorted(attributes.items()):
            self.visit(value)
