"""Attributes that a pass leaves on operations for another pass, or for reports and files that are made at the end."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation

from ttl.arch import USUAL, Chip, chip_named
from ttl.arch.costs_file import with_costs

# On an operation that the compiler made, or about which it made a choice: the reason, in a sentence for users.
WHY = "ttl.why"
# On a buffer or a semaphore: that the program did not ask for it.
MADE_BY = "ttl.made_by"
# On a buffer: that its values are read once, so that the bits that the matrix unit cuts off do not add up.
INTERMEDIATE = "ttl.intermediate"
# On a buffer: that it holds pages of a tensor, which are printed.
PAGE = "ttl.page"
# On a buffer: the contents that a kernel writes once, for all readers; the buffer whose memory it shares.
INITIAL = "ttl.initial"
SHARES = "ttl.shares"
# On a buffer of the program: the names of all buffers that are one ring with it, its own first.
HOLDS = "ttl.holds"
# On a buffer of the program: into how many blocks, side by side, each block of the program was split.
IN_COLUMNS = "ttl.in_columns"
# On a buffer whose blocks messages land in: how many blocks more than the program asked for it holds.
AHEAD = "ttl.ahead"
# On the acquisition or push of a block that is handed over in parts, and on the call that waits for it: the pages of a
# part.
PARTS = "ttl.parts"
# On a wait for a copy: that nothing has to be done there, since something else implies that it is complete.
IMPLIED = "ttl.implied"
# On the loop that looks which of several messages is there first: the number of these messages.
FIRST_OF = "ttl.first_of"
# On a semaphore: its number.
SEMAPHORE_ID = "ttl.id"
# On a semaphore that is a word in L1 instead: the number of the word.
WORD = "ttl.word"
# On a semaphore: that nodes of other chips change it, so that it is one of the host's, at one address on all chips.
ACROSS = "ttl.across"
# On a semaphore of the host: that it has to be set to its first value before each launch.
RESETS = "ttl.resets"
# On a kernel: for each node that sends to other chips its chip, column and row, and then those chips.
REACHES = "ttl.reaches"
# On a semaphore of pipe nets: the nets, and its meaning: "ready" or "free", there is room for a message; "valid", one
# is there.
NETS = "ttl.nets"
SAYS = "ttl.says"
# On a reduction: how many rows or columns of the last tile are not padding.
COUNTED = "ttl.counted"
# On an operation that needs only a part of each tile: "column" (the first column) or "row" (the first row).
LANES = "ttl.lanes"
# On an operation: the chip it is compiled for; the compute grid and the costs of the chip, where they are not the usual
# ones.
CHIP = "ttl.chip"
CHIP_GRID = "ttl.chip_grid"
CHIP_COSTS = "ttl.chip_costs"
# On a kernel: the configuration of the hardware beside its code; its processor and its network.
CONFIG = "ttl.config"
PROCESSOR = "ttl.processor"
NOC = "ttl.noc"


def chip_of(operation: Operation) -> Chip:
    """The chip that an operation is compiled for, as ``ttl-target`` noted it."""
    name, grid, costs = (
        given.data if isinstance(given := operation.attributes.get(mark), StringAttr) else ""
        for mark in (CHIP, CHIP_GRID, CHIP_COSTS)
    )
    return _chip(name or USUAL, grid, costs)


@lru_cache(maxsize=64)
def _chip(name: str, grid: str, costs: str) -> Chip:
    chip = chip_named(name)
    if grid:
        columns, rows = map(int, grid.split("x"))
        chip = replace(chip, grid=(columns, rows))
    numbers = {name: int(value) for name, _, value in (cost.partition(":") for cost in costs.split())}
    return with_costs(chip, numbers, "ttl-target") if numbers else chip


def is_made(op: Operation) -> bool:
    """Whether the compiler made a buffer or a semaphore."""
    return MADE_BY in op.attributes


def is_word(op: Operation) -> bool:
    """Whether a semaphore is a word in L1, and none of those that a node has."""
    return WORD in op.attributes


def is_numbered(op: Operation) -> bool:
    """Whether a semaphore is one of those that a node has."""
    return WORD not in op.attributes and ACROSS not in op.attributes


def lanes_of(op: Operation) -> str | None:
    """The part of each tile of an operation that is needed, ``column`` or ``row``; None if the whole tile is needed."""
    given = op.attributes.get(LANES)
    return given.data if isinstance(given, StringAttr) else None


def parts_of(op: Operation) -> int | None:
    """The pages of a part, for an operation on a block that goes in parts; None if it is for the whole block."""
    given = op.attributes.get(PARTS)
    return given.value.data if isinstance(given, IntegerAttr) else None
