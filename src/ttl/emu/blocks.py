"""Comparison of the blocks that are pushed on the emulated chip with those that the simulator has pushed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ttl.codegen.description import ProgramDescription
from ttl.codegen.filled import Filled
from ttl.codegen.traced import Traced
from ttl.emu.agreement import Agreement
from ttl.emu.chip import emulated
from ttl.emu.program import ELEMENTS, Program
from ttl.emu.pushes import Push
from ttl.emu.runtime import runtime
from ttl.emu.tolerance import differing, largest_of
from ttl.rows.dtypes import Array
from ttl.rows.types import WHOLE_TILE, BlockType, Layout

# A buffer of a node: number of the node, number of the buffer in the operation.
Key = tuple[int, int]
# Rows and columns of a face of a tile.
_FACE = 16


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Difference:
    """A block that differs from the simulator's: without padding, in arithmetic type."""

    push: Push
    found: Array
    wrong: Array

    @property
    def expected(self) -> Array:
        """The block that the simulator pushed."""
        return _loaded(self.push)


class ComparedBlocks:
    """A ``Watcher`` that compares pushed blocks with the simulator's, for the program's own buffers only."""

    def __init__(
        self,
        pushes: Iterable[Push],
        what: Traced,
        description: ProgramDescription,
        operation: str,
        agreed: Agreement,
        places: Sequence[int] = (0,),
    ) -> None:
        """``places``: for each chip of a mesh, in order, the number of its emulated chip."""
        self._operation = operation
        self._agreed = agreed
        self.first: Difference | None = None
        """The first block that differs, in the order of the simulator: blocks that it is computed from are the same."""
        self.compared = 0
        """The number of blocks that were compared."""
        self._buffers = what.buffers
        ring = _first_of_ring(what.buffers, description)
        self._expected: dict[Key, list[Push]] = {}
        # The blocks of a ring of several buffers come in the order in which the kernel pushes them.
        for push in pushes:
            self._expected.setdefault((push.node, ring.get(push.buffer, push.buffer)), []).append(push)
        self._chip = emulated(description.chip)
        self._approximated = what.approximated
        self._columns_of_grid, self._rows = description.grid
        self._mesh = {place: number for number, place in enumerate(places)}
        kept = {buffer.name for buffer in description.circular_buffers if buffer.made_by == "user"}
        self._columns = {buffer.name: buffer.in_columns for buffer in description.circular_buffers}
        self._kept = {number for number, buffer in enumerate(what.buffers) if buffer.name in kept}
        self._numbers: dict[int, int] = {}
        self._pages: dict[Key, int] = {}
        self._parts: dict[Key, bytes] = {}
        self._largest: dict[int, float] = {}

    @property
    def known(self) -> int:
        """How many blocks the simulator has pushed."""
        return sum(map(len, self._expected.values()))

    def watched(self, program: Program) -> list[int]:
        """The numbers of the circular buffers to watch: those of the program's own buffers."""
        ordinals = {self._buffers[number].name: number for number in self._kept}
        self._numbers = {
            buffer.index: ordinals[buffer.name]
            for buffer in program.circular_buffers
            if buffer.name in ordinals
        }
        return list(self._numbers)

    def pushed(self, pushes: Array, pages: bytes) -> None:
        """Compare some blocks."""
        for core, index, first, offset, count, _ in pushes.tolist():
            chip, within = divmod(core, self._chip.columns * self._chip.rows)
            column, row = self._chip.place(within)
            node = (self._mesh[chip] * self._columns_of_grid + column) * self._rows + row
            key = (node, self._numbers[index])
            self._pages[key] = first + count
            type_ = self._buffers[key[1]].type
            size = self._buffers[key[1]].pages
            taken = pages[offset : offset + count * type_.page_bytes]
            if count != size or key in self._parts:
                self._push_part(key, first, taken, size)
            else:
                self._push_block(key, first // size, taken)

    def counts(self) -> Iterable[tuple[Push, int, int]]:
        """Buffers into which the chip has pushed more or fewer blocks: a push, the expected and the actual number."""
        for key, pushes in self._expected.items():
            if key[1] in self._kept:
                number = self._pages.get(key, 0) // self._buffers[key[1]].pages
                if number != len(pushes):
                    yield pushes[min(number, len(pushes) - 1)], len(pushes), number

    def _push_part(self, key: Key, first: int, pages: bytes, size: int) -> None:
        """Compare the blocks that are completed by some pages; keep the pages of a block that is not complete."""
        step = self._buffers[key[1]].type.page_bytes
        held = self._parts.pop(key, b"")
        block, pages = (first - len(held) // step) // size, held + pages
        while len(pages) >= size * step:
            self._push_block(key, block, pages[: size * step])
            block, pages = block + 1, pages[size * step :]
        if pages:
            self._parts[key] = pages

    def _push_block(self, key: Key, number: int, pages: bytes) -> None:
        pushes = self._expected.get(key, [])
        push = pushes[number] if number < len(pushes) else None
        if push is None or push.values is None or (self.first and self.first.push.order < push.order):
            return
        self.compared += 1
        block = decoded(push.type, self._joined(key[1], pages))
        rows, columns = (*(1,) * (2 - push.values.ndim), *push.values.shape)[-2:]
        block = block[..., :rows, :columns] if block.ndim > 1 else block[:columns]
        agreed, where = self._agreed, f"{self._buffers[key[1]].shown} of {self._operation}"
        agreed.blocks += 1
        if block.dtype == push.values.dtype and block.tobytes() == push.values.tobytes():
            agreed.elements += block.size
            return
        array = push.type.dtype.load(block)
        agreed.add(array, _loaded(push), push.undefined, where)
        wrong = differing(array, _loaded(push), push.type.dtype, self._largest_in(key[1]), self._approximated)
        if push.undefined is not None:
            wrong &= ~push.undefined
        if wrong.any():
            self.first = Difference(push=push, found=array, wrong=wrong)

    def _joined(self, number: int, pages: bytes) -> bytes:
        """The pages of a block of the program, row by row, where a schedule has split it into blocks side by side."""
        buffer = self._buffers[number]
        parts = self._columns[buffer.name]
        if parts == 1:
            return pages
        split = np.frombuffer(pages, np.uint8).reshape(
            parts, -1, buffer.type.shape[-1] // parts, buffer.type.page_bytes
        )
        return split.swapaxes(0, 1).tobytes()

    def _largest_in(self, buffer: int) -> float:
        """The largest magnitude in all blocks of a buffer, on all nodes."""
        known = self._largest.get(buffer)
        if known is None:
            seen = {
                id(push.values): largest_of(_loaded(push))
                for key, pushes in self._expected.items()
                for push in pushes
                if key[1] == buffer and push.values is not None
            }
            known = self._largest[buffer] = max(seen.values(), default=0.0)
        return known


def _first_of_ring(buffers: Sequence[Filled], description: ProgramDescription) -> dict[int, int]:
    """The number of the first buffer of its ring, for each buffer that is in a ring with others."""
    numbers = {name: number for number, buffer in enumerate(buffers) for name in (buffer.name, buffer.shown)}
    return {
        numbers[name]: numbers[buffer.holds[0]]
        for buffer in description.circular_buffers
        for name in buffer.holds
    }


def decoded(type_: BlockType, pages: bytes) -> Array:
    """A block from its pages, in the storage type of its elements."""
    if type_.layout is not Layout.TILE:
        count = prod(type_.elements)
        return np.frombuffer(pages, type_.dtype.storage, count).reshape(type_.elements)
    whole = np.empty(type_.elements, type_.dtype.storage)
    *outer, rows, columns = type_.elements
    if type_.tile != WHOLE_TILE:
        return _of_small_tiles(type_, np.frombuffer(pages, type_.dtype.storage))
    begin = np.frombuffer(pages, np.uint8).__array_interface__["data"][0]
    places = begin + np.arange(len(pages) // type_.dtype.tile_bytes, dtype=np.uint64) * np.uint64(
        type_.dtype.tile_bytes
    )
    runtime().tiles(False, whole, prod(outer), rows, columns, ELEMENTS[type_.dtype.name], places)
    return whole


def _of_small_tiles(type_: BlockType, elements: Array) -> Array:
    """A block from the elements of its tiles, which lie in faces of 16 columns."""
    *outer, down, across = type_.shape
    height, width = type_.tile
    rows = min(height, _FACE)
    faces = elements.reshape(*outer, down, across, height // rows, width // _FACE, rows, _FACE)
    axes = len(outer)
    order = (0, 2, 4, 1, 3, 5)
    return faces.transpose(*range(axes), *(axes + axis for axis in order)).reshape(type_.elements)


def _loaded(push: Push) -> Array:
    assert push.values is not None
    return push.values if push.values.dtype == np.float32 else push.type.dtype.load(push.values)
