"""Places in the user's program on operations: the range of the expression, and the calls it was reached through."""

from __future__ import annotations

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
)
from xdsl.ir import Attribute, BuiltinAttribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.printer import Printer

from ttl.source.spans import Span


@irdl_attr_definition
class FileRangeLoc(ParametrizedAttribute, BuiltinAttribute):
    """A range of one file: ``loc("f.py":3:5 to :20)``, or ``loc("f.py":3:5 to 4:2)`` over several lines."""

    name = "ttl.file_range_loc"
    filename: StringAttr
    line: IntAttr
    column: IntAttr
    end_line: IntAttr
    end_column: IntAttr

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            printer.print_string_literal(self.filename.data)
            end = "" if self.end_line == self.line else str(self.end_line.data)
            printer.print_string(f":{self.line.data}:{self.column.data} to {end}:{self.end_column.data}")


@irdl_attr_definition
class CallLoc(ParametrizedAttribute, BuiltinAttribute):
    """A place in a function that was inlined, and the call: ``loc(callsite("f.py":3:5 at "f.py":9:1))``.

    What xDSL's own class for this is, for any kind of place.
    """

    name = "ttl.call_loc"
    callee: Attribute
    caller: Attribute

    def print_builtin(self, printer: Printer) -> None:
        with printer.in_location():
            printer.print_string("callsite(")
            printer.print_attribute(self.callee)
            printer.print_string(" at ")
            printer.print_attribute(self.caller)
            printer.print_string(")")


@lru_cache(maxsize=16384)
def location(span: Span, chain: tuple[Span, ...] = ()) -> LocationAttr:
    """The location of an expression; ``chain`` are the calls it was inlined through, innermost first."""
    here = _file_location(span)
    if not chain:
        return here
    return as_location(CallLoc(here, location(chain[0], chain[1:])))


def as_location(place: Attribute) -> LocationAttr:
    """A place of ours where xDSL's types ask for one of theirs (they are final, so ours are no subclasses)."""
    return cast(LocationAttr, place)


def is_location(attribute: Attribute) -> bool:
    """Whether an attribute is a location, of xDSL or of ours."""
    return isinstance(attribute, LocationAttr | FileRangeLoc | CallLoc)


def _file_location(span: Span) -> LocationAttr:
    start = (StringAttr(span.file), IntAttr(span.line), IntAttr(span.column))
    if span.end_line == 0:
        return FileLineColLoc(*start)
    return as_location(FileRangeLoc(*start, IntAttr(span.end_line), IntAttr(span.end_column)))


def synthetic(name: str) -> LocationAttr:
    """The location of what the compiler made and no line of the program says."""
    return NameLoc(StringAttr(name), NoneAttr())


def span_of(op: Operation) -> Span | None:
    """The range of the expression an operation comes from; the innermost one where it was inlined."""
    return first_span(op.location)


def first_span(place: Attribute) -> Span | None:
    """The innermost range that a location names."""
    return next(iter(_spans(place)), None)


def chain_of(op: Operation) -> tuple[Span, ...]:
    """The calls an operation was inlined through, innermost first."""
    return _spans(op.location)[1:]


@lru_cache(maxsize=16384)
def _spans(place: Attribute) -> tuple[Span, ...]:
    match place:
        case FileRangeLoc():
            return (
                Span(
                    file=place.filename.data,
                    line=place.line.data,
                    column=place.column.data,
                    end_line=place.end_line.data,
                    end_column=place.end_column.data,
                ),
            )
        case FileLineColLoc():
            return (Span(file=place.filename.data, line=place.line.data, column=place.column.data),)
        case CallLoc() | CallSiteLoc():
            return (*_spans(place.callee)[:1], *_spans(place.caller))
        case NameLoc():
            return _spans(place.location)
        case FusedLoc():
            return _first(place)
    return ()


def _first(fused: FusedLoc) -> tuple[Span, ...]:
    for each in fused.locations:  # type: ignore[attr-defined]
        if spans := _spans(each):
            return spans
    return ()


def without_range(place: LocationAttr) -> LocationAttr:
    """A location that xDSL's own fused and named locations can hold: its start, and no call."""
    first: Attribute = place
    while isinstance(first, CallLoc):
        first = first.callee
    if isinstance(first, FileRangeLoc):
        return FileLineColLoc(first.filename, first.line, first.column)
    return as_location(first)
