"""``ttl.tunable``: parameters of an operation whose values are chosen, not written (principles 2.5, 3 and 6).

The conventions are those that authors know: configurations and a ``key`` of what the choice depends on as in Triton's
``autotune``, values by parameter as in Helion.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ttl.arch import names as chip_names
from ttl.diag import Diagnostic, ProgramError
from ttl.lang.check import fail, public
from ttl.lang.operation import Operation
from ttl.rules import tuning as rules
from ttl.source.spans import Span, user_span


class ToBeChosen:
    """Stands for the value of a tunable parameter that a call leaves out."""

    def __repr__(self) -> str:
        return "<chosen>"


TO_BE_CHOSEN = ToBeChosen()


class Config(Mapping[str, Any]):
    """One configuration of an operation: a value for each of its tunable parameters."""

    __slots__ = ("_values",)

    def __init__(self, **values: Any) -> None:
        self._values = MappingProxyType(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"ttl.Config({rules.shown(self)})"


@dataclass(frozen=True, slots=True)
class AsLargeAsFits:
    """Values in ascending order, of which the largest is meant with which the operation fits on a node."""

    values: tuple[Any, ...]


@public
def as_large_as_fits(*values: Any) -> AsLargeAsFits:
    """Values of a tunable parameter, smallest first: the largest with which the operation fits on a node is preferred.

    A size relative to what the chip has free: number of blocks in a buffer, extents of blocks in tiles. With a larger
    value the operation must not need less of L1. Principle 2.5.
    """
    return AsLargeAsFits(values)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tunable:
    """What of an operation may be chosen, and from what."""

    names: tuple[str, ...]
    values: Mapping[str, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)
    """Of a chip, the values of each parameter, the preferred first; nothing where whole configurations are declared."""
    configurations: tuple[Config, ...] = ()
    growing: frozenset[str] = frozenset()
    """The parameters whose values were declared with ``as_large_as_fits``."""
    key: tuple[str, ...] | None = None
    """The parameters that the choice depends on; None: all others."""
    where: Any = None
    condition: tuple[str, ...] = ()
    """The parameters of ``where``."""
    span: Span | None = None


@public
def tunable(
    *sizes: Any,
    configs: Sequence[Config] | None = None,
    key: Sequence[str] | None = None,
    where: Callable[..., object] | None = None,
    **values: Any,
) -> Any:
    """Declare parameters of an operation that a call may leave out: a configuration is chosen for it.

    Written above ``@ttl.operation``. Without any parameter, ``@ttl.tunable()``, only the schedule is chosen, which
    ``ttl tune --schedules`` looks for. Either ``configs`` lists whole configurations, or each keyword names a parameter
    and has its values: a sequence, the preferred value first, ``ttl.as_large_as_fits(...)``, or a dict with one of these for each
    chip; every combination is a configuration then. ``where`` is a function of any parameters of the operation, by their
    names, and returns whether the combination may be used; the others are left out. ``key`` names the parameters that the choice depends on:
    of a tensor its shape, element type, layout and memory, of anything else the value; without it, all that are not tunable.

    A call gets the configuration that the file of tuned configurations has for its key, the chip and the grid; without
    one, the first that is possible: ``where`` holds, and buffers and tensors fit in L1; sizes that are to be as large as fits
    are looked for last. Parameters that the call passes stay.
    Errors: TTL0242 for a declaration that makes no sense, TTL0243 where nothing is possible.

    In a tile program, ``ttl.tunable(1, 2, 4)`` is one of these sizes, which the designer chooses.
    """
    if sizes:
        from ttl.lang.tiles import choice

        return choice(sizes)
    span = user_span()
    try:
        condition = () if where is None else tuple(inspect.signature(where).parameters)
    except (TypeError, ValueError):
        raise ProgramError(rules.no_condition(where).at(span)) from None
    described = declared(configs, key, (where, condition), values, span)
    if isinstance(described, Diagnostic):
        raise ProgramError(described.at(span))

    def declare(target: Operation) -> Operation:
        finding = attach(target, described)
        if finding is not None:
            fail(finding)
        return target

    return declare


def declared(
    configs: Any, key: Any, where: tuple[Any, tuple[str, ...]], values: Mapping[str, Any], span: Span | None
) -> Tunable | Diagnostic:
    """A declaration from the arguments of ``ttl.tunable``, or what is wrong with them; ``where`` with its parameters."""
    if key is not None and (
        isinstance(key, str) or not _is_sequence(key) or not all(isinstance(item, str) for item in key)
    ):
        return rules.no_key(key)
    common: dict[str, Any] = {
        "key": None if key is None else tuple(key), "where": where[0], "condition": where[1], "span": span,
    }  # fmt: skip
    if configs is not None:
        whole = _whole(configs)
        if isinstance(whole, Diagnostic):
            return whole
        if values:
            return rules.uneven_configurations(tuple(whole[0]), tuple(values))
        return Tunable(names=tuple(whole[0]), configurations=whole, **common)
    of_chips: dict[str, dict[str, tuple[Any, ...]]] = {chip: {} for chip in chip_names()}
    growing = set()
    for name, given in values.items():
        if isinstance(given, dict):
            for chip in given:
                if chip not in of_chips:
                    return rules.unknown_chip(name, chip, tuple(of_chips))
        for chip, of_chip in of_chips.items():
            candidates = given.get(chip) if isinstance(given, dict) else given
            if candidates is None:
                continue
            if isinstance(candidates, AsLargeAsFits):
                growing.add(name)
                candidates = candidates.values[::-1]
            if isinstance(candidates, str | bytes) or not _is_sequence(candidates) or not len(candidates):
                return rules.no_values(
                    name, candidates.values if isinstance(candidates, AsLargeAsFits) else candidates
                )
            of_chip[name] = tuple(candidates)
    complete = {chip: of_chip for chip, of_chip in of_chips.items() if len(of_chip) == len(values)}
    if not complete:
        return rules.no_values(next(iter(values)), {})
    return Tunable(names=tuple(values), values=complete, growing=frozenset(growing), **common)


def _whole(configs: Any) -> tuple[Config, ...] | Diagnostic:
    if not _is_sequence(configs) or not len(configs) or not all(isinstance(item, Config) for item in configs):
        return rules.no_configurations(configs)
    result = tuple(configs)
    for config in result:
        if set(config) != set(result[0]) or not config:
            return rules.uneven_configurations(tuple(result[0]), tuple(config))
    return result


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple | range)


def attach(target: Any, tunable: Tunable) -> Diagnostic | None:
    """Make a declaration one of an operation, or say why it cannot be."""
    if not isinstance(target, Operation):
        return rules.not_an_operation(target)
    name = target.function.__name__
    if target.tunable is not None:
        return rules.declared_twice(name)
    parameters = target.signature.parameters
    missing = {*tunable.names, *(tunable.key or ()), *tunable.condition} - set(parameters)
    if missing:
        return rules.no_such_parameter(name, missing, tuple(parameters))
    target.choose_later(tunable)
    return None
