"""Signature help: the parameters of a call, and the argument that the cursor is in."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.service.around import Surroundings, surroundings
from ttl.service.language import Member, Parameter
from ttl.service.subject import Places
from ttl.service.syntax import UnclosedCall, is_code, open_calls

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis


@dataclass(frozen=True, slots=True)
class CallSignature:
    """A signature: its text and parameters. ``active`` is the index of the parameter that is being written, if any."""

    label: str
    doc: str
    parameters: tuple[Parameter, ...]
    active: int | None


def signature(analysis: Analysis, line: int, column: int) -> CallSignature | None:
    """The signature of the innermost call of a name around a position; None if that is not known."""
    if not is_code(analysis.text, line, column):
        return None
    here = surroundings(Places(analysis), line, column)
    for call in open_calls(analysis.text, line, column):
        if call.callee:
            return _signature(here, call)
    return None


def _signature(here: Surroundings, call: UnclosedCall) -> CallSignature | None:
    known = here.callee(call.callee)
    if known is not None:
        if known.kind in ("property", "constant", "module"):
            return None
        doc = f"Older spelling of `{known.instead}`." if known.instead else known.summary
        return CallSignature(_label(known), doc, known.parameters, _active(call, known.parameters))
    symbol = here.symbol(call.callee)
    node = symbol.definition.node if symbol is not None and symbol.definition is not None else None
    if not isinstance(node, ast.FunctionDef):
        return None
    parameters = _of_function(node)
    label = f"{node.name}({', '.join(parameter.text for parameter in parameters)})"
    return CallSignature(label, ast.get_docstring(node) or "", parameters, _active(call, parameters))


def _label(known: Member) -> str:
    return f"{known.qualified.rpartition('.')[0]}.{known.signature}"


def _of_function(node: ast.FunctionDef) -> tuple[Parameter, ...]:
    """The parameters of a function of the program, as in its text."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    pairs = [*zip(positional, defaults, strict=True)]
    if given.vararg is not None:
        pairs.append((ast.arg(f"*{given.vararg.arg}"), None))
    pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return tuple(
        Parameter(parameter.arg, ast.unparse(parameter) + (f" = {ast.unparse(default)}" if default else ""))
        for parameter, default in pairs
    )


def _active(call: UnclosedCall, parameters: tuple[Parameter, ...]) -> int | None:
    if call.keyword:
        return next((at for at, item in enumerate(parameters) if item.name == call.keyword), None)
    number = len(call.arguments) - 1
    for at, parameter in enumerate(parameters[: number + 1]):
        if parameter.text.startswith("*"):
            return at
    return number if number < len(parameters) else None
