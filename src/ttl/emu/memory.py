"""Tensors in the memory of the emulated chip: where every page lies, and how its contents get there and back."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ttl.codegen.accessors import AccessorPlacement, accessor_words
from ttl.codegen.entries import resolve
from ttl.emu.chip import DRAM_BEGIN, EmulatedChip
from ttl.emu.program import ELEMENTS
from ttl.emu.runtime import runtime
from ttl.frontend.kernel.tensors import shards_of
from ttl.host.access import array_of, writable_array
from ttl.host.memory import BufferType
from ttl.host.tensor import Tensor
from ttl.rows.types import TILE, Layout

Addresses = npt.NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Placed:
    """A tensor in memory. ``address`` is the offset in each bank at which it begins, ``end`` where it ends."""

    tensor: Tensor
    placement: AccessorPlacement
    address: int
    end: int
    accessor: tuple[int, ...]
    """Compile-time arguments of its accessor."""
    pages: Addresses
    """Address in this process of every page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BankedLayout:
    """Where the pages of a tensor lie in the banks, wherever it begins in them."""

    placement: AccessorPlacement
    page: int
    """Bytes from one page of a bank to the next."""
    words: tuple[int, ...]
    """Compile-time arguments of its accessor."""
    banks: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    """Bank of each page, and how many pages of the tensor come before it there."""

    @property
    def nbytes(self) -> int:
        """The bytes that the tensor takes of each bank."""
        return (int(self.offsets.max()) + 1) * self.page if len(self.offsets) else self.page


def banked(tensor: Tensor, chip: EmulatedChip) -> BankedLayout:
    """The layout of a tensor in the memory of the emulated chip."""
    placement = placement_of(tensor)
    words = resolve(accessor_words(placement, chip.chip), address=_no_address, node=chip.node)
    count = chip.banks if placement.memory == "dram" else chip.columns * chip.rows
    banks, offsets = _mapping(placement, words, _page_count(placement), count)
    return BankedLayout(
        placement=placement,
        page=placement.aligned_page_bytes(chip.chip),
        words=tuple(words),
        banks=banks,
        offsets=offsets,
    )


class ChipMemory:
    """Places tensors, one after the other: in DRAM from below, in L1 from above."""

    def __init__(self, chip: EmulatedChip) -> None:
        self.chip = chip
        self.placed: list[Placed] = []
        self.kept: list[tuple[int, int]] = []
        """Other parts of the L1 of all cores, from and to, that programs leave as they are."""
        self._dram = DRAM_BEGIN
        self._l1 = chip.chip.l1_bytes

    def place(self, tensor: Tensor, address: int | None = None, chip: int = 0) -> Placed:
        """Give a tensor its place on a chip, behind the others unless it has an ``address``, and copy its contents there."""
        layout = banked(tensor, self.chip)
        if address is None:
            address = self._take(layout.placement.memory, layout.nbytes)
        bases = self._bases(layout, chip)
        pages = (
            bases[layout.banks]
            + np.uint64(address)
            + layout.offsets.astype(np.uint64) * np.uint64(layout.page)
        )
        placed = Placed(
            tensor=tensor,
            placement=layout.placement,
            address=address,
            end=address + layout.nbytes,
            accessor=layout.words,
            pages=pages,
        )
        _move(placed, store=True)
        self.placed.append(placed)
        return placed

    def take_l1(self, size: int) -> int:
        """Reserve some bytes of the L1 of every core for another use. Return their address."""
        return self._take("l1", size)

    def _take(self, memory: str, size: int) -> int:
        if memory == "dram":
            address = self._dram
            self._dram += -(-size // 1024) * 1024
            return address
        self._l1 -= -(-size // 64) * 64
        return self._l1

    def _bases(self, layout: BankedLayout, chip: int) -> Addresses:
        """The addresses in this process at which the banks of the layout begin; 0 for banks without pages of it."""
        placement, here = layout.placement, self.chip
        holders = None if placement.shard_shape is None else _coordinates(list(layout.words))
        used = set(np.unique(layout.banks).tolist())
        if placement.memory == "dram":
            banks = range(here.banks) if holders is None else [bank for bank, _ in holders]
            places = [runtime().dram(here.handle, chip * here.banks + bank) for bank in banks]
        else:
            count = here.columns * here.rows
            cores = range(count) if holders is None else [here.index_of[x, y] for x, y in holders]
            places = [here.l1(chip * count + core) if at in used else 0 for at, core in enumerate(cores)]
        return np.array(places, np.uint64)


def placement_of(tensor: Tensor) -> AccessorPlacement:
    """The placement of a tensor of the host library in the memory of a chip."""
    config = tensor.memory_config()
    shards = shards_of(config)
    return AccessorPlacement(
        shape=tuple(tensor.shape),
        dtype=tensor.dtype,
        layout=tensor.layout,
        memory="dram" if config.buffer_type is BufferType.DRAM else "l1",
        memory_layout=config.memory_layout.value.lower(),
        shard_shape=None if shards is None else shards.shape,
        shard_nodes=None if shards is None else shards.nodes,
        shard_order="row_major" if shards is None else shards.order,
    )


def fetch(placed: Placed) -> None:
    """Copy the contents of the memory back into the tensor."""
    _move(placed, store=False)


def _no_address(name: str) -> int:
    raise ValueError(f"an accessor has no address of {name}")


def _page_count(placement: AccessorPlacement) -> int:
    shape = placement.shape
    if placement.layout is Layout.TILE:
        height, width = (*(1,) * (2 - len(shape)), *shape)[-2:]
        return prod(shape[:-2]) * -(-height // TILE) * -(-width // TILE)
    if placement.shard_shape is None:
        return prod(shape[:-1])
    return prod(shape[:-1]) * -(-shape[-1] // placement.shard_shape[-1])


def _mapping(
    placement: AccessorPlacement, words: list[int], count: int, banks: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the bank of every page, and the page in the bank, as ``TensorAccessor`` computes them in a kernel."""
    page = np.arange(count, dtype=np.int64)
    if placement.shard_shape is None:
        return page % banks, page // banks
    rank, sharded_banks = words[2], words[3] & 0x7FFFFFFF
    tensor, shard = words[4 : 4 + rank], words[4 + rank : 4 + 2 * rank]
    number, within = np.zeros(count, np.int64), np.zeros(count, np.int64)
    shard_stride, page_stride = 1, 1
    for extent, part in zip(reversed(tensor), reversed(shard), strict=True):
        coordinate = page % extent
        page = page // extent
        number += coordinate // part * shard_stride
        within += coordinate % part * page_stride
        shard_stride *= -(-extent // part)
        page_stride *= part
    return number % sharded_banks, number // sharded_banks * prod(shard) + within


def _coordinates(words: list[int]) -> list[tuple[int, int]]:
    """Coordinates of the banks in the words of an accessor; those in DRAM have their number as x."""
    rank, banks = words[2], words[3] & 0x7FFFFFFF
    packed = words[4 + 2 * rank :]
    numbers = [packed[bank // 2] >> bank % 2 * 16 & 0xFFFF for bank in range(banks)]
    return [(number >> 8, number & 255) for number in numbers]


def _move(placed: Placed, *, store: bool) -> None:
    placement, tensor = placed.placement, placed.tensor
    array: Any = array_of(tensor) if store else writable_array(tensor)
    shape = placement.shape
    if placement.layout is Layout.TILE:
        height, width = (*(1,) * (2 - len(shape)), *shape)[-2:]
        whole = _contiguous(array)
        runtime().tiles(
            store, whole, prod(shape[:-2]), height, width, ELEMENTS[placement.dtype.name], placed.pages
        )
        if whole is not array:
            array[...] = whole.reshape(array.shape)
        return
    row = shape[-1] if placement.shard_shape is None else placement.shard_shape[-1]
    padded = -(-shape[-1] // row) * row
    flat = array.reshape(-1, shape[-1])
    if padded == shape[-1] and flat.flags.c_contiguous:
        runtime().rows(store, flat, row * array.itemsize, placed.pages)
        return
    wide = np.zeros((flat.shape[0], padded), array.dtype)
    wide[:, : shape[-1]] = flat
    runtime().rows(store, wide, row * array.itemsize, placed.pages)
    if not store:
        flat[...] = wide[:, : shape[-1]]


def _contiguous(array: Any) -> Any:
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)
