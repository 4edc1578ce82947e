"""What a compute kernel works with: rings of pages, and registers for tiles. Misuse raises ``Misuse``."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from ttl.protocol.rings import Ring
from ttl.rows.dtypes import BFLOAT16, Array, DType
from ttl.rows.types import TILE, BlockType, Layout

_POISON = {True: float("nan"), False: -559_038_737}
_TILE = (TILE, TILE)


class Misuse(AssertionError):
    """A kernel does what gives wrong numbers, or stops the chip."""


def poison(dtype: DType) -> Array:
    """A page that holds what somebody else left there."""
    kind = np.float32 if dtype.is_float else np.int64
    return np.full(_TILE, _POISON[dtype.is_float], kind)


def pages_of(block: Array, type_: BlockType) -> list[Array]:
    """A block as it lies in memory."""
    if type_.layout is Layout.TILE:
        *outer, rows, columns = type_.shape
        tiles = block.reshape(*outer, rows, TILE, columns, TILE).swapaxes(-3, -2)
        return [np.array(each) for each in tiles.reshape(-1, TILE, TILE)]
    pages = [poison(type_.dtype).reshape(-1) for _ in range(-(-block.size // TILE**2))]
    for number, page in enumerate(pages):
        part = block.reshape(-1)[number * TILE**2 : (number + 1) * TILE**2]
        page[: part.size] = part
    return [page.reshape(_TILE) for page in pages]


def block_of(pages: Sequence[Array], type_: BlockType) -> Array:
    """The inverse of ``pages_of``."""
    if type_.layout is Layout.ROW_MAJOR:
        flat = np.concatenate([page.reshape(-1) for page in pages])
        return flat[: int(np.prod(type_.shape))].reshape(type_.shape)
    *outer, rows, columns = type_.shape
    tiles = np.stack(list(pages)).reshape(*outer, rows, columns, TILE, TILE)
    return tiles.swapaxes(-3, -2).reshape(type_.elements)


class PageRing(Ring):
    """A circular buffer. Others fill it from ``arriving``, or take what is handed over to ``taken``."""

    def __init__(self, name: str, pages: int, dtype: DType) -> None:
        super().__init__(pages)
        self.name = name
        self.dtype = dtype
        self.arriving: deque[Sequence[Array]] = deque()
        self.taken: list[Array] = []
        self.is_output = False
        self._pages = [poison(dtype) for _ in range(pages)]

    def reserve(self, count: int) -> None:
        """``cb_reserve_back``."""
        if not self.has_room(count):
            raise Misuse(f"{self.name}: {count} pages are never free")
        self.reserve_pages(count)

    def push(self, count: int) -> None:
        """``cb_push_back``."""
        self.push_pages(count)
        while self.is_output and self.filled():
            self.taken.append(self._taken_out(self.popped))
            self.popped += 1

    def wait(self, count: int) -> None:
        """``cb_wait_front``."""
        while self.arriving and self.has_room(len(self.arriving[0])):
            for page in self.arriving.popleft():
                self._pages[self.slot(self.pushed)] = page
                self.pushed += 1
        if not self.has_pages(count):
            raise Misuse(f"{self.name}: {count} pages never arrive")
        self.wait_pages(count)

    def pop(self, count: int) -> None:
        """``cb_pop_front``."""
        self.pop_pages(count)
        for page in range(self.popped - count, self.popped):
            self._taken_out(page)

    def read(self, index: int) -> Array:
        """A page, counted from the front."""
        if not 0 <= index < self.readable():
            raise Misuse(f"{self.name}: page {index} is read, and {self.readable()} waited for")
        return self._pages[self._place(self.popped, index)]

    def write(self, index: int, page: Array) -> None:
        """Write a page, counted from the back."""
        if not 0 <= index < self.writable():
            raise Misuse(f"{self.name}: page {index} is written, and {self.writable()} reserved")
        self._pages[self._place(self.pushed, index)] = page

    def _taken_out(self, number: int) -> Array:
        place = self.slot(number)
        page, self._pages[place] = self._pages[place], poison(self.dtype)
        return page

    def _place(self, first: int, index: int) -> int:
        # The chip adds to the address, and does not come back to the beginning.
        place = self.slot(first) + index
        if place >= self.block_count:
            raise Misuse(f"{self.name}: page {index} lies beyond the end of the ring")
        return place


class Registers:
    """DST: tiles that the matrix unit and the packer take for zero until something is written to them."""

    def __init__(self, capacity: int, *, wide: bool, rounds: bool) -> None:
        self.wide = wide
        self._rounds = rounds
        self._tiles: list[Array | None] = [None] * capacity
        self._phase = "released"

    def turn(self, before: str, after: str) -> None:
        """``tile_regs_acquire``, ``commit``, ``wait``, ``release``."""
        if self._phase != before:
            raise Misuse(f"the registers are {self._phase}, and become {after}")
        self._phase = after
        if after == "acquired":
            self._tiles = [None] * len(self._tiles)

    def fresh(self, index: int) -> bool:
        """Whether nothing was written to a register since it was acquired."""
        self._check(index, "acquired")
        return self._tiles[index] is None

    def read(self, index: int, phase: str = "acquired") -> Array:
        """A register."""
        self._check(index, phase)
        tile = self._tiles[index]
        return np.zeros(_TILE, np.float32) if tile is None else tile

    def held(self, index: int) -> Array:
        """A register as the vector unit reads it: half of what nobody wrote is what earlier programs left."""
        if self.fresh(index):
            raise Misuse(f"the vector unit reads register {index}, and nothing wrote it")
        return self.read(index)

    def write(self, index: int, tile: Array) -> None:
        """Write a register."""
        self._check(index, "acquired")
        if tile.dtype.kind == "i":
            if not self.wide and np.abs(tile).max() >= 1 << 16:
                raise Misuse("integers of 32 bits in registers of 16")
        elif self._rounds and not self.wide:
            tile = BFLOAT16.load(BFLOAT16.store(tile.astype(np.float32)))
        self._tiles[index] = np.array(np.broadcast_to(tile, _TILE))

    def _check(self, index: int, phase: str) -> None:
        if self._phase != phase:
            raise Misuse(f"a register is used while they are {self._phase}")
        if not 0 <= index < len(self._tiles):
            raise Misuse(f"register {index} of {len(self._tiles)}")


def as_tf32(tile: Array) -> Array:
    """What the source registers keep of float32: ten bits of the mantissa."""
    if tile.dtype.kind == "i":
        return tile
    bits = np.ascontiguousarray(tile, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)
    return bits.view(np.float32)
