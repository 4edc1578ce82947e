"""Costs of one card in a TOML file, as ``ttl calibrate`` writes it: they replace those of the chip's record.

.. code-block:: toml

    chip = "wormhole"

    [costs]                     # whole numbers: cycles, or bytes in 1024 cycles for the rates
    dram_read = 97
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ttl.arch import Chip, chip_named, names
from ttl.arch.costs import Costs, Number
from ttl.arch.system_file import Kind, TomlFileReader, WrongSystemError, parsed

_MOST = 1 << 24
_HOW = "a whole number from {least} to {most:,}"


def is_rate(name: str) -> bool:
    """Whether a cost is a rate, in bytes in 1024 cycles, and not cycles."""
    return name.endswith("_rate")


@lru_cache(maxsize=64)
def read(text: str, path: str) -> Chip:
    """The chip of a file with the costs in it; ``path`` is where it is. Raises ``WrongSystemError``."""
    reader = TomlFileReader(path, text, parsed(text, path, "costs"), "costs")
    reader.check("", reader.table, _FIELDS)
    for field, kind in _FIELDS.items():
        if field not in reader.table:
            raise WrongSystemError(path, f"it has no {field}", f"add {field}: {kind.words}", of="costs")
    reader.check("costs.", reader.table["costs"], _COSTS)
    return with_costs(chip_named(reader.table["chip"]), reader.table["costs"], path)


def with_costs(chip: Chip, numbers: Mapping[str, int], source: str) -> Chip:
    """A chip with other costs, whose source is ``source``."""
    given: dict[str, Any] = {name: Number(value, "fitted", source) for name, value in numbers.items()}
    return replace(chip, costs=replace(chip.costs, **given))


def written(chip: str, numbers: Mapping[str, int], remarks: tuple[str, ...]) -> str:
    """The text of a file of costs, with remarks above it."""
    lines = [*(f"# {remark}" for remark in remarks), f'chip = "{chip}"', "", "[costs]"]
    for name, value in numbers.items():
        lines.append(f"{name} = {value}" + ("  # bytes in 1024 cycles" if is_rate(name) else ""))
    return "\n".join(lines) + "\n"


def _cost(name: str) -> Kind:
    least = 1 if is_rate(name) else 0
    return Kind(
        lambda value: type(value) is int and least <= value <= _MOST, _HOW.format(least=least, most=_MOST)
    )


_FIELDS: Mapping[str, Kind] = MappingProxyType(
    {
        "chip": Kind(lambda value: value in names(), f"one of {', '.join(map(repr, names()))}"),
        "costs": Kind(lambda value: isinstance(value, dict), "a table [costs]"),
    }
)
_COSTS: Mapping[str, Kind] = MappingProxyType({field.name: _cost(field.name) for field in fields(Costs)})
