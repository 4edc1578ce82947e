"""Errors of ``ttl.tunable``, of calls without a chosen configuration, and of files of tuned configurations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ttl.arch import names as chip_names
from ttl.diag import Diagnostic, error, note, warning
from ttl.diag.remedies import Argument
from ttl.diag.values import short
from ttl.diag.words import counted, listed
from ttl.rules.words import describe

_DECLARATION = "TTL0242"


def shown(configuration: Mapping[str, Any]) -> str:
    """The text ``block=(2, 2), buffering=2``."""
    return ", ".join(f"{name}={short(value)}" for name, value in configuration.items())


# --- declarations ----------------------------------------------------------------------------------------------


def not_an_operation(target: object) -> Diagnostic:
    """The error for ``ttl.tunable`` below ``@ttl.operation``, or on a value that is not an operation (TTL0242)."""
    return error(
        _DECLARATION,
        f"ttl.tunable declares parameters of an operation, not of {describe(target)}",
        help="put @ttl.tunable(...) above @ttl.operation(...)",
    )


def declared_twice(operation: str) -> Diagnostic:
    """The error for a second ``ttl.tunable`` of one operation (TTL0242)."""
    return error(
        _DECLARATION,
        f"operation {operation} has two ttl.tunable",
        help="declare all of its parameters in one ttl.tunable, and restrict combinations with where=",
    )


def no_such_parameter(operation: str, names: Collection[str], parameters: Collection[str]) -> Diagnostic:
    """The error for names that are not parameters of the operation (TTL0242)."""
    return error(
        _DECLARATION,
        f"operation {operation} has no parameter {listed(sorted(names))}",
        notes=(f"its parameters are {listed(parameters)}",) if parameters else (),
        help="declare the tunable values as parameters of the operation: def f(a, b, y, *, block): ...",
    )


def no_values(name: str, value: object) -> Diagnostic:
    """The error for wrong values of a parameter (TTL0242)."""
    of_chips = ", ".join(f'"{chip}": [...]' for chip in chip_names())
    remedy = Argument(description="give a sequence with one value", name=name, value=f"[{short(value)}]")
    return error(
        _DECLARATION,
        f"the values of {name} are a sequence of at least one value, not {describe(value)}",
        help=f"write {name}=[...], {name}=ttl.as_large_as_fits(1, 2, 4), or one sequence for each chip: "
        f"{name}={{{of_chips}}}",
    ).remedied_by(remedy if isinstance(value, int | str) else None)


def unknown_chip(name: str, chip: object, chips: Collection[str]) -> Diagnostic:
    """The error for values of a chip that does not exist (TTL0242)."""
    return error(
        _DECLARATION,
        f"the values of {name} are given for {describe(chip)}, which is not a chip",
        help=f"chips are {listed([repr(item) for item in chips])}",
    )


def no_configurations(value: object) -> Diagnostic:
    """The error for ``configs`` that is not a sequence of ``ttl.Config`` with the same names (TTL0242)."""
    return error(
        _DECLARATION,
        f"configs of ttl.tunable is a sequence of ttl.Config, not {describe(value)}",
        help="write configs=[ttl.Config(block=(1, 1), buffering=2), ttl.Config(block=(2, 2), buffering=1)]",
    )


def uneven_configurations(first: Collection[str], other: Collection[str]) -> Diagnostic:
    """The error for two ``ttl.Config`` that choose different parameters (TTL0242)."""
    return error(
        _DECLARATION,
        f"one ttl.Config chooses {listed(first)}, another one {listed(other) if other else 'nothing'}",
        help="every ttl.Config of an operation has a value for each of its tunable parameters",
    )


def no_key(value: object) -> Diagnostic:
    """The error for a ``key`` that is not a sequence of names (TTL0242)."""
    return error(
        _DECLARATION,
        f"key of ttl.tunable is a sequence of names of parameters, not {describe(value)}",
        help='write key=["a", "b"]; without it the choice depends on all tensors and numbers of a call',
    )


def no_condition(value: object) -> Diagnostic:
    """The error for a ``where`` that cannot be called (TTL0242)."""
    return error(
        _DECLARATION,
        f"where of ttl.tunable is a function of parameters of the operation, not {describe(value)}",
        help="write where=lambda block, a: a.shape[0] % (32 * block[0]) == 0",
    )


# --- calls -----------------------------------------------------------------------------------------------------


def nothing_possible(operation: str, count: int, excluded: int, too_large: int, tried: int) -> Diagnostic:
    """The error for a call for which no declared configuration is possible (TTL0243)."""
    notes = []
    if excluded:
        notes.append(f"where= excludes {excluded} of them for these arguments")
    if too_large:
        looked_at = "" if tried == too_large else f" ({tried} were tried, others are as large or come later)"
        notes.append(f"with {too_large} of them the operation does not fit on a node{looked_at}")
    return error(
        "TTL0243",
        f"operation {operation} has {counted(count, 'configuration')} for this call, and none is possible",
        notes=tuple(notes),
        help="declare smaller values in ttl.tunable, or pass the tunable parameters in the call",
    )


def not_declared(operation: str, given: Mapping[str, Any]) -> Diagnostic:
    """The error for passed values that no configuration has, if other parameters are to be chosen (TTL0243)."""
    return error(
        "TTL0243",
        f"operation {operation} has no configuration with {shown(given)}, as this call passes it",
        help="pass all tunable parameters, or one of the declared values",
    )


def chosen_by_rule(
    operation: str, key: Collection[str], configuration: Mapping[str, Any], file: str
) -> Diagnostic:
    """The note that a call runs with a configuration that was not measured (TTL0245)."""
    return note(
        "TTL0245",
        f"operation {operation} has no tuned configuration for this call, and runs with {shown(configuration)}: "
        "the first that is possible",
        notes=(f"for {', '.join(key)}",) if key else (),
        help=f"let 'ttl tune' find the best one, enter one in {file}, or pass the parameters",
    )


# --- files of tuned configurations -----------------------------------------------------------------------------


def wrong_file(file: str, why: str) -> Diagnostic:
    """The error for a file of tuned configurations that cannot be read (TTL0244)."""
    return error(
        "TTL0244",
        f"the tuned configurations in {file} cannot be used: {why}",
        help="correct it or remove it: without it, configurations are chosen by a rule",
    )


def wrong_entry(file: str, operation: str, number: int, why: str) -> Diagnostic:
    """The warning for an entry of such a file that matches no declaration of the program (TTL0244)."""
    return warning(
        "TTL0244",
        f"entry {number} of operation {operation} in {file} is ignored: {why}",
        help="correct the entry, or declare the value in ttl.tunable",
    )
