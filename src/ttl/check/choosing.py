"""Tunable parameters that the call of a running program leaves out."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

from ttl.check.fitting import fits
from ttl.check.seen import Seen
from ttl.diag import Diagnostic, ProgramError
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation
from ttl.session import Part
from ttl.settings import Settings
from ttl.source.spans import user_span
from ttl.tuning.choice import Arguments, OpenCall, choose, is_open
from ttl.tuning.space import Configuration
from ttl.tuning.table import table_for


class _Choices:
    """Stands for the session, in what operations remember of it."""


_CHOICES: Part[_Choices] = Part(_Choices)


def completed(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with a value for each tunable parameter.

    Raises ``ProgramError``: TTL0243 where no configuration is possible, TTL0244 for a file of tuned ones that is wrong.
    """
    assert operation.tunable is not None
    bound = operation.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    if not is_open(operation.tunable, bound.arguments):
        return args, kwargs
    bound.arguments.update(_chosen(operation, bound, chosen))
    return bound.args, bound.kwargs


def _chosen(operation: Operation, bound: inspect.BoundArguments, chosen: Settings) -> Configuration:
    file = operation.function.__code__.co_filename
    # Of the file of tuned configurations its entries: another text gives others.
    table = table_for(file, chosen)
    seen: Seen[tuple[Any, Configuration]] | None = operation.checked.get(_CHOICES.get())
    if seen is None:
        seen = operation.checked[_CHOICES.get()] = Seen(operation.function)
    key = seen.key(bound.args, bound.kwargs, chosen)
    for known, configuration in seen.known(key):
        if known is table.entries:
            return configuration
    call = OpenCall(
        operation=operation,
        arguments=dict(bound.arguments),
        file=file,
        default=operation.own_defaults,
        span=user_span(),
        settings=chosen,
    )
    configuration_or_why = choose(call, _holds, partial(_fits, operation, bound))
    if isinstance(configuration_or_why, Diagnostic):
        raise ProgramError(configuration_or_why.at(call.span))
    seen.keep(key, bound.args, bound.kwargs, (table.entries, configuration_or_why))
    return configuration_or_why


def _holds(where: Any, arguments: Arguments) -> bool:
    return bool(where(**arguments))


def _fits(operation: Operation, bound: inspect.BoundArguments, arguments: Arguments) -> bool:
    call = inspect.BoundArguments(bound.signature, type(bound.arguments)(arguments))
    return fits(lower_call(operation, call.args, call.kwargs))
