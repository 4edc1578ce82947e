"""The chips there are, and which one is meant now."""

from __future__ import annotations

from dataclasses import replace

from ttl import settings
from ttl.arch.blackhole import BLACKHOLE
from ttl.arch.chip import Chip
from ttl.arch.wormhole import WORMHOLE
from ttl.diag import ProgramError, error

CHIPS: tuple[Chip, ...] = (WORMHOLE, BLACKHOLE)
# What IR is compiled for that does not say it.
DEFAULT_CHIP: Chip = WORMHOLE


def chip(name: str) -> Chip:
    """The chip called ``name``.

    Raises ``KeyError`` for another name: settings are checked where they are read.
    """
    for candidate in CHIPS:
        if candidate.name == name:
            return candidate
    raise KeyError(name)


def current_chip() -> Chip:
    """The chip of the settings, its compute grid replaced by the one asked for with ``--grid``.

    Raises ``ProgramError`` TTL0109 when no card of that chip has so large a grid.
    """
    chosen = settings.current()
    selected = chip(chosen.arch)
    if chosen.grid is None or chosen.grid == selected.grid:
        return selected
    if any(extent > limit for extent, limit in zip(chosen.grid, selected.max_grid, strict=True)):
        asked, most, usual = (f"{x}x{y}" for x, y in (chosen.grid, selected.max_grid, selected.grid))
        raise ProgramError(
            error(
                "TTL0109",
                f"{chosen.origin('grid')} asks for a grid of {asked} nodes, {selected.name} has at most {most}",
                help=f"ask for {most} or less, or leave it out for the usual {usual}",
            )
        )
    return replace(selected, grid=chosen.grid)
