"""Contexts, locations, and handles of types and attributes; the current context and location of ``with``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ClassVar, Self

from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    UnknownLoc,
)
from xdsl.dialects.builtin import (
    StringAttr as TextAttr,
)
from xdsl.ir import Attribute as XdslAttribute
from xdsl.ir import TypeAttribute
from xdsl.utils.exceptions import ParseError

from tt_model.operations.dialects import DIALECTS
from ttl.ir.context import ToolContext, make_context
from ttl.ir.locations import CallLoc, as_location
from ttl.ir.parser import LocationParser
from ttl.ir.reports import Report
from ttl.source.spans import Span
from ttmlir.bindings.identity import DialectDescriptor, Dialects, TypeID, descriptor_in
from ttmlir.bindings.printing import attribute_text

# The objects entered with ``with`` and not left, innermost last; separate for each thread and task.
_ENTERED: ContextVar[tuple[Scoped, ...]] = ContextVar("entered", default=())


class DiagnosticSeverity:
    """The severity of a diagnostic."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    REMARK = "remark"


@dataclass(frozen=True)
class DiagnosticInfo:
    """One diagnostic: ``severity``, ``location``, ``message`` and ``notes``."""

    severity: str
    location: Location
    message: str
    notes: tuple[DiagnosticInfo, ...] = ()

    def __str__(self) -> str:
        return self.message


class MLIRError(Exception):
    """Something could not be parsed, verified or run. ``error_diagnostics`` has the diagnostics."""

    def __init__(self, message: str, error_diagnostics: Sequence[DiagnosticInfo] = ()) -> None:
        self.message = message
        self.error_diagnostics = list(error_diagnostics)
        super().__init__(message)

    def __str__(self) -> str:
        lines = [f"{self.message}:" if self.error_diagnostics else self.message]
        for diagnostic in self.error_diagnostics:
            lines.append(f"error: {diagnostic.location.place_text}: {diagnostic.message}")
            lines += [f" note: {note.location.place_text}: {note.message}" for note in diagnostic.notes]
        return "\n".join(lines)


class Scoped:
    """An object that is the current one inside a ``with`` statement."""

    context: Context

    def __enter__(self) -> Self:
        _ENTERED.set((*_ENTERED.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        stack = _ENTERED.get()
        if not stack or stack[-1] is not self:
            raise RuntimeError(
                "Unbalanced use of `with`: the object that is left is not the one that was entered last"
            )
        _ENTERED.set(stack[:-1])


class Context(Scoped):
    """The context in which text is parsed and operations are made. ``with Context():`` makes it the current one."""

    # Set by ``attach_diagnostic_handler``.
    _handlers: list[DiagnosticHandler]

    def __init__(self) -> None:
        self._context, self.context = make_context(DIALECTS), self
        self._handlers = []

    current: ClassVar[CurrentContext]

    @property
    def xdsl(self) -> ToolContext:
        """The xDSL context in which text is parsed."""
        return self._context

    @property
    def allow_unregistered_dialects(self) -> bool:
        """Whether operations of unregistered dialects may be read and made."""
        return self._context.allow_unregistered

    @allow_unregistered_dialects.setter
    def allow_unregistered_dialects(self, value: bool) -> None:
        self._context.allow_unregistered = value

    @property
    def dialects(self) -> Dialects:
        """The dialects of the context, by name."""
        return Dialects(self._context)

    d = dialects

    def get_dialect_descriptor(self, dialect_name: str) -> DialectDescriptor:
        """Return the descriptor of a dialect. Raises ``ValueError`` if no dialect has the name."""
        return descriptor_in(self._context, dialect_name)

    def is_registered_operation(self, operation_name: str) -> bool:
        """Whether an operation of this name is defined."""
        return self._context.get_optional_op(operation_name) is not None and (
            operation_name.partition(".")[0] in self._context.complete or not self._context.allow_unregistered
        )

    def enable_multithreading(self, enable: bool) -> None:
        """Accept the setting without effect: nothing here runs in several threads."""

    def append_dialect_registry(self, registry: object) -> None:
        """Do nothing: all dialects are registered already. For programs written for the real bindings."""

    def load_all_available_dialects(self) -> None:
        """Do nothing: all dialects are loaded already. For programs written for the real bindings."""

    def attach_diagnostic_handler(self, callback: Callable[[DiagnosticInfo], bool]) -> DiagnosticHandler:
        """Call ``callback`` with each diagnostic; it returns whether it has handled the diagnostic."""
        handler = DiagnosticHandler(self, callback)
        self._handlers.append(handler)
        return handler

    def emit(self, diagnostic: DiagnosticInfo) -> bool:
        """Pass a diagnostic to the handlers, last one first; return whether a handler handled it."""
        return any(handler.handle(diagnostic) for handler in reversed(self._handlers))


class DiagnosticHandler:
    """A handler that is called with diagnostics, until ``detach``. Made by ``Context.attach_diagnostic_handler``."""

    def __init__(self, context: Context, callback: Callable[[DiagnosticInfo], bool]) -> None:
        self._context = context
        self._callback = callback
        self.had_error = False

    @property
    def attached(self) -> bool:
        """Whether the handler is still attached."""
        return self in self._context._handlers

    def detach(self) -> None:
        """Detach the handler."""
        if self.attached:
            self._context._handlers.remove(self)

    def handle(self, diagnostic: DiagnosticInfo) -> bool:
        """Call the handler with a diagnostic; return whether it handled the diagnostic."""
        try:
            return bool(self._callback(diagnostic))
        except Exception:
            self.had_error = True
            return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()


class Location(Scoped):
    """A place in a program. ``with Location.unknown():`` makes it, and its context, the current one."""

    current: ClassVar[CurrentLocation]

    def __init__(self, place: LocationAttr, context: Context) -> None:
        self._place = place
        self.context = context

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Location) and other._place == self._place

    def __hash__(self) -> int:
        return hash(self._place)

    def __str__(self) -> str:
        return attribute_text(self._place)

    __repr__ = __str__

    @property
    def xdsl(self) -> LocationAttr:
        """The location as xDSL has it."""
        return self._place

    @property
    def place_text(self) -> str:
        """``"model.mlir":3:5`` for a location in a file, else the location as printed."""
        text = str(self)
        return text.removeprefix("loc(").removesuffix(")") if text.startswith("loc(") else text

    @property
    def attr(self) -> Attribute:
        """The location as an attribute."""
        return wrap_attribute(self._place, self.context)

    def emit_error(self, message: str) -> None:
        """Pass an error at this location to the handlers of the context; if none handles it, it is printed."""
        diagnostic = DiagnosticInfo(DiagnosticSeverity.ERROR, self, message)
        if not self.context.emit(diagnostic):
            import sys

            print(f"{self.place_text}: error: {message}", file=sys.stderr)

    @staticmethod
    def unknown(context: Context | None = None) -> Location:
        """Return the unknown location."""
        return Location(UnknownLoc(), context_or_current(context))

    @staticmethod
    def file(filename: str, line: int, col: int, context: Context | None = None) -> Location:
        """A place in a file; lines and columns count from 1."""
        place = FileLineColLoc(TextAttr(filename), IntAttr(line), IntAttr(col))
        return Location(place, context_or_current(context))

    @staticmethod
    def name(name: str, childLoc: Location | None = None, context: Context | None = None) -> Location:
        """Return a location that gives the name ``name`` to the location ``childLoc``, by default an unknown one."""
        inner = NoneAttr() if childLoc is None or isinstance(childLoc._place, UnknownLoc) else childLoc._place
        return Location(NameLoc(TextAttr(name), inner), context_or_current(context))

    @staticmethod
    def fused(
        locations: Sequence[Location], metadata: Attribute | None = None, context: Context | None = None
    ) -> Location:
        """Return a location fused of several."""
        places = ArrayAttr([location._place for location in locations])
        extra = NoneAttr() if metadata is None else metadata.xdsl
        return Location(FusedLoc(places, extra), context_or_current(context))

    @staticmethod
    def callsite(callee: Location, frames: Sequence[Location], context: Context | None = None) -> Location:
        """Return a location in a function with the calls that led there, innermost first."""
        if not frames:
            raise ValueError("No caller frames provided.")
        caller = frames[-1]._place
        for frame in reversed(frames[:-1]):
            caller = as_location(CallLoc((frame._place, caller)))
        return Location(as_location(CallLoc((callee._place, caller))), context_or_current(context))

    @staticmethod
    def from_attr(attribute: Attribute, context: Context | None = None) -> Location:
        """Return the location that an attribute represents."""
        return Location(as_location(attribute.xdsl), context_or_current(context))


def innermost_first() -> Iterator[Scoped]:
    """Yield the objects that were entered with ``with`` and not left, the innermost first."""
    return reversed(_ENTERED.get())


def current_context() -> Context | None:
    """The context that was entered last, by itself or with a location or an insertion point."""
    innermost = next(innermost_first(), None)
    return None if innermost is None else innermost.context


def context_or_current(context: Context | None) -> Context:
    """The context of the argument, or the current one. Raises ``RuntimeError`` if there is no context."""
    known = context or current_context()
    if known is None:
        raise RuntimeError(
            "An MLIR function requires a Context but none was provided in the call or from the surrounding "
            "environment. Either pass to the function with a 'context=' argument or establish a default using "
            "'with Context():'"
        )
    return known


def location_or_current(location: Location | None) -> Location:
    """The location of the argument, or the current one. Raises ``RuntimeError`` if there is no location."""
    if location is not None:
        return location
    context = current_context()
    for entered in innermost_first():
        if entered.context is not context:
            break
        if isinstance(entered, Location):
            return entered
    raise RuntimeError(
        "An MLIR function requires a Location but none was provided in the call or from the surrounding "
        "environment. Either pass to the function with a 'loc=' argument or establish a default using "
        "'with loc:'"
    )


def register_dialect(context: Context, load: bool = True) -> None:
    """Do nothing: every context can read all dialects.

    The dialects' modules have this function for programs that call it.
    """


class CurrentContext:
    """``Context.current``."""

    def __get__(self, instance: object, owner: type | None = None) -> Context | None:
        return current_context()


class CurrentLocation:
    """``Location.current``."""

    def __get__(self, instance: object, owner: type | None = None) -> Location:
        for entered in innermost_first():
            if isinstance(entered, Location):
                return entered
        raise ValueError("No current Location")


Context.current = CurrentContext()
Location.current = CurrentLocation()


def diagnostics_of(reports: Sequence[Report], context: Context) -> list[DiagnosticInfo]:
    """Convert reports on text or operations to diagnostics."""
    return [_diagnostic(report, context) for report in reports]


def _diagnostic(report: Report, context: Context) -> DiagnosticInfo:
    if report.span is None:
        place = Location(UnknownLoc(), context)
    else:
        place = Location.file(report.span.file, report.span.line, report.span.column, context)
    notes = tuple(_diagnostic(note, context) for note in report.notes)
    return DiagnosticInfo(report.severity, place, report.message, notes)


def raise_for(what: str, reports: Sequence[Report], context: Context) -> None:
    """Raise ``MLIRError`` if a report is an error; the handlers of the context first get all reports."""
    diagnostics = diagnostics_of(reports, context)
    left = [diagnostic for diagnostic in diagnostics if not context.emit(diagnostic)]
    if any(diagnostic.severity == DiagnosticSeverity.ERROR for diagnostic in diagnostics):
        raise MLIRError(what, [one for one in left if one.severity == DiagnosticSeverity.ERROR])


# Classes of xDSL.
Kinds = tuple[type[XdslAttribute], ...]


class XdslHandle:
    """A handle of a type or an attribute of xDSL, of the class that it has in the bindings."""

    # The classes of xDSL whose attributes a class of ours wraps.
    XDSL: ClassVar[Kinds] = ()

    context: Context
    _xdsl: Any

    def _cast(self, given: Self, what: str) -> None:
        """Become a handle of the object in another handle. Raises ``ValueError`` if it is not of this class."""
        if not self.isinstance(given):
            raise ValueError(f"Cannot cast {what} to {type(self).__name__} (from {given!r})")
        self._xdsl, self.context = given._xdsl, given.context

    @classmethod
    def wrapping(cls, xdsl: XdslAttribute, context: Context) -> Self:
        """Return a handle of an xDSL object."""
        handle = cls.__new__(cls)
        handle._xdsl, handle.context = xdsl, context
        return handle

    @classmethod
    def isinstance(cls, other: Any) -> bool:
        """Whether another handle is of this class."""
        return not cls.XDSL or isinstance(other._xdsl, cls.XDSL)

    @classmethod
    def _get(cls, xdsl: XdslAttribute, context: Context | None) -> Self:
        return cls.wrapping(xdsl, context_or_current(context))

    @property
    def typeid(self) -> TypeID:
        """The kind of the type or attribute. Raises ``ValueError`` if no dialect defines it."""
        return TypeID.of(self._xdsl, self)

    @property
    def xdsl(self) -> Any:
        """The object of xDSL."""
        return self._xdsl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, XdslHandle) and other._xdsl == self._xdsl

    def __hash__(self) -> int:
        return hash(self._xdsl)

    def __str__(self) -> str:
        return attribute_text(self._xdsl)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def dump(self) -> None:
        """Print it."""
        print(self)


class Type(XdslHandle):
    """A type. ``Type.parse(text)`` parses one; types that are made or parsed have their own classes."""

    # The classes of the bindings, by the classes of xDSL.
    CLASSES: ClassVar[dict[type[XdslAttribute], type[Type]]] = {}

    def __init__(self, cast_from_type: Type) -> None:
        self._cast(cast_from_type, "type")

    @staticmethod
    def parse(asm: str, context: Context | None = None) -> Type:
        """Parse a type. Raises ``MLIRError``."""
        known = context_or_current(context)
        return wrap_type(_parsed(asm, known, "type"), known)

    def maybe_downcast(self) -> Type:
        """Return the type as an object of its own class."""
        return wrap_type(self._xdsl, self.context)


class Attribute(XdslHandle):
    """An attribute. ``Attribute.parse(text)`` parses one; attributes that are made or parsed have their own classes."""

    # The classes of the bindings: those determined by the class of xDSL, and those with a further condition, in this
    # order.
    PLAIN: ClassVar[tuple[type[Attribute], ...]] = ()
    BY_CONDITION: ClassVar[tuple[type[Attribute], ...]] = ()

    def __init__(self, cast_from_attr: Attribute) -> None:
        self._cast(cast_from_attr, "attribute")

    @staticmethod
    def parse(asm: str, context: Context | None = None) -> Attribute:
        """Parse an attribute. Raises ``MLIRError``."""
        known = context_or_current(context)
        return wrap_attribute(_parsed(asm, known, "attribute"), known)

    @property
    def type(self) -> Type:
        """The type of its value; ``none`` if it has no type."""
        of_value = getattr(self._xdsl, "type", None)
        return wrap_type(
            of_value if isinstance(of_value, TypeAttribute) else builtin.NoneType(), self.context
        )

    def maybe_downcast(self) -> Attribute:
        """Return the attribute as an object of its own class."""
        return wrap_attribute(self._xdsl, self.context)

    def get_named(self, name: str) -> NamedAttribute:
        """Return the attribute with a name."""
        return NamedAttribute(name, self)


class NamedAttribute:
    """An attribute with a name."""

    def __init__(self, name: str, attr: Attribute) -> None:
        self.name = name
        self.attr = attr

    def __repr__(self) -> str:
        return f"NamedAttribute({self.name}={self.attr})"


def wrap_type(type: XdslAttribute, context: Context) -> Type:
    """Return a handle of an xDSL type, of its class in the bindings."""
    return Type.CLASSES.get(type.__class__, Type).wrapping(type, context)


def wrap_attribute(attribute: XdslAttribute, context: Context) -> Attribute:
    """Return a handle of an xDSL attribute, of its class in the bindings."""
    handle = Attribute.wrapping(attribute, context)
    for kind in Attribute.PLAIN:
        if isinstance(attribute, kind.XDSL):
            return kind.wrapping(attribute, context)
    return next(
        (kind.wrapping(attribute, context) for kind in Attribute.BY_CONDITION if kind.isinstance(handle)),
        handle,
    )


def _parsed(text: str, context: Context, what: str) -> Any:
    try:
        parser = LocationParser(context.xdsl, text, "-")
        result = parser.parse_type() if what == "type" else parser.parse_attribute()
        if parser.pos < len(text.rstrip()):
            parser.raise_error("found trailing characters", parser.pos, len(text))
    except ParseError as problem:
        line = text.count("\n", 0, problem.span.start) + 1
        column = problem.span.start - text.rfind("\n", 0, problem.span.start)
        report = Report(message=problem.msg, span=Span(file=text, line=line, column=column))
        raise MLIRError(f"Unable to parse {what}", diagnostics_of([report], context)) from None
    return result
