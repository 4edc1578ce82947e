"""Text to operations, types and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import ParseError

from ttl.ir.parser import LocationParser, parse_text
from ttl.ir.reports import InvalidIR, Report
from ttl.source.spans import Span
from ttmlir.bindings.attributes import wrap_attribute
from ttmlir.bindings.scope import Context, MLIRError, diagnostics_of, raise_for
from ttmlir.bindings.types import wrap_type
from ttmlir.transforms.upgrade.later import upgraded_text

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ttmlir.bindings.attributes import Attribute
    from ttmlir.bindings.types import Type


def parse_module(text: str, context: Context, file: str = "-") -> ModuleOp:
    """A text as a module that was verified. Raises ``MLIRError``."""
    from ttl.ir.verifier import verify

    try:
        module = parse_text(context.xdsl, upgraded_text(text, file), file)
    except InvalidIR as problem:
        raise_for("Unable to parse module assembly", problem.reports, context)
        raise
    raise_for("Unable to parse module assembly", verify(module), context)
    return module


def parse_type(text: str, context: Context) -> Type:
    """The type that a text says. Raises ``MLIRError``."""
    return wrap_type(_parse(text, context, "type"), context)


def parse_attribute(text: str, context: Context) -> Attribute:
    """The attribute that a text says. Raises ``MLIRError``."""
    return wrap_attribute(_parse(text, context, "attribute"), context)


def _parse(text: str, context: Context, what: str) -> Any:
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
