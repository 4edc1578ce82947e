"""The pretty form of StableHLO, which the parser in JAX reads and prints in MLIR's generic form.

``jaxlib`` has MLIR's parser with StableHLO's dialects in it. It is used only if a text has operations in their pretty
form: the generic form needs nothing but this package. Locations are those of the text.
"""

from __future__ import annotations

import re
from typing import Any

from ttl.ir.reports import InvalidIR, Report
from ttl.source.spans import Span

PRETTY_FORM = (
    "the pretty form of StableHLO is read with jaxlib: pip install 'ttlang[jax]', or give MLIR's generic form "
    "(stablehlo-opt --mlir-print-op-generic; in JAX: lowered.compiler_ir('stablehlo').operation.get_asm(print_generic_op_form=True))"
)
# An operation by its bare name, at the start of a statement.
_PRETTY = re.compile(r"^[ \t]*(?:%[^=\n]*=[ \t]*)?((?:stablehlo|chlo|sdy)\.[\w-]+)", re.MULTILINE)
_FAILED = re.compile(r'error: "-":(\d+):(\d+): (.*)')
_PLACE = re.compile(r'"-":(\d+):(\d+)')


def generic_text(text: str, file: str, first_line: int) -> str:
    """Return a text in the generic form; a text without operations in pretty form is returned unchanged.

    Raises ``InvalidIR``: for an error in the text, at its place; without ``jaxlib``, at the first operation that needs
    it.
    """
    pretty = _PRETTY.search(text)
    if pretty is None:
        return text
    try:
        module = _parsed(text, file, first_line)
    except ImportError:
        raise InvalidIR(_report(PRETTY_FORM, text, file, first_line, pretty.start(1))) from None
    generic: str = module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)

    def moved(place: re.Match[str]) -> str:
        return f'"{file}":{int(place[1]) + first_line - 1}:{place[2]}'

    lines = [
        _PLACE.sub(moved, line) if line.startswith("#loc") or "loc(" in line else line
        for line in generic.split("\n")
    ]
    return "\n".join(lines)


def _report(message: str, text: str, file: str, first_line: int, position: int) -> Report:
    line = text.count("\n", 0, position)
    column = position - text.rfind("\n", 0, position)
    return Report(message=message, span=Span(file=file, line=line + first_line, column=column))


def _parsed(text: str, file: str, first_line: int) -> Any:
    """The module in MLIR's own memory.

    Raises ``ImportError`` without jaxlib, and ``InvalidIR`` with the message of MLIR's parser.
    """
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    chlo.register_dialect(context)
    sdy.register_dialect(context)
    context.allow_unregistered_dialects = True
    try:
        with context:
            return ir.Module.parse(text)
    except ir.MLIRError as problem:
        said = _FAILED.search(str(problem))
        line, column, message = (
            (1, 1, str(problem).strip().splitlines()[-1]) if said is None else said.groups()
        )
        place = Span(file=file, line=int(line) + first_line - 1, column=int(column))
        raise InvalidIR(Report(message=message.strip(), span=place)) from None
