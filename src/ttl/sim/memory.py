"""The tensors of a launch: lazy reads, writes in order, hazards.

A slice that is copied into a block is a view of the tensor's memory: nothing is copied as long as nobody writes to that
memory. When an operation both reads and writes a tensor (or aliases of it), the first such event makes the memory
*hazardous*: values that were read before keep the old data, and from then on reads and writes take effect at
``ttl.copy``, in schedule order (DESIGN.md, "The simulator").
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ttl.host.access import array_of, byte_range, writable_array
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array, DType
from ttl.rows.types import TILE, BlockType
from ttl.rules.launches import not_on_the_devices
from ttl.sim import show
from ttl.sim.storage import Region, Storage, Writer
from ttl.sim.tensor_slices import SimSlice, make_slice, refuse_slice
from ttl.sim.values import Value, fail_uncomputed
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.kernel import RunningLaunch

# Slices of one tensor that are kept for reuse: a few at first, more once one of them was used again.
_SLICES_TRIED, _SLICES_KEPT = 1 << 8, 1 << 14
# Recorded writes that trigger a flush.
_PENDING_WRITES = 1024
# Parts of one tensor that are remembered as written.
_PARTS_REMEMBERED = 1 << 16


class Overwrite:
    """A part of a tensor that was written, and written again without having been read."""

    __slots__ = ("count", "first", "second", "target")

    def __init__(self, target: SimSlice, first: Writer, second: Writer) -> None:
        self.target = target
        self.first = first
        self.second = second
        self.count = 1


class Memory:
    """All tensors of one launch."""

    __slots__ = ("_engine", "_regions", "_storages", "changed", "originals", "overwrites", "writes")

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self._storages: dict[int, Storage] = {}
        self._regions: list[tuple[int, int, Region]] = []
        self.writes: list[tuple[Storage, Array, Value]] = []
        # Whether any tensor was written after it had been read: then ``data`` finds the data as they were read.
        self.changed = False
        # By the places of the two writes.
        self.overwrites: dict[tuple[Site, Site], Overwrite] = {}
        # The contents of each tensor before its first write: kept for ``--schedules``.
        self.originals: list[tuple[Tensor, Array]] = []

    def storage(self, tensor: Tensor) -> Storage:
        """The record of a tensor; made, and matched with its aliases, at first use."""
        known = self._storages.get(id(tensor))
        if known is not None:
            return known
        if tensor.shards is not None:
            return self.storage(self._shard(tensor.shards))
        start, stop = byte_range(tensor)
        region = None
        for low, high, other in self._regions:
            if start < high and low < stop:
                region = other
        if region is None:
            region = Region()
        self._regions.append((start, stop, region))
        storage = Storage(tensor, region)
        region.storages.append(storage)
        self._storages[id(tensor)] = storage
        return storage

    def slice(self, tensor: Tensor, index: Any) -> SimSlice:
        """``tensor[index]`` while an operation runs (``ttl.host.tensor.TensorHooks``)."""
        kernel = self._engine.current
        if not kernel.moves_data:
            refuse_slice(self._engine, kernel)
        storage = self._storages.get(id(tensor))
        if storage is None:
            storage = self.storage(tensor)
        if type(index) is not tuple:
            index = (index,)
        if storage.two_dimensional_tiles and len(index) == 2:
            # The usual case: kept for reuse, and without a call per dimension.
            row, column = index
            if type(row) is slice and row.step is None:
                top, bottom = row.start, row.stop
            else:
                top, bottom = row, row + 1 if type(row) is int else None
            if type(column) is slice and column.step is None:
                left, right = column.start, column.stop
            else:
                left, right = column, column + 1 if type(column) is int else None
            if type(top) is type(bottom) is type(left) is type(right) is int:
                slices = storage.slices
                key = (top, bottom, left, right)
                known: SimSlice | None = slices.get(key)
                if known is not None:
                    storage.reused = True
                    return known
                rows, columns = storage.extents
                if 0 <= top < bottom <= rows and 0 <= left < right <= columns:
                    known = SimSlice(
                        storage,
                        ((top, bottom), (left, right)),
                        (bottom - top, right - left),
                        (),
                        storage.array[top * TILE : bottom * TILE, left * TILE : right * TILE],
                    )
                    if len(slices) < (_SLICES_KEPT if storage.reused else _SLICES_TRIED):
                        slices[key] = known
                    return known
        return make_slice(self._engine, storage, index)

    def storages(self) -> Iterator[Storage]:
        """The records of the tensors used so far."""
        return iter(self._storages.values())

    def close(self) -> None:
        """Let go of the tensors: the launch is over."""
        for storage in self._storages.values():
            storage.slices.clear()
            storage.old = None
            storage.parts_written.clear()
        self._storages.clear()
        self._regions.clear()

    def observe(self, tensor: Tensor) -> None:
        """Carry out pending tasks and writes before the data of a tensor are read from outside."""
        self._engine.pending.flush()

    def text(self, tensor: Tensor) -> str:
        """Return the text of ``str(tensor)`` while an operation runs."""
        return show.tensor(self._engine, tensor)

    def read(self, source: SimSlice, type: BlockType) -> Value:
        """The value a copy from a slice puts into a block of ``type``."""
        storage = source.storage
        region = storage.region
        if not region.written:
            region.read = True
            if source.type is type and source.epoch == region.epoch:
                return source
            return Value(type, source.valid, source.view(len(type.shape)), None, storage, region.epoch)
        if not region.hazard:
            self._make_hazardous(region)
        if region.pending_writes:
            self._engine.pending.flush()
        return Value(type, source.valid, source.view(len(type.shape)).copy())

    def write(self, value: Value, target: SimSlice, rank: int, site: Site) -> None:
        """Record the write of a value to a slice; it takes effect in schedule order."""
        storage = target.storage
        region = storage.region
        if not storage.writable:
            self._open_for_writing(storage)
        if not region.written:
            region.written = True
        if region.read and not region.hazard:
            self._make_hazardous(region)
        if not region.hazard:
            # This memory is not read: writing a part twice loses the data of the first write.
            parts = storage.parts_written
            first = parts.get(target.bounds)
            if first is not None:
                self.note_overwrite(target, first, (self._engine.current, site))
            elif len(parts) < _PARTS_REMEMBERED:
                parts[target.bounds] = (self._engine.current, site)
        self._record_write(storage, target, rank, value)

    def _record_write(self, storage: Storage, target: SimSlice, rank: int, value: Value) -> None:
        region = storage.region
        region.pending_writes += 1
        usual = rank == len(target.extents) and target.epoch == region.epoch
        view = target.array if usual else target.view(rank)
        assert view is not None
        self.writes.append((storage, view, value))
        if len(self.writes) > _PENDING_WRITES:
            self._engine.pending.flush()

    def note_overwrite(self, target: SimSlice, first: Writer, second: Writer) -> None:
        """Record that a part of a tensor was written again without a read in between."""
        known = self.overwrites.get((first[1], second[1]))
        if known is None:
            self.overwrites[first[1], second[1]] = Overwrite(target, first, second)
        else:
            known.count += 1

    def order_all(self, storage: Storage) -> None:
        """Let all further accesses to a tensor that is the memory of a buffer take effect in schedule order."""
        region = storage.region
        if not region.hazard:
            self._make_hazardous(region)
        region.read = region.written = True

    def tiles(self, storage: Storage, pages: list[tuple[int, ...]], type: BlockType) -> Array:
        """Return a block of tiles of a tensor, which may lie apart. The recorded writes must have been carried out."""
        whole = np.zeros(type.elements, storage.array.dtype)
        for page, place in zip(pages, np.ndindex(type.shape), strict=True):
            whole[_tile(place)] = storage.array[_tile(page)]
        return whole

    def put_tiles(
        self, storage: Storage, pages: list[tuple[int, ...]], array: Array, type: BlockType
    ) -> None:
        """Write the tiles of a block to their places in a tensor, at once."""
        if not storage.writable:
            self._open_for_writing(storage)
        array = self._stored(storage, array, type.elements)
        for page, place in zip(pages, np.ndindex(type.shape), strict=True):
            storage.array[_tile(page)] = array[_tile(place)]

    def _stored(self, storage: Storage, array: Array, shape: tuple[int, ...]) -> Array:
        """Convert values to the shape and the storage type of a tensor's memory."""
        settings = self._engine.settings
        if array.shape != shape:
            array = fit(array, shape, storage.dtype, is_sanitized=settings.sanitize)
        # Block floats are kept as float32: the array's type does not tell that it still is to be rounded.
        unrounded = settings.precision == "fp32" and storage.dtype.kind == "block_float"
        if array.dtype != storage.array.dtype or unrounded:
            array = storage.dtype.store(array)
        return array

    def commit(self) -> None:
        """Carry out the recorded writes. Their values are computed."""
        writes, self.writes = self.writes, []
        for storage, view, value in writes:
            storage.region.pending_writes = 0
            array = value.array if value.storage is None else self.data(value)
            if array is None:
                fail_uncomputed(self._engine)
            array = self._stored(storage, array, view.shape)
            view[...] = array

    def data(self, value: Value) -> Array:
        """The array of a computed value: as it was when it was read, even if the tensor changed since."""
        array = value.array
        if array is None:
            fail_uncomputed(self._engine)
        storage = value.storage
        if storage is None or storage.region.epoch == value.epoch or storage.old is None:
            return array
        base, old = storage.array, storage.old
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        if not 0 <= offset < base.nbytes:
            return array  # read before the tensor got memory of its own: nobody writes there
        return np.ndarray(array.shape, array.dtype, buffer=old.data, offset=offset, strides=array.strides)

    def _shard(self, shards: tuple[Tensor, ...]) -> Tensor:
        """The shard of the current node's device, of a tensor on a mesh that is not an argument of the operation."""
        engine = self._engine
        if len(shards) == 1:
            return shards[0]
        if engine.device is not None and engine.device < len(shards):
            return shards[engine.device]
        devices = prod(engine.grid[:-2])
        if devices == len(shards):
            return shards[engine.node_index * devices // len(engine.nodes)]
        return engine.fail(not_on_the_devices(len(shards)))

    def _open_for_writing(self, storage: Storage) -> None:
        if self._engine.settings.schedules > 1:
            self.originals.append((storage.tensor, array_of(storage.tensor).copy()))
        array = writable_array(storage.tensor)
        if array is not storage.array and storage.array.shape == array.shape:
            storage.array = array
            storage.slices.clear()
            storage.region.epoch += 1
        storage.writable = True

    def _make_hazardous(self, region: Region) -> None:
        """Keep the data that were read so far; from now on every copy of this memory takes effect at once."""
        self._engine.pending.flush()
        region.hazard = self.changed = True
        for storage in region.storages:
            storage.old = np.ascontiguousarray(storage.array).copy()
            storage.slices.clear()
        region.epoch += 1


def _tile(place: tuple[int, ...]) -> tuple[Any, ...]:
    """The elements of a tile."""
    *leading, row, column = place
    return (*leading, slice(row * TILE, (row + 1) * TILE), slice(column * TILE, (column + 1) * TILE))


def empty(shape: tuple[int, ...], dtype: Any, *, is_sanitized: bool) -> Array:
    """Padding in arithmetic type: zeros, or floats that are not a number."""
    if is_sanitized and dtype == np.float32:
        return np.full(shape, np.nan, dtype)
    return np.zeros(shape, dtype)


def fit(array: Array, shape: tuple[int, ...], dtype: DType, *, is_sanitized: bool) -> Array:
    """Cut the padding off the last two dimensions, to the extents of an unpadded view.

    A smaller array comes from the edge of a padded tensor and is needed where another tensor has data: padding is
    appended.
    """
    if len(shape) < 2 or array.ndim < 2:
        return array[..., : shape[-1]]
    cut = array[..., : shape[-2], : shape[-1]]
    if cut.shape[-2:] == shape[-2:]:
        return cut
    filled = np.zeros((*cut.shape[:-2], *shape[-2:]), cut.dtype)
    if is_sanitized and dtype.is_float:
        filled[...] = np.nan if cut.dtype == np.float32 else dtype.store(np.full((1, 1), np.nan, np.float32))
    filled[..., : cut.shape[-2], : cut.shape[-1]] = cut
    return filled
