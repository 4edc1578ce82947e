"""Attributes and types of TT-MLIR from text, as ``ttmlir-opt`` reads them."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Attribute

from ttl.ir.context import ToolContext, make_context
from ttl.ir.parser import LocationParser, parse_text
from ttl.ir.reports import InvalidText
from ttmlir.operations.dialects import DIALECTS


@cache
def context() -> ToolContext:
    """All dialects."""
    return make_context(DIALECTS, allow_unregistered=True)


def attribute(text: str) -> Attribute:
    """One attribute, or one type."""
    parser = LocationParser(context(), text)
    return parser.parse_type() if text.startswith("!") else parser.parse_attribute()


def refused(text: str) -> str:
    """What is said about a module that has a wrong attribute or type: ``line:column: message``. Empty if it is read."""
    is_type = text.startswith("!")
    body = f'"a.b"() : () -> {text}' if is_type else f'"a.b"() {{a = {text}}} : () -> ()'
    try:
        parse_text(context(), body, "t.mlir")
    except InvalidText as problem:
        span = problem.report.span
        assert span is not None
        return f"{span.line}:{span.column - (15 if is_type else 14)}: {problem.report.message}"
    return ""
