"""Locations in the user's program: the range of an expression, and the calls through which it was inlined."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, BuiltinAttribute, Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ttl.session import Part
from ttl.source.spans import Span


@irdl_attr_definition
class FileRangeLoc(Data[Span], BuiltinAttribute):
    """A range of one file: ``loc("f.py":3:5 to :20)``, or ``loc("f.py":3:5 to 4:2)`` over several lines."""

    name = "ir.file_range_loc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Span:
        raise NotImplementedError("a location is read by the parser of locations")

    def print_parameter(self, printer: Printer) -> None:
        span = self.data
        printer.print_string_literal(span.file)
        end = "" if span.end_line == span.line else str(span.end_line)
        printer.print_string(f":{span.line}:{span.column} to {end}:{span.end_column}")

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            self.print_parameter(printer)


@irdl_attr_definition
class CallLoc(Data[tuple[Attribute, Attribute]], BuiltinAttribute):
    """A place in a function that was inlined, and the call: ``loc(callsite("f.py":3:5 at "f.py":9:1))``.

    It replaces xDSL's own class for this, and holds any kind of place.
    """

    name = "ir.call_loc"

    @property
    def callee(self) -> Attribute:
        """The place in the function."""
        return self.data[0]

    @property
    def caller(self) -> Attribute:
        """The place of the call."""
        return self.data[1]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Attribute, Attribute]:
        raise NotImplementedError("a location is read by the parser of locations")

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string("callsite(")
        printer.print_attribute(self.callee)
        printer.print_string(" at ")
        printer.print_attribute(self.caller)
        printer.print_string(")")

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            self.print_parameter(printer)


@lru_cache(maxsize=16384)
def location(span: Span, chain: tuple[Span, ...] = ()) -> LocationAttr:
    """The location of an expression; ``chain`` are the calls it was inlined through, innermost first."""
    here = _file_location(span)
    if not chain:
        return here
    return as_location(CallLoc((here, location(chain[0], chain[1:]))))


def as_location(place: Attribute) -> LocationAttr:
    """Cast our location to xDSL's type of locations (xDSL's are final, so ours are not subclasses)."""
    return cast("LocationAttr", place)


def is_location(attribute: Attribute) -> bool:
    """Whether an attribute is a location, of xDSL or of ours."""
    return isinstance(attribute, LocationAttr | FileRangeLoc | CallLoc)


def _file_location(span: Span) -> LocationAttr:
    if span.end_line == 0:
        return FileLineColLoc(StringAttr(span.file), IntAttr(span.line), IntAttr(span.column))
    return as_location(FileRangeLoc(span))


def synthetic(name: str) -> LocationAttr:
    """Return the location of an operation that the compiler made and that corresponds to no line of the program."""
    return NameLoc(StringAttr(name), NoneAttr())


def span_of(op: Operation) -> Span | None:
    """Return the range of the expression of an operation, the innermost one if it was inlined; None if not known."""
    return first_span(op.location)


def first_span(place: Attribute) -> Span | None:
    """Return the innermost range in a location; None if it has no range.

    For a location that is only a name, return the place of the operation with that name in the latest text, or None.
    """
    span = next(iter(_spans(place)), None)
    if span is not None or isinstance(place, UnknownLoc):
        return span
    name = _name_in(place)
    return None if name is None else NAMED_PLACES.get().get(_LAYOUT_OF_OPERAND.sub("", name))


def _no_places() -> dict[str, Span]:
    return {}


# The places of named operations in the latest text: a name alone does not tell the line.
NAMED_PLACES: Part[dict[str, Span]] = Part(_no_places)
# The suffix of names of operations that a pass makes for an operand of the named operation.
_LAYOUT_OF_OPERAND = re.compile(r"_in_\d+_layout$")


def give_name(place: Attribute, span: Span) -> None:
    """Record the place in the text of an operation whose location is only a name. The first one of a name counts."""
    if not _spans(place) and (name := _name_in(place)) is not None:
        NAMED_PLACES.get().setdefault(name, span)


def _name_in(place: Attribute) -> str | None:
    match place:
        case NameLoc():
            return place.desc.data
        case FusedLoc():
            for part in place.locations:  # type: ignore[attr-defined]
                if (name := _name_in(part)) is not None:
                    return name
    return None


def chain_of(op: Operation) -> tuple[Span, ...]:
    """The calls an operation was inlined through, innermost first."""
    return _spans(op.location)[1:]


@lru_cache(maxsize=16384)
def _spans(place: Attribute) -> tuple[Span, ...]:
    match place:
        case FileRangeLoc():
            return (place.data,)
        case FileLineColLoc():
            # Things around a whole text are at 0:0.
            line, column = max(place.line.data, 1), max(place.column.data, 1)
            return (Span(file=place.filename.data, line=line, column=column),)
        case CallLoc() | CallSiteLoc():
            return (*_spans(place.callee)[:1], *_spans(place.caller))
        case NameLoc():
            return _spans(place.location)
        case FusedLoc():
            return _first(place)
    return ()


def _first(fused: FusedLoc) -> tuple[Span, ...]:
    for part in fused.locations:  # type: ignore[attr-defined]
        if spans := _spans(part):
            return spans
    return ()


def without_range(place: LocationAttr) -> LocationAttr:
    """Return a location that xDSL's fused and named locations can hold: the start, without a call."""
    first: Attribute = place
    while isinstance(first, CallLoc):
        first = first.callee
    if isinstance(first, FileRangeLoc):
        span = first.data
        return FileLineColLoc(StringAttr(span.file), IntAttr(span.line), IntAttr(span.column))
    return as_location(first)
