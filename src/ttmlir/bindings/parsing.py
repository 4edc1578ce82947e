"""Parsing of modules."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ttl.ir.parser import parse_text
from ttl.ir.reports import InvalidIR
from ttl.ir.verifier import verify
from ttmlir.bindings.scope import Context, raise_for
from ttmlir.transforms.upgrade.later import upgraded_text


def parse_module(text: str, context: Context, file: str = "-") -> ModuleOp:
    """Parse a text as a module, and verify it. Raises ``MLIRError``."""
    try:
        module = parse_text(context.xdsl, upgraded_text(text, file), file)
    except InvalidIR as problem:
        raise_for("Unable to parse module assembly", problem.reports, context)
        raise
    raise_for("Unable to parse module assembly", verify(module), context)
    return module
