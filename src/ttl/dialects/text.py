"""Parsing of our dialects."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation

from ttl.dialects import ttkernel
from ttl.dialects.filled import WriteMaskOp, WriteScalerOp
from ttl.dialects.structured import StructuredCallOp
from ttl.dialects.tiles import TILE_OPERATIONS
from ttl.dialects.ttl import ATTRIBUTES, OPERATIONS, TYPES
from ttl.ir.context import DialectTable, ToolContext, make_context
from ttl.ir.parser import parse_text


def _ttl() -> Dialect:
    """The dialect ``ttl``, with operations that only passes make."""
    operations: list[type[Operation]] = [
        *OPERATIONS,
        *TILE_OPERATIONS,
        WriteScalerOp,
        WriteMaskOp,
        StructuredCallOp,
    ]
    return Dialect("ttl", operations, [*TYPES, *ATTRIBUTES])


DIALECTS: DialectTable = {"ttl": _ttl, "ttkernel": ttkernel.dialect}


def context(*, allow_unregistered: bool = False) -> ToolContext:
    """A context in which our dialects can be read."""
    return make_context(DIALECTS, allow_unregistered=allow_unregistered)


def parse_module(text: str, file: str = "<string>", *, allow_unregistered: bool = False) -> ModuleOp:
    """Parse a module; operations get their locations in the text. Raises ``InvalidIR``."""
    return parse_text(context(allow_unregistered=allow_unregistered), text, file)
