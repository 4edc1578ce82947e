"""Attributes of StableHLO: words such as ``#stablehlo<comparison_direction GT>``, and numbers of dimensions by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from xdsl.ir import Attribute, Data, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Value: TypeAlias = "int | str | tuple[Value, ...] | Attribute"
Fields: TypeAlias = tuple[tuple[str, Value], ...]
# The labels of the dimensions of an image or a filter: letters, and numbers for spatial dimensions.
Labels: TypeAlias = tuple[str, ...]

_WORDS = """
comparison_direction comparison_type custom_call_api_version fft_type precision result_accuracy_mode rng_algorithm
rng_distribution transpose
"""
_FIELDS = """
channel_handle dot dot_algorithm gather output_operand_alias replica_group_mesh_axes result_accuracy scatter type_extensions
"""


class StablehloWordAttr(Data[str], SpacedOpaqueSyntaxAttribute):
    """One word: ``#stablehlo<precision DEFAULT>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        closes = parser.parse_optional_punctuation("<") is not None
        word = parser.parse_identifier()
        if closes:
            parser.parse_punctuation(">")
        return word

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)


class FieldsAttr(Data[Fields]):
    """Numbers, and lists of them, by name: ``#stablehlo.dot<lhs_contracting_dimensions = [1]>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Fields:
        def field() -> tuple[str, Value]:
            name = parser.parse_identifier()
            parser.parse_punctuation("=")
            return name, _value(parser)

        return tuple(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field))

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string("<")
        printer.print_list(self.data, lambda field: self._print_field(printer, field))
        printer.print_string(">")

    def _print_field(self, printer: Printer, field: tuple[str, Value]) -> None:
        printer.print_string(f"{field[0]} = ")
        _print_value(printer, field[1])

    def numbers(self, name: str) -> tuple[int, ...]:
        """A list of numbers by its name; empty if it is missing."""
        value = dict(self.data).get(name, ())
        assert isinstance(value, tuple)
        return tuple(one for one in value if isinstance(one, int))

    def number(self, name: str, default: int = 0) -> int:
        """A number by its name."""
        value = dict(self.data).get(name, default)
        assert isinstance(value, int)
        return value


def _value(parser: AttrParser) -> Value:
    listed = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _value(parser))
    if listed is not None:
        return tuple(listed)
    number = parser.parse_optional_integer(allow_boolean=False)
    if number is not None:
        return number
    word = parser.parse_optional_identifier()
    return parser.parse_attribute() if word is None else word


def _print_value(printer: Printer, value: Value) -> None:
    match value:
        case tuple():
            printer.print_string("[")
            printer.print_list(value, lambda one: _print_value(printer, one))
            printer.print_string("]")
        case Attribute():
            printer.print_attribute(value)
        case _:
            printer.print_string(str(value))


@irdl_attr_definition
class ConvAttr(Data[tuple[Labels, Labels, Labels]]):
    """The roles of a convolution's dimensions: ``#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>``."""

    name = "stablehlo.conv"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Labels, Labels, Labels]:
        with parser.in_angle_brackets():
            data = _labels(parser)
            parser.parse_keyword("x")
            kernel = _labels(parser)
            parser.parse_punctuation("->")
            return data, kernel, _labels(parser)

    def print_parameter(self, printer: Printer) -> None:
        data, kernel, result = (f"[{', '.join(labels)}]" for labels in self.data)
        printer.print_string(f"<{data}x{kernel}->{result}>")


def _labels(parser: AttrParser) -> Labels:
    def label() -> str:
        number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        if number is not None:
            return str(number)
        if parser.parse_optional_punctuation("?") is not None:
            return "?"
        return parser.parse_identifier()

    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, label))


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """The order of effects: ``!stablehlo.token``."""

    name = "stablehlo.token"


def _kinds(base: type[Data[object]], names: str, dialect: str = "stablehlo") -> list[type[Attribute]]:
    return [
        irdl_attr_definition(
            type(
                f"{dialect.title()}{name.title().replace('_', '')}Attr",
                (base,),
                {"name": f"{dialect}.{name}", "__doc__": base.__doc__},
            )
        )
        for name in names.split()
    ]


def word_named(kind: str, word: str) -> Attribute:
    """The attribute of a word of a kind, such as ``EQ`` of ``comparison_direction``."""
    (known,) = (one for one in attributes() if one.name == f"stablehlo.{kind}")
    return known(word)  # type: ignore[call-arg]


@cache
def attributes() -> Sequence[type[Attribute]]:
    """All attributes and types of ``stablehlo``."""
    return [*_kinds(StablehloWordAttr, _WORDS), *_kinds(FieldsAttr, _FIELDS), ConvAttr, TokenType]


@cache
def attributes_of_chlo() -> Sequence[type[Attribute]]:
    """The attributes of ``chlo``."""
    return _kinds(StablehloWordAttr, "comparison_direction comparison_type precision", "chlo")


__all__ = ["ConvAttr", "FieldsAttr", "StablehloWordAttr", "TokenType", "attributes", "attributes_of_chlo"]
