"""Sub-views of blocks: parts of a block, in tiles, each tile with a state of its own.

While the tiles of a block are in different states the block is in ``State.IN_PARTS``, which allows nothing by itself: a
step is looked up here, tile by tile, in the same transition table. Tiles are numbered row-major.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from ttl.protocol.blocks import ILLEGAL, STEPS, Role, State, Step

# In the states of tiles: a state that is not known on a path through a kernel.
OPEN = 255
_ALLOWED_BY_POP = frozenset({State.UNREAD, State.READ_WRITE})
# The states after steps on tiles in states that are not known, where they are legal.
_SURELY = {Step.STORE: State.MUST_BE_READ, Step.READ: State.READ_WRITE}


class View(NamedTuple):
    """A part of a block: where it starts and its extents, in tiles."""

    starts: tuple[int, ...]
    shape: tuple[int, ...]

    def within(self, outer: View) -> View:
        """Return the view within the block that ``outer`` is a part of."""
        return View(tuple(map(int.__add__, outer.starts, self.starts)), self.shape)

    def runs(self, shape: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Yield the tiles of the view in a block of ``shape``, as ranges of numbers."""
        *outer, last = self.shape
        steps = strides(shape)
        for position in product(*map(range, outer)):
            first = sum((at + start) * step for at, start, step in zip(position, self.starts, steps))
            yield first + self.starts[-1], first + self.starts[-1] + last

    def __str__(self) -> str:
        return f"[{', '.join(f'{start}:{start + extent}' for start, extent in zip(self.starts, self.shape))}]"


def whole(shape: tuple[int, ...]) -> View:
    """All of a block."""
    return View((0,) * len(shape), shape)


def strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Tiles from one position to the next, along each dimension."""
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))


def tiles_of(state: int, shape: tuple[int, ...]) -> bytes:
    """The states of the tiles of a block that is in one state."""
    return bytes((state,)) * prod(shape)


def state_of(tiles: bytes) -> int:
    """The state of a block whose tiles are in these states: their common state, else ``IN_PARTS``."""
    return tiles[0] if tiles.count(tiles[0]) == len(tiles) and tiles[0] != OPEN else int(State.IN_PARTS)


class RefusedTiles(NamedTuple):
    """A step that is illegal: the first state that forbids it, and the numbers of tiles in that state and in all."""

    state: State
    tiles: int
    of: int


def stepped(
    table: tuple[int, ...], tiles: bytes, view: View, shape: tuple[int, ...], step: Step
) -> bytes | RefusedTiles:
    """The states of the tiles of a block after a step on a part of it."""
    changed = bytearray(tiles)
    refused: State | None = None
    count = total = 0
    after = _after(table, step)
    for first, end in view.runs(shape):
        part = tiles[first:end]
        total += end - first
        for state in sorted(set(part)):
            if state != OPEN and after[state] == OPEN:
                refused = State(state) if refused is None else refused
                count += part.count(state) if state == refused else 0
        changed[first:end] = part.translate(after)
    return bytes(changed) if refused is None else RefusedTiles(refused, count, total)


def maybe_stepped(tiles: bytes, table: tuple[int, ...], step: Step) -> bytes | RefusedTiles:
    """The states after a step on a part at an unknown place: refused where no part allows it, else open where it may change."""
    after = _after(table, step)
    allowed = [state for state in set(tiles) if state == OPEN or after[state] != OPEN]
    if not allowed:
        return RefusedTiles(State(tiles[0]), tiles.count(tiles[0]), len(tiles))
    changes = bytes(
        OPEN if state != OPEN and after[state] not in (OPEN, state) else state for state in range(256)
    )
    return tiles.translate(changes)


def _after(table: tuple[int, ...], step: Step) -> bytes:
    """Return the next state for each state of a tile; ``OPEN`` where the step is illegal."""
    popped = step is Step.POP and table[-1] > Role.RESERVE_COMPUTE
    after = []
    for state in range(256):
        known = state < len(State) and state != State.IN_PARTS
        following = table[state * STEPS + step] if known else ILLEGAL
        if popped and state in _ALLOWED_BY_POP:
            following = int(State.OUT_OF_SCOPE)  # a kernel looked at the block, if not at this part of it
        after.append(OPEN if following == ILLEGAL else following)
    after[OPEN] = int(_SURELY.get(step, State.OUT_OF_SCOPE))
    return bytes(after)
