"""The tensors of a launch whose nodes are lanes: slices at another place on each lane have a record of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ttl import control
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array
from ttl.rows.types import TILE, Layout
from ttl.sim.lanes.coordinates import LaneNumber, LaneShift
from ttl.sim.native.memory import NativeMemory
from ttl.sim.numbers import TracedNumberError
from ttl.sim.storage import Region, Storage
from ttl.sim.tensor_slices import SimSlice, make_slice, refuse_slice

if TYPE_CHECKING:
    from ttl.sim.kernel import RunningLaunch


# The most records of shifted slices in one launch: each has an array of its own.
_MOST_SHIFTED = 64


class _Shifted:
    """A stand-in for a tensor that lanes slice at different places. Its memory is never read."""

    def __init__(self, tensor: Tensor, array: Array) -> None:
        self.dtype = tensor.dtype
        self.layout = tensor.layout
        self._data = np.empty(array.shape, array.dtype)

    def _writable(self) -> Array:
        return self._data


class LaneMemory(NativeMemory):
    """All tensors of one launch of lanes."""

    __slots__ = ("shifted",)

    def __init__(self, engine: RunningLaunch) -> None:
        super().__init__(engine)
        self.shifted: dict[tuple[Any, ...], tuple[Tensor, Storage, LaneShift]] = {}

    def slice(self, tensor: Tensor, index: Any) -> SimSlice:
        """``tensor[index]`` while an operation runs."""
        kernel = self._engine.current
        if not kernel.moves_data:
            refuse_slice(self._engine, kernel)
        parts = index if type(index) is tuple else (index,)
        plain: list[Any] = []
        shifts: list[LaneShift | None] = []
        for part in parts:
            start = stop = part
            if type(part) is slice:
                start, stop = part.start, part.stop
            if type(start) is not LaneNumber and type(stop) is not LaneNumber:
                plain.append(part)
                shifts.append(None)
                continue
            if type(start) is not LaneNumber or type(stop) is not LaneNumber or start.shift is not stop.shift:
                raise TracedNumberError
            if part is start:
                plain.append(start.first)
            elif part.step is None:
                plain.append(slice(start.first, stop.first))
            else:
                raise TracedNumberError
            shifts.append(start.shift)
        if not any(shifts):
            return super().slice(tensor, index)
        key = (id(tensor), *shifts)
        known = self.shifted.get(key)
        if known is None:
            known = self.shifted[key] = self._shifted(tensor, shifts)
        result: SimSlice | None = control.call("slice_of", known[1], tuple(plain))
        if result is None:
            result = make_slice(self._engine, known[1], tuple(plain))
        for shift, (first, last), extent in zip(shifts, result.bounds, known[1].extents, strict=True):
            if shift is not None and not 0 <= first + shift.low <= last + shift.high <= extent:
                raise TracedNumberError  # some lanes leave the tensor: running the kernels on every node reports which
        return result

    def _shifted(self, tensor: Tensor, shifts: list[LaneShift | None]) -> tuple[Tensor, Storage, LaneShift]:
        """Make the record of slices with these shifts, one for each dimension; and the whole shift in bytes."""
        array = self.storage(tensor).array
        if tensor.shards is not None or len(shifts) != array.ndim or len(self.shifted) >= _MOST_SHIFTED:
            raise TracedNumberError
        total: LaneShift | None = None
        for axis, (shift, stride) in enumerate(zip(shifts, array.strides, strict=True)):
            if shift is None:
                continue
            in_tiles = tensor.layout is Layout.TILE and axis >= array.ndim - 2
            if in_tiles and array.shape[axis] % TILE:
                raise TracedNumberError  # on some lanes perhaps the last tile, which is padded
            moved = shift.times(stride * TILE if in_tiles else stride)
            total = moved if total is None else None if moved is None else total.plus(moved)
        if total is None:
            raise TracedNumberError  # different slices at the same address: impossible with row-major strides
        stand_in: Any = _Shifted(tensor, array)
        region = Region()
        storage = Storage(stand_in, region)
        region.storages.append(storage)
        return tensor, storage, total

    def records(self) -> Iterator[tuple[Tensor, Storage, LaneShift | None]]:
        """The records of the tensors used so far."""
        for storage in self.storages():
            yield storage.tensor, storage, None
        yield from self.shifted.values()

    def close(self) -> None:
        """Let go of the tensors: the launch is over."""
        for _, storage, _ in self.shifted.values():
            storage.region.storages = []
        self.shifted.clear()
        super().close()
