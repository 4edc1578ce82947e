"""Pieces that the text of attributes is made of: words, numbers, dimensions, grids, memories; what is inside others.

A body that starts with ``<`` is printed ``#tt.name<...>``, any other one ``#tt<name ...>``; inside another attribute the
name is left out, or an alias stands there. Both spellings are read there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NoReturn, Self, TypeVar

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, Data
from xdsl.ir.affine import AffineMap
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from tt_model.layouts.enums import KeywordEnum
from tt_model.layouts.layout import EMPTY_MAP, Grid, MemRef, ShardedLayout
from tt_model.layouts.values import LayoutError, dimensions_text
from ttl.ir.affine import map_text
from ttl.ir.syntax import Nests, print_short

KeywordT = TypeVar("KeywordT", bound=KeywordEnum)
DataT = TypeVar("DataT", bound=Data[Any])
ItemT = TypeVar("ItemT")


def refuse(parser: AttrParser, problem: Exception, start: int) -> NoReturn:
    """Report what a record refuses, at the attribute."""
    parser.raise_error(str(problem), start, max(parser.pos, start + 1))


# Words.


def parse_word(parser: AttrParser) -> str:
    """A bare word."""
    word: str | None = parser.parse_optional_identifier()
    if word is None:
        parser.raise_error("expected valid keyword")
    return word


def parse_enum(parser: AttrParser, enum: type[KeywordT], cpp: str) -> KeywordT:
    """One word of an enumeration that C++ calls ``cpp``."""
    start = parser.pos
    word = parse_word(parser)
    try:
        return enum.from_keyword(word)
    except ValueError:
        parser.raise_error(
            f"expected {cpp} to be one of: {', '.join(enum.keywords())}", start, start + len(word)
        )


def parse_name(parser: AttrParser, name: str) -> None:
    """``name =``."""
    if parser.parse_optional_keyword(name) is None:
        parser.raise_error(f"expected '{name}'")
    parser.parse_punctuation("=")


def parse_number(parser: AttrParser, bits: int = 64) -> int:
    """A whole number that is not negative, and fits into so many bits."""
    start = parser.pos
    number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if number is None:
        parser.raise_error("expected integer value")
    if number >> bits:
        parser.raise_error("integer value too large", start, parser.pos)
    return number


def parse_bool(parser: AttrParser) -> bool:
    """``true`` or ``false``."""
    value = parser.parse_optional_boolean()
    if value is None:
        parser.raise_error("expected 'true' or 'false'")
    return value


def bool_text(value: bool) -> str:
    """``true`` or ``false``."""
    return "true" if value else "false"


def comma(parser: AttrParser) -> None:
    """A comma."""
    parser.parse_punctuation(",")


# Dimensions.


def parse_dims(parser: AttrParser, count: int | None = None) -> tuple[int, ...]:
    """``8x8``, or nothing; ``count`` says how many there have to be."""
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
    """``[a, b]``, or empty."""
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, item))


def parse_numbers(parser: AttrParser) -> tuple[int, ...]:
    """``[1, 2]``: at least one number."""
    parser.parse_punctuation("[")
    numbers = [parse_number(parser, 32)]
    while parser.parse_optional_punctuation(","):
        numbers.append(parse_number(parser, 32))
    parser.parse_punctuation("]")
    return tuple(numbers)


def numbers_text(numbers: Sequence[int]) -> str:
    """``[1, 2]``."""
    return f"[{', '.join(map(str, numbers))}]"


# Attributes inside others.


def parse_short(parser: AttrParser, attribute: type[DataT]) -> DataT:
    """An attribute inside another one: its parameters only, the whole of it, or an alias."""
    start = parser.pos
    if parser._current_token.kind not in (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT):
        return attribute(attribute.parse_parameter(parser))
    written = parser.parse_attribute()
    if not isinstance(written, attribute):
        parser.raise_error(f"expected #{attribute.name}, not {written}", start, parser.pos)
    return written


def print_list(printer: Printer, parts: Sequence[Data[Any]], *, spaced: bool = False) -> None:
    """``[<a>, <b>]``; bodies without brackets have a space in front of them."""
    printer.print_string("[")
    for index, part in enumerate(parts):
        printer.print_string((", " if index else "") + (" " if spaced else ""))
        print_short(printer, part)
    printer.print_string("]")


class KeywordAttr(Data[KeywordT]):
    """One word of an enumeration: ``#tt.arch<wormhole_b0>``."""

    ENUM: ClassVar[type[Any]]
    # What C++ calls the enumeration, for errors that tests match.
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
    """So many whole numbers joined with ``x``, without brackets: ``#tt<core_coord 3x4>``."""

    COUNT: ClassVar[int] = 2

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        return parse_dims(parser, cls.COUNT)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(dimensions_text(self.data))


# Grids and memories.


def parse_grid(parser: AttrParser) -> Grid:
    """``8x8``, or ``8x8, (d0, d1) -> (0, d0, d1)``, without brackets."""
    shape = parse_dims(parser)
    if parser.parse_optional_punctuation(",") is None:
        return Grid(shape)
    return Grid(shape, parser.parse_affine_map())


def grid_text(grid: Grid) -> str:
    """The inverse of ``parse_grid``."""
    mapping = "" if grid.map == EMPTY_MAP else f", {map_text(grid.map)}"
    return f"{dimensions_text(grid.shape)}{mapping}"


def parse_layout_map(parser: AttrParser) -> AffineMap:
    """The linear map of a layout, which has no symbols."""
    start = parser.pos
    linear = parse_linear(parser)
    if linear.num_symbols:
        parser.raise_error("expected a linear map without symbols", start, parser.pos)
    return linear


def parse_linear(parser: AttrParser) -> AffineMap:
    """An affine map as it is, or in ``affine_map<>``."""
    if parser._current_token.kind == MLIRTokenKind.L_PAREN:
        return parser.parse_affine_map()
    start = parser.pos
    written = parser.parse_attribute()
    if not isinstance(written, AffineMapAttr):
        parser.raise_error("expected an affine map", start, parser.pos)
    return written.data


def memref_of_type(written: Attribute) -> MemRef:
    """The memory that a ``memref`` type of MLIR says. Raises ``LayoutError``."""
    from tt_model.attributes.tt import MemorySpaceAttr, TTTileType
    from tt_model.attributes.ttnn import TTNNBufferTypeAttr

    if not isinstance(written, MemRefType):
        raise LayoutError(f"expected a memref, not {written}")
    shape = written.get_shape()
    layout = written.layout
    if not isinstance(layout, NoneAttr):
        identity = AffineMap.identity(len(shape))
        if not (isinstance(layout, AffineMapAttr) and layout.data == identity):
            raise LayoutError("expected a memref with the identity layout")
    if any(extent < 0 for extent in shape):
        raise LayoutError("expected a memref of static shape")
    element = written.element_type
    said = written.memory_space
    if not isinstance(said, MemorySpaceAttr | TTNNBufferTypeAttr | NoneAttr):
        raise LayoutError(f"expected a memref in a tt.memory_space or ttnn.buffer_type, not {said}")
    space = None if isinstance(said, NoneAttr) else said.data
    return MemRef(tuple(shape), element.data if isinstance(element, TTTileType) else element, space)


def type_of_memref(memref: MemRef) -> MemRefType[Attribute]:
    """The ``memref`` type of MLIR that says a memory."""
    from tt_model.attributes.tt import TTTileType

    element = memref.element
    space = space_attribute(memref)
    return MemRefType(
        element if isinstance(element, Attribute) else TTTileType(element),
        memref.shape,
        memory_space=NoneAttr() if space is None else space,
    )


def space_attribute(memref: MemRef) -> Data[Any] | None:
    """The attribute that names the memory space."""
    from tt_model.attributes.tt import MemorySpaceAttr
    from tt_model.attributes.ttnn import TTNNBufferTypeAttr
    from tt_model.layouts.enums import BufferType

    if memref.space is None:
        return None
    if isinstance(memref.space, BufferType):
        return TTNNBufferTypeAttr.of(memref.space)
    return MemorySpaceAttr.of(memref.space)


class InMemory(Nests):
    """An attribute whose record has a memory."""

    data: Any

    def nested(self) -> tuple[Attribute, ...]:
        space = space_attribute(self.data.memref)
        return () if space is None else (space,)


def parse_memref(parser: AttrParser, space: type[KeywordEnum] | None = None) -> MemRef:
    """``memref<1x1x!tt.tile<32x32, f32>, #dram>``; ``space`` says what kind of memory it has to name."""
    start = parser.pos
    try:
        memref = memref_of_type(parser.parse_type())
    except LayoutError as problem:
        refuse(parser, problem, start)
    if space is not None and not isinstance(memref.space, space):
        kind = "tt.memory_space" if space.__name__ == "MemorySpace" else "ttnn.buffer_type"
        said = "none" if memref.space is None else f"#{space_attribute(memref).name}"  # type: ignore[union-attr]
        parser.raise_error(f"expected a memref in a #{kind}, got {said}", start, parser.pos)
    return memref


@lru_cache(maxsize=4096)
def memref_text(memref: MemRef) -> str:
    """The text of a memory as far as its memory space: ``memref<1x1x!tt.tile<32x32, f32>``."""
    extents = "".join(f"{extent}x" for extent in memref.shape)
    return f"memref<{extents}{memref.element}"


def print_memref(printer: Printer, memref: MemRef) -> None:
    """The inverse of ``parse_memref``."""
    printer.print_string(memref_text(memref))
    space = space_attribute(memref)
    if space is not None:
        printer.print_string(", ")
        printer.print_attribute(space)
    printer.print_string(">")


@lru_cache(maxsize=4096)
def sharding_text(layout: ShardedLayout) -> tuple[str, str]:
    """The texts of a layout's linear map and of its grid. They are the same thousands of times."""
    return map_text(layout.linear), grid_text(layout.grid)
