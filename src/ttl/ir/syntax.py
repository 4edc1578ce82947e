"""The text of operations, types and attributes: formats parsed on demand, assembly directives, names, aliases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntAttr, StringAttr, i64
from xdsl.ir import Attribute, BlockArgument, Data, Operation, OpResult, ParametrizedAttribute, SSAValue
from xdsl.irdl import IRDLOperation, OpDef, get_accessors_from_op_def
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    FormatProgram,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from ttl.ir.parser import LocationParser

ViewedT = TypeVar("ViewedT")
OperationT = TypeVar("OperationT", bound=IRDLOperation)
WordT = TypeVar("WordT", bound=StrEnum)
StrippableT = TypeVar("StrippableT", bound="Strippable")

# An extent that is unknown before the program runs.
DYNAMIC = -1
# The constraint of a property of integers: ``array<i64: 2, 4>``.
I64_ARRAY = DenseArrayBase.constr(i64)


class Aliased:
    """Interface of an attribute with an alias, defined before the module that uses it: ``#layout = #d.layout<...>``."""

    # The number of uses from which the attribute gets an alias.
    ALIASED_FROM: ClassVar[int] = 1

    def alias(self) -> str:
        """Return the name without the hash; several attributes of one name get numbers."""
        raise NotImplementedError


class Nests:
    """Interface of an attribute that contains others, although it is not a ``ParametrizedAttribute``."""

    def nested(self) -> tuple[Attribute, ...]:
        """The attributes inside, in the order in which they are printed."""
        raise NotImplementedError


class PrintsAliases:
    """Interface of a printer that knows which attributes have an alias."""

    def print_alias(self, attribute: Attribute) -> bool:
        """Print the alias of an attribute. Returns False and prints nothing if it has no alias."""
        raise NotImplementedError


def print_short(printer: Printer, attribute: Data[Any]) -> None:
    """Print an attribute inside another one: its alias, or else its parameters without its name."""
    if not (isinstance(printer, PrintsAliases) and printer.print_alias(attribute)):
        attribute.print_parameter(printer)


class NamesValues:
    """Interface of an operation that determines the names of its results and block arguments in text."""

    def given_name(self, value: SSAValue) -> str | None:
        """Return the name of a value in the program, whatever its name hint is."""
        return None

    def usual_name(self, value: SSAValue) -> str | None:
        """Return the name of a value without a name in the program."""
        return None


def given_name(value: SSAValue) -> str | None:
    """Return the name of a value in the program, if it can be printed."""
    namer = namer_of(value)
    name = namer.given_name(value) if isinstance(namer, NamesValues) else None
    return name if name is not None and SSAValue.is_valid_name(name) else None


def namer_of(value: SSAValue) -> Operation | None:
    """Return the operation that defines a value, or that contains the block of an argument."""
    if isinstance(value, BlockArgument):
        return value.block.parent_op()
    return value.op if isinstance(value, OpResult) else None


def operation_definition(cls: type[OperationT]) -> type[OperationT]:
    """``irdl_op_definition``, except that an ``assembly_format`` is parsed only when text is first parsed or printed.

    A program that is only checked has no text.
    """
    definition = OpDef.from_pyrdl(cls)
    text, definition.assembly_format = definition.assembly_format, None
    members = get_accessors_from_op_def(definition, getattr(cls, "verify_", None))
    if text is not None:
        members |= _reading_and_printing(text, definition)
    for name, member in members.items():
        setattr(cls, name, member)
    return cls


def _reading_and_printing(text: str, definition: OpDef) -> dict[str, Any]:
    @cache
    def program() -> FormatProgram:
        return FormatProgram.from_str(text, definition)

    def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
        return program().parse(parser, cls)

    def print(self: IRDLOperation, printer: Printer) -> None:
        program().print(printer, self)

    return {"parse": classmethod(parse), "print": print}


class PropertyView(property, Generic[ViewedT]):
    """A property of an operation as a plain value. ``number_of``, ``word_of`` and ``numbers_of`` make one."""

    if TYPE_CHECKING:

        def __get__(self, op: Any, owner: type | None = None) -> ViewedT:  # type: ignore[override]
            """Return the plain value, with its type."""


def number_of(name: str, doc: str) -> PropertyView[int]:
    """An integer: the property ``name`` is an ``IntegerAttr``."""
    return PropertyView(lambda op: op.properties[name].value.data, doc=doc)


def word_of(name: str, doc: str) -> PropertyView[str]:
    """A text: the property ``name`` is a ``StringAttr``."""
    return PropertyView(lambda op: op.properties[name].data, doc=doc)


def numbers_of(name: str, doc: str) -> PropertyView[tuple[int, ...]]:
    """Integers: the property ``name`` is an ``array<i64: ...>``."""
    return PropertyView(lambda op: ints_of(op.properties[name]), doc=doc)


def integers(values: Iterable[int]) -> ArrayAttr[IntAttr]:
    """A list of whole numbers as a parameter of a type or attribute."""
    return ArrayAttr([IntAttr(value) for value in values])


def numbers(values: ArrayAttr[IntAttr]) -> tuple[int, ...]:
    """Return the numbers in a list that ``integers`` made."""
    return tuple(value.data for value in values)


def extent_text(extent: int) -> str:
    """Return an extent as text: ``?`` if it is not known."""
    return "?" if extent == DYNAMIC else str(extent)


def parse_extent(parser: AttrParser) -> int:
    """Parse an integer, or ``?``."""
    if parser.parse_optional_punctuation("?") is not None:
        return DYNAMIC
    return parser.parse_integer(allow_boolean=False)


def parse_extents(parser: AttrParser) -> ArrayAttr[IntAttr]:
    """``[2, ?]``."""
    return integers(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_extent(parser)))


def extents_text(values: ArrayAttr[IntAttr]) -> str:
    """``[2, ?]``."""
    return f"[{', '.join(map(extent_text, numbers(values)))}]"


def parse_dimensions(parser: AttrParser) -> ArrayAttr[IntAttr]:
    """``8x8``: one extent or several, all known."""
    position = parser.pos
    extents = parser.parse_dimension_list()
    if not extents or min(extents) < 0:
        parser.raise_error("expected extents, such as 8x8", position, parser.pos)
    return integers(extents)


def dimensions_text(values: Sequence[int]) -> str:
    """``8x8``."""
    return "x".join(map(str, values))


def i64_array(values: Sequence[int]) -> DenseArrayBase[I64]:
    """Make a property of integers: ``array<i64: 2, 4>``."""
    return DenseArrayBase.from_list(i64, list(values))


def ints_of(array: DenseArrayBase[Any]) -> tuple[int, ...]:
    """Return the numbers in a property that ``i64_array`` made."""
    return tuple(int(value) for value in array.get_values())


@irdl_custom_directive
class Keyword(CustomDirective):
    """``custom<Keyword>($how)``: a string property, printed as a bare word."""

    word: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.word.set(state, StringAttr(parser.parse_identifier(" that says how")))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        attribute = self.word.get(op)
        assert isinstance(attribute, StringAttr)
        printer.print_string(attribute.data)


@irdl_custom_directive
class Extents(CustomDirective):
    """``custom<Extents>($sizes)``: an ``array<i64: ...>`` property, printed as ``[2, ?]``."""

    extents: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.extents.set(state, i64_array(numbers(parse_extents(parser))))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        attribute = self.extents.get(op)
        assert isinstance(attribute, DenseArrayBase)
        printer.print_string(extents_text(integers(ints_of(attribute))))


class WordAttr(Data[WordT]):
    """One word of an enumeration: ``#d.name<word>``. Subclasses define the ``WORDS``."""

    WORDS: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> WordT:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(cls.WORDS)  # type: ignore[return-value]

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.value}>")


class Strippable(ParametrizedAttribute):
    """A type with a short form, only its parameters, for places where no other type can occur."""

    @classmethod
    def parse_body(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse the parameters, without the brackets."""
        raise NotImplementedError

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return cls.parse_body(parser)


def _parse_short(parser: AttrParser, type_: type[StrippableT]) -> StrippableT:
    return type_.new(type_.parse_parameters(parser))


def parse_stripped(parser: AttrParser, type_: type[StrippableT]) -> StrippableT:
    """``<[2, 1], f32>`` or the whole type."""
    position = parser.pos
    if isinstance(parser, LocationParser) and parser.at("<"):
        return parser.short_type(type_.name, lambda: _parse_short(parser, type_))
    if parser.parse_optional_punctuation("<") is not None:
        parameters = type_.parse_body(parser)
        parser.parse_punctuation(">")
        return type_.new(parameters)
    written = parser.parse_type()
    if not isinstance(written, type_):
        parser.raise_error(f"expected a !{type_.name}, not {written}", position, parser.pos)
    return written


def parse_stripped_operand(parser: Parser, type_: type[StrippableT]) -> tuple[SSAValue, dict[str, Attribute]]:
    """``%value attr-dict : <...>``: an operand with the short form of its type."""
    operand = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return parser.resolve_operand(operand, parse_stripped(parser, type_)), attributes


def print_stripped_operand(printer: Printer, op: IRDLOperation, operand: SSAValue) -> None:
    """The inverse of ``parse_stripped_operand``."""
    printer.print_string(" ")
    printer.print_operand(operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    print_stripped(printer, operand.type)


def print_stripped(printer: Printer, type_: Attribute) -> None:
    """Print the short form of a type."""
    assert isinstance(type_, Strippable)
    type_.print_parameters(printer)
