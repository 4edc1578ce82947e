"""The declaration of ``ttl.tunable`` as data: the parameters whose values are chosen, and the possible values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ttl.arch import names as chip_names
from ttl.diag import Diagnostic
from ttl.rules import tuning as rules
from ttl.source.spans import Span


class TunablePlaceholder:
    """Stands for the value of a tunable parameter that a call omits."""

    def __repr__(self) -> str:
        return "<chosen>"


TO_BE_CHOSEN = TunablePlaceholder()


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
    """Values in ascending order. The largest with which the operation fits on a node is preferred."""

    values: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tunable:
    """The parameters of an operation that may be chosen, and their possible values."""

    names: tuple[str, ...]
    values: Mapping[str, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)
    """The values of each parameter for a chip, the preferred first; empty if whole configurations are declared."""
    configurations: tuple[Config, ...] = ()
    growing: frozenset[str] = frozenset()
    """The parameters whose values were declared with ``as_large_as_fits``."""
    key: tuple[str, ...] | None = None
    """The parameters on which the choice depends; None for all others."""
    where: Any = None
    condition: tuple[str, ...] = ()
    """The parameters of ``where``."""
    span: Span | None = None


def declared(
    configs: Any, key: Any, where: tuple[Any, tuple[str, ...]], values: Mapping[str, Any], span: Span | None
) -> Tunable | Diagnostic:
    """Return a declaration from the arguments of ``ttl.tunable``, or the error in them.

    ``where`` comes with the names of its parameters.
    """
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
