"""Choices of tunable parameters for calls that omit them, in a program that is only read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttl.diag import Diagnostic, ProgramError
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.function_calls import apply
from ttl.frontend.host.operations import ReadOperation
from ttl.frontend.stop import Poisoned
from ttl.frontend.unknown import NotKnown, Unknown
from ttl.settings import Settings
from ttl.source.spans import Span
from ttl.tuning.choice import Arguments, CallChoice, OpenCall, choose


def chosen_for(
    reader: Evaluator,
    operation: ReadOperation,
    arguments: dict[str, Any],
    span: Span | None,
    settings: Settings,
    fits: Callable[[Arguments], bool],
) -> CallChoice | str | Diagnostic:
    """Choose the tunable parameters that a call omits.

    Returns the choice, the reason why it cannot be known, or the error in the call.
    """
    call = OpenCall(
        operation=operation,
        arguments=arguments,
        file=operation.function.file.path,
        default=operation.own_defaults,
        span=span,
        settings=settings,
    )
    try:
        choice = choose(call, lambda where, given: _holds(reader, where, given), fits)
    except NotKnown as unknown:
        return f"where of ttl.tunable is not known: it comes from {unknown.origin.source}"
    except ProgramError as wrong:
        return wrong.diagnostic
    return choice.at(span) if isinstance(choice, Diagnostic) else choice


def _holds(reader: Evaluator, where: Any, given: Arguments) -> bool:
    try:
        result = apply(reader, where, [], dict(given))
    except Poisoned:
        result = Unknown(why="its expression")
    if isinstance(result, Unknown):
        raise NotKnown(result)
    return bool(result)
