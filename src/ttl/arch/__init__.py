"""Chips as data. Nothing outside this folder knows a grid size, an L1 size or a number of buffers."""

from ttl.arch.chip import Chip, DramPort, DstTiles, Noc
from ttl.arch.costs import Number
from ttl.arch.floorplan import Floorplan
from ttl.arch.table import CHIPS, DEFAULT_CHIP, chip, current_chip

__all__ = [
    "CHIPS",
    "DEFAULT_CHIP",
    "Chip",
    "DramPort",
    "DstTiles",
    "Floorplan",
    "Noc",
    "Number",
    "chip",
    "current_chip",
]
