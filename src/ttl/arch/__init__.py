"""Chips as data: each is one module of ``chips/``, which has everything about it.

Outside this folder no module has a name of a chip, a grid size, an L1 size or a number of buffers. The module of a
chip is imported on first use.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from ttl.arch.chip import Chip

__all__ = ["USUAL", "Chip", "all_chips", "chip_named", "chip_of_arch", "names"]

USUAL = "wormhole"
"""The chip that is meant where none is named."""


@cache
def names() -> tuple[str, ...]:
    """The chips there are, the usual one first."""
    files = os.listdir(os.path.join(os.path.dirname(__file__), "chips"))
    result = {file.removesuffix(".py") for file in files if file.endswith(".py")}
    return (USUAL, *sorted(result - {USUAL, "__init__"}))


@cache
def chip_named(name: str) -> Chip:
    """The chip of a name. Raises ``KeyError`` for another name: settings are checked where they are read."""
    if name not in names():
        raise KeyError(name)
    chip: Chip = import_module(f"ttl.arch.chips.{name}").CHIP
    return chip


def all_chips() -> tuple[Chip, ...]:
    """Every chip."""
    return tuple(map(chip_named, names()))


def chip_of_arch(arch: str) -> Chip | None:
    """The chip of an architecture, such as ``wormhole_b0``, or None."""
    return next((chip for chip in all_chips() if chip.arch == arch), None)
