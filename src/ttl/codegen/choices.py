"""The compiler's choices for a call of an operation, and the alternatives to them: the compile options that a tuner tries."""

from __future__ import annotations

from typing import Any

from ttl.codegen.compile import compile_module
from ttl.codegen.compiled_calls import is_complete, read_call, report
from ttl.lang.operation import Operation
from ttl.passes.choices import ChoicePoint
from ttl.settings import Settings

__all__ = ["ChoicePoint", "choices_of_call"]


def choices_of_call(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
) -> tuple[ChoicePoint, ...]:
    """The choices of the compiler for a call, in the order in which they are made, for the chip of the settings.

    Choices that depend on others, such as regions and sub-blocks that fit, are those under the compile options of the
    settings. Raises ``ProgramError`` with the errors of the call. A call that cannot be read has no choices.
    """
    lowered = read_call(operation, args, kwargs)
    if not is_complete(lowered):
        return ()
    compiled = compile_module(lowered.module, chosen, with_choices=True)
    report(compiled.diagnostics)
    (points,) = compiled.choices
    return points
