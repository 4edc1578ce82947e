"""The configuration of one call: the entry in the file of tuned configurations, else the first that is possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ttl.diag import Diagnostic
from ttl.diag.report import emit
from ttl.lang.choices import TO_BE_CHOSEN, Tunable
from ttl.lang.operation import Operation
from ttl.rules import tuning as rules
from ttl.settings import Settings, current_chip
from ttl.source.files import display_name
from ttl.source.spans import Span
from ttl.tuning.key import key_of, normal
from ttl.tuning.space import Configuration, Sizes, configurations, count, groups
from ttl.tuning.table import TunedEntry, table_for

# The most configurations whose fit is checked: some milliseconds each.
_MOST_TRIED = 256

Arguments = Mapping[str, Any]
Holds = Callable[[Any, Arguments], bool]
"""Whether ``where`` (the first argument) holds for its arguments."""
Fits = Callable[[Arguments], bool]
"""Whether an operation with these arguments fits on a node."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallChoice:
    """The configuration of a call, with the compiler's choices."""

    configuration: Configuration
    compile_option: Mapping[str, str] = field(default_factory=dict)
    """The choices that the compiler is to make, by key."""
    schedule: str = ""
    """The chain of steps of the schedule; empty for the compiler's own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenCall:
    """A call with parameters, or a schedule, to be chosen."""

    operation: Operation
    arguments: Arguments
    """All parameters; ``TO_BE_CHOSEN`` stands for those that the call leaves out."""
    file: str
    """The place where the operation is defined."""
    default: Configuration
    """The operation's own defaults of tunable parameters."""
    span: Span | None
    settings: Settings

    @property
    def tunable(self) -> Tunable:
        """The declared parameters."""
        assert self.operation.tunable is not None
        return self.operation.tunable

    @property
    def name(self) -> str:
        """The name of the operation."""
        name: str = self.operation.function.__name__
        return name

    @property
    def given(self) -> Configuration:
        """The tunable parameters that the call passes."""
        values = ((name, self.arguments[name]) for name in self.tunable.names)
        return {name: value for name, value in values if value is not TO_BE_CHOSEN}


def is_open(tunable: Tunable, arguments: Arguments) -> bool:
    """Whether a call leaves a choice: a parameter, or, if no parameters are declared, the schedule."""
    return not tunable.names or any(arguments[name] is TO_BE_CHOSEN for name in tunable.names)


def choose(call: OpenCall, holds: Holds, fits: Fits) -> CallChoice | Diagnostic:
    """Return the configuration of a call that leaves tunable parameters out, or the reason why no configuration applies.

    A choice by rule is reported once for each kind of call. Raises ``ProgramError`` TTL0244 for an invalid file.
    """
    tunable, chip = call.tunable, current_chip(call.settings)
    given = call.given
    key = key_of(tunable, call.arguments)
    table = table_for(call.file, call.settings)
    grid = chip.grid if isinstance(call.operation.grid, str) else call.operation.grid
    entry = table.find(call.name, call.file, chip.name, grid, key)
    if entry is not None:
        tuned = _declared(call, entry, chip.name)
        if isinstance(tuned, Diagnostic):
            emit(tuned.at(entry.span), once=True)
        elif agrees(tuned, given):
            return CallChoice(
                configuration=tuned, compile_option=entry.compile_option, schedule=entry.schedule
            )
    result = _first(call, given, chip.name, holds, fits)
    if isinstance(result, Diagnostic):
        return result
    by_rule = {name: value for name, value in result.items() if name not in given}
    if by_rule and not call.operation.chooses_itself:
        emit(rules.chosen_by_rule(call.name, key, by_rule, display_name(table.path)).at(call.span), once=True)
    return CallChoice(configuration=result)


def agrees(configuration: Arguments, given: Arguments) -> bool:
    """Whether a configuration has the values that a call passes; parameters that it leaves out may have any value."""
    return all(
        value is TO_BE_CHOSEN or normal(configuration[name]) == normal(value) for name, value in given.items()
    )


def _declared(call: OpenCall, entry: TunedEntry, chip: str) -> Configuration | Diagnostic:
    """Return the declared configuration that equals an entry's, or the finding that no configuration does."""
    for configuration in configurations(call.tunable, chip):
        if {name: normal(value) for name, value in configuration.items()} == dict(entry.config):
            return configuration
    return rules.wrong_entry(
        display_name(entry.span.file),
        call.name,
        entry.number,
        f"ttl.tunable declares no {rules.shown(entry.config)}",
    )


def _first(
    call: OpenCall, given: Arguments, chip: str, holds: Holds, fits: Fits
) -> Configuration | Diagnostic:
    """Return the first configuration that agrees with the call's arguments, is not excluded, and fits.

    The operation's own defaults come before others.
    """
    tunable = call.tunable
    own = {**call.default, **given}
    if call.default and len(own) == len(tunable.names):
        arguments = {**call.arguments, **own}
        if _is_allowed(tunable, arguments, holds) and fits(arguments):
            return own
    sizes = Sizes(tunable, chip)
    agreeing = excluded = too_large = tried = 0

    def is_possible(configuration: Configuration) -> bool:
        nonlocal tried
        if tried >= _MOST_TRIED or sizes.is_too_large(configuration):
            return False
        tried += 1
        if fits({**call.arguments, **configuration}):
            return True
        sizes.too_large(configuration)
        return False

    for group in groups(tunable, chip):
        same = [item for item in group if agrees(item, given)]
        allowed = [item for item in same if _is_allowed(tunable, {**call.arguments, **item}, holds)]
        agreeing += len(same)
        excluded += len(same) - len(allowed)
        too_large += len(allowed)
        if allowed and is_possible(allowed[0]):
            return allowed[0]
        if len(allowed) > 1 and is_possible(allowed[-1]):
            return _first_of(allowed, is_possible)
    if not agreeing and given:
        return rules.not_declared(call.name, given)
    return rules.nothing_possible(call.name, agreeing or count(tunable, chip), excluded, too_large, tried)


def _first_of(ordered: list[Configuration], is_possible: Callable[[Configuration], bool]) -> Configuration:
    """Return the first possible configuration by bisection: the first one is not possible, the last one is.

    All configurations behind a possible one are possible, too.
    """
    too_large, fits = 0, len(ordered) - 1
    while fits - too_large > 1:
        middle = (too_large + fits) // 2
        if is_possible(ordered[middle]):
            fits = middle
        else:
            too_large = middle
    return ordered[fits]


def _is_allowed(tunable: Tunable, arguments: Arguments, holds: Holds) -> bool:
    return tunable.where is None or holds(
        tunable.where, {name: arguments[name] for name in tunable.condition}
    )
