"""Parts of the text of attributes: words, numbers, dimensions, lists, attributes inside others, grids and maps.

A body that starts with ``<`` is printed ``#tt.name<...>``, any other one ``#tt<name ...>``. Inside another attribute,
the body is written without the name, or as an alias. Both spellings are read there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NoReturn, Self, TypeVar

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Data
from xdsl.ir.affine import AffineMap
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tt_model.layouts.enums import KeywordEnum
from tt_model.layouts.layout import EMPTY_MAP, Grid, ShardedLayout
from tt_model.layouts.values import dimensions_text
from ttl.ir.affine import map_text
from ttl.ir.syntax import print_short

KeywordT = TypeVar("KeywordT", bound=KeywordEnum)
DataT = TypeVar("DataT", bound=Data[Any])
ItemT = TypeVar("ItemT")


def refuse(parser: AttrParser, problem: Exception, start: int) -> NoReturn:
    """Report at the attribute a problem that its record found."""
    parser.raise_error(str(problem), start, max(parser.pos, start + 1))


# Words.


def parse_word(parser: AttrParser) -> str:
    """Parse a bare word."""
    word: str | None = parser.parse_optional_identifier()
    if word is None:
        parser.raise_error("expected valid keyword")
    return word


def parse_enum(parser: AttrParser, enum: type[KeywordT], cpp: str) -> KeywordT:
    """Parse one word of an enumeration, which C++ calls ``cpp``."""
    start = parser.pos
    word = parse_word(parser)
    try:
        return enum.from_keyword(word)
    except ValueError:
        parser.raise_error(
            f"expected {cpp} to be one of: {', '.join(enum.keywords())}", start, start + len(word)
        )


def parse_name(parser: AttrParser, name: str) -> None:
    """Parse ``name =``."""
    if parser.parse_optional_keyword(name) is None:
        parser.raise_error(f"expected '{name}'")
    parser.parse_punctuation("=")


def parse_number(parser: AttrParser, bits: int = 64) -> int:
    """Parse a whole number that is not negative and fits into ``bits`` bits."""
    start = parser.pos
    number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if number is None:
        parser.raise_error("expected integer value")
    if number >> bits:
        parser.raise_error("integer value too large", start, parser.pos)
    return number


def parse_bool(parser: AttrParser) -> bool:
    """Parse ``true`` or ``false``."""
    value = parser.parse_optional_boolean()
    if value is None:
        parser.raise_error("expected 'true' or 'false'")
    return value


def bool_text(value: bool) -> str:
    """``true`` or ``false``."""
    return "true" if value else "false"


def comma(parser: AttrParser) -> None:
    """Parse a comma."""
    parser.parse_punctuation(",")


# Dimensions.


def parse_dims(parser: AttrParser, count: int | None = None) -> tuple[int, ...]:
    """Parse dimensions such as ``8x8``, or none. ``count`` is the number of dimensions that there must be."""
    start = parser.pos
    if parser._current_token.kind == MLIRTokenKind.QUESTION:
        parser.raise_error("expected static dimensions")
    extents = tuple(parser.parse_dimension_list())
    if any(extent < 0 for extent in extents):
        parser.raise_error("expected static dimensions", start, parser.pos)
    if any(extent >> 63 for extent in extents):
        parser.raise_error("integer value too large", start, parser.pos)
    if count is not None and len(extents) != count:
        parser.raise_error(
            f"expected {count} dimensions joined with 'x', got {len(extents)}",
            start,
            max(parser.pos, start + 1),
        )
    return extents


def parse_list(parser: AttrParser, item: Callable[[], ItemT]) -> tuple[ItemT, ...]:
    """Parse ``[a, b]``, which may be empty."""
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, item))


def parse_numbers(parser: AttrParser) -> tuple[int, ...]:
    """Parse ``[1, 2]``: at least one number."""
    parser.parse_punctuation("[")
    numbers = [parse_number(parser, 32)]
    while parser.parse_optional_punctuation(","):
        numbers.append(parse_number(parser, 32))
    parser.parse_punctuation("]")
    return tuple(numbers)


def numbers_text(numbers: Sequence[int]) -> str:
    """The text ``[1, 2]``."""
    return f"[{', '.join(map(str, numbers))}]"


# Attributes inside others.


def parse_short(parser: AttrParser, attribute: type[DataT]) -> DataT:
    """Parse an attribute inside another one: its parameters without the name, the whole attribute, or an alias."""
    start = parser.pos
    if parser._current_token.kind not in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
        return attribute(attribute.parse_parameter(parser))
    written = parser.parse_attribute()
    if not isinstance(written, attribute):
        parser.raise_error(f"expected #{attribute.name}, not {written}", start, parser.pos)
    return written


def print_list(printer: Printer, parts: Sequence[Data[Any]], *, spaced: bool = False) -> None:
    """Print ``[<a>, <b>]``; ``spaced`` puts a space before each part, for bodies without brackets."""
    printer.print_string("[")
    for index, part in enumerate(parts):
        printer.print_string((", " if index else "") + (" " if spaced else ""))
        print_short(printer, part)
    printer.print_string("]")


class KeywordAttr(Data[KeywordT]):
    """One word of an enumeration: ``#tt.arch<wormhole_b0>``."""

    ENUM: ClassVar[type[Any]]
    # The C++ name of the enumeration, for error messages, which tests match.
    CPP: ClassVar[str]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> KeywordT:
        with parser.in_angle_brackets():
            word: KeywordT = parse_enum(parser, cls.ENUM, cls.CPP)
            return word

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.keyword}>")

    @classmethod
    @lru_cache(maxsize=512)
    def of(cls, value: int) -> Self:
        """The attribute of one value, always the same object."""
        return cls(cls.ENUM(value))


class OpaqueKeywordAttr(KeywordAttr[KeywordT]):
    """One word of an enumeration, in the other spelling: ``#tt<cpu_role host>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> KeywordT:
        word: KeywordT = parse_enum(parser, cls.ENUM, cls.CPP)
        return word

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data.keyword)


class DimensionsAttr(Data[tuple[int, ...]]):
    """Whole numbers joined with ``x``, in brackets: ``#ttnn.shape<64x128>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        with parser.in_angle_brackets():
            return parse_dims(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{dimensions_text(self.data)}>")


class CoordinatesAttr(Data[tuple[int, ...]]):
    """An attribute of ``COUNT`` whole numbers joined with ``x``, without brackets: ``#tt<core_coord 3x4>``."""

    COUNT: ClassVar[int] = 2

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        return parse_dims(parser, cls.COUNT)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(dimensions_text(self.data))


# Grids and memories.


def parse_grid(parser: AttrParser) -> Grid:
    """Parse ``8x8``, or ``8x8, (d0, d1) -> (0, d0, d1)``, without brackets."""
    shape = parse_dims(parser)
    if parser.parse_optional_punctuation(",") is None:
        return Grid(shape)
    return Grid(shape, parser.parse_affine_map())


def grid_text(grid: Grid) -> str:
    """The inverse of ``parse_grid``."""
    mapping = "" if grid.map == EMPTY_MAP else f", {map_text(grid.map)}"
    return f"{dimensions_text(grid.shape)}{mapping}"


def parse_layout_map(parser: AttrParser) -> AffineMap:
    """Parse the linear map of a layout, which has no symbols."""
    start = parser.pos
    linear = parse_linear(parser)
    if linear.num_symbols:
        parser.raise_error("expected a linear map without symbols", start, parser.pos)
    return linear


def parse_linear(parser: AttrParser) -> AffineMap:
    """Parse an affine map, either bare or in ``affine_map<>``."""
    if parser._current_token.kind == MLIRTokenKind.L_PAREN:
        return parser.parse_affine_map()
    start = parser.pos
    written = parser.parse_attribute()
    if not isinstance(written, AffineMapAttr):
        parser.raise_error("expected an affine map", start, parser.pos)
    return written.data


@lru_cache(maxsize=4096)
def sharding_text(layout: ShardedLayout) -> tuple[str, str]:
    """The texts of a layout's linear map and of its grid.

    They are cached, since thousands of layouts have the same ones.
    """
    return map_text(layout.linear), grid_text(layout.grid)
