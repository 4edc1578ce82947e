"""Tunable parameters that the call of a running program leaves out."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from typing import Any

from ttl.check.fitting import fits
from ttl.check.seen import CallCache
from ttl.diag import Diagnostic, ProgramError
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation
from ttl.session import Part
from ttl.session.compile_options import with_tuned
from ttl.settings import Settings
from ttl.source.spans import user_span
from ttl.tuning.choice import Arguments, CallChoice, OpenCall, choose, is_open
from ttl.tuning.table import table_for


class _Choices:
    """The session's key of the choices that operations store."""


_CHOICES: Part[_Choices] = Part(_Choices)


def completed(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
) -> tuple[tuple[Any, ...], dict[str, Any], Settings]:
    """Return the arguments of a call with a value for each tunable parameter, and the settings of its run.

    Raises ``ProgramError``: TTL0243 if no configuration is possible, TTL0244 for an invalid file of tuned
    configurations.
    """
    assert operation.tunable is not None
    bound = operation.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    if not is_open(operation.tunable, bound.arguments):
        return args, kwargs, chosen
    choice = _chosen(operation, bound, chosen)
    bound.arguments.update(choice.configuration)
    options = with_tuned(chosen.compile_option, choice.compile_option, operation.function.__name__)
    if options != chosen.compile_option:
        chosen = replace(chosen, compile_option=options)
    if choice.schedule and chosen.schedule is None and "schedule" not in operation.options:
        chosen = replace(chosen, schedule=choice.schedule)
    return bound.args, bound.kwargs, chosen


def _chosen(operation: Operation, bound: inspect.BoundArguments, chosen: Settings) -> CallChoice:
    file = operation.function.__code__.co_filename
    # A choice is valid only for the entries with which it was made: another text of the tuned file has other entries.
    table = table_for(file, chosen)
    choices = _CHOICES.get()
    seen: CallCache[tuple[Any, CallChoice]] | None = operation.checked.get(choices)
    if seen is None:
        seen = operation.checked[choices] = CallCache(operation.function)
    key = seen.key(bound.args, bound.kwargs, chosen)
    for known, choice in seen.known(key):
        if known is table.entries:
            return choice
    call = OpenCall(
        operation=operation,
        arguments=dict(bound.arguments),
        file=file,
        default=operation.own_defaults,
        span=user_span(),
        settings=chosen,
    )
    choice_or_why = choose(call, _holds, partial(_fits, operation, bound))
    if isinstance(choice_or_why, Diagnostic):
        raise ProgramError(choice_or_why.at(call.span))
    seen.keep(key, bound.args, bound.kwargs, (table.entries, choice_or_why))
    return choice_or_why


def _holds(where: Any, arguments: Arguments) -> bool:
    return bool(where(**arguments))


def _fits(operation: Operation, bound: inspect.BoundArguments, arguments: Arguments) -> bool:
    call = inspect.BoundArguments(bound.signature, type(bound.arguments)(arguments))
    return fits(lower_call(operation, call.args, call.kwargs))
