"""Tensors as an operation sees them: slices, lazy reads, writes in order, hazards.

A slice that is copied into a block is a view of the tensor's memory: nothing is copied as long as nobody
writes to that memory. When an operation both reads and writes a tensor (or aliases of it), the first such
event makes the memory *hazardous*: what was read before keeps the old data, and from then on reads and writes
take effect at ``ttl.copy``, in schedule order (DESIGN.md, "The simulator").
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ttl.diag import Diagnostic, error
from ttl.host.tensor import Tensor
from ttl.lang.check import describe, is_int
from ttl.lang.copy import TensorSlice
from ttl.ops.dtypes import Array, DType
from ttl.ops.types import TILE, BlockType, Layout, describe_shape
from ttl.sim import show
from ttl.sim.values import Value

if TYPE_CHECKING:
    from ttl.ops.row import Valid
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel

# Slices of one tensor that are kept for reuse: a few at first, more once one of them was used again.
_SLICES_TRIED, _SLICES_KEPT = 1 << 8, 1 << 14
_TILED = Layout.TILE


class Region:
    """A range of memory that one or more tensors of the launch share."""

    __slots__ = ("epoch", "hazard", "pending_writes", "read", "storages", "written")

    def __init__(self) -> None:
        self.read = False
        self.written = False
        self.hazard = False
        self.epoch = 0
        self.pending_writes = 0
        self.storages: list[Storage] = []


class Storage:
    """A tensor taking part in a launch. ``extents`` are in the layout's unit, ``array`` is unpadded."""

    __slots__ = (
        "array",
        "dtype",
        "extents",
        "layout",
        "old",
        "region",
        "reused",
        "slices",
        "tensor",
        "two_dimensional_tiles",
        "types",
        "writable",
    )

    def __init__(self, tensor: Tensor, region: Region) -> None:
        self.tensor = tensor
        self.array: Array = tensor._data
        self.dtype: DType = tensor.dtype
        self.layout: Layout = tensor.layout
        shape = self.array.shape
        if self.layout is Layout.TILE:
            self.extents = (*shape[:-2], *(-(-extent // TILE) for extent in shape[-2:]))
        else:
            self.extents = shape if shape else (1,)
            if not shape:
                self.array = self.array.reshape(1)
        self.region = region
        self.old: Array | None = None
        self.writable = False
        self.slices: dict[tuple[int, int, int, int], SimSlice] = {}
        self.reused = False
        self.types: dict[tuple[int, ...], BlockType] = {}
        self.two_dimensional_tiles = self.layout is Layout.TILE and len(self.extents) == 2


class SimSlice(TensorSlice, Value):
    """A view of a tensor, and the value that a copy of it into a block of the same rank puts there.

    ``bounds`` are (start, stop) per dimension; ``single`` marks integer indices (empty where there are none).
    """

    __slots__ = ("bounds", "extents", "single")

    def __init__(
        self,
        storage: Storage,
        bounds: tuple[tuple[int, int], ...],
        extents: tuple[int, ...],
        single: tuple[bool, ...],
        array: Array | None = None,
    ) -> None:
        self.storage: Storage = storage
        self.bounds = bounds
        self.extents = extents
        self.single = single
        type_ = storage.types.get(extents)
        if type_ is None:
            type_ = storage.types[extents] = BlockType.of(extents, storage.dtype, storage.layout)
        self.type = type_
        self.epoch = storage.region.epoch
        self.root = None
        self.exact = False
        if array is None:
            array = self.view(len(extents))
        self.array = array
        shape, elements = array.shape, type_.elements
        self.valid = None if shape == elements or shape[-2:] == elements[-2:] else (shape[-2], shape[-1])

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in tiles or elements; an integer index counts 1."""
        return self.extents

    def view(self, rank: int) -> Array:
        """The memory of the slice, unpadded, with integer-indexed leading dimensions dropped down to ``rank``."""
        storage = self.storage
        bounds = self.bounds
        if rank == 2 and storage.two_dimensional_tiles:
            (top, bottom), (left, right) = bounds
            return storage.array[top * TILE : bottom * TILE, left * TILE : right * TILE]
        index: list[Any] = [slice(start, stop) for start, stop in bounds]
        if storage.layout is _TILED:
            (top, bottom), (left, right) = bounds[-2:]
            index[-2:] = slice(top * TILE, bottom * TILE), slice(left * TILE, right * TILE)
        surplus = len(index) - rank
        if surplus > 0:
            for axis, is_single in enumerate(self.single):
                if is_single and surplus > 0:
                    index[axis] = bounds[axis][0]
                    surplus -= 1
        view: Array = storage.array[tuple(index)]
        return view

    def __repr__(self) -> str:
        inner = ", ".join(f"{start}:{stop}" for start, stop in self.bounds)
        return f"<tensor slice [{inner}] of {list(self.storage.tensor.shape)}>"


class Memory:
    """All tensors of one launch."""

    __slots__ = ("_engine", "_regions", "_storages", "changed", "originals", "writes")

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._storages: dict[int, Storage] = {}
        self._regions: list[tuple[int, int, Region]] = []
        self.writes: list[tuple[Storage, Array, Value]] = []
        # Whether any tensor was written after it had been read: then ``data`` finds what was read.
        self.changed = False
        # What each tensor held before it was first written: kept for ``--schedules``.
        self.originals: list[tuple[Tensor, Array]] = []

    def storage(self, tensor: Tensor) -> Storage:
        """The record of a tensor; made, and matched with its aliases, at first use."""
        known = self._storages.get(id(tensor))
        if known is not None:
            return known
        if tensor.shards is not None:
            return self.storage(self._shard(tensor.shards))
        start, stop = tensor._byte_range()
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
        """``tensor[index]`` while an operation runs (``ttl.host.hooks.TensorHooks``)."""
        kernel = self._engine.current
        if not kernel.moves_data:
            self._refuse_slice(kernel)
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
                known = slices.get(key)
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
        return self._make_slice(storage, index)

    def close(self) -> None:
        """Let go of the tensors: the launch is over."""
        for storage in self._storages.values():
            storage.slices.clear()
            storage.old = None
        self._storages.clear()
        self._regions.clear()

    def observe(self, tensor: Tensor) -> None:
        """Someone looks at the data of a tensor: carry out what is pending."""
        self._engine.flush()

    def text(self, tensor: Tensor) -> str:
        """What ``str(tensor)`` gives while an operation runs."""
        return show.tensor(self._engine, tensor)

    def _make_slice(self, storage: Storage, index: tuple[Any, ...]) -> SimSlice:
        extents = storage.extents
        if len(index) != len(extents):
            index = self._expand(storage, index)
        bounds = []
        lengths = []
        single = False
        for entry, extent in zip(index, extents):
            if type(entry) is slice:
                start, stop, step = entry.start, entry.stop, entry.step
                if start is None:
                    start = 0
                if stop is None:
                    stop = extent
                if type(start) is not int or type(stop) is not int or not (step is None or type(step) is int):
                    return self._make_slice(storage, self._normalise(storage, index))
                if not 0 <= start < stop <= extent or (step is not None and step != 1):
                    self._out_of_range(storage, index)
                bounds.append((start, stop))
                lengths.append(stop - start)
            elif type(entry) is int:
                if not 0 <= entry < extent:
                    self._out_of_range(storage, index)
                bounds.append((entry, entry + 1))
                lengths.append(1)
                single = True
            elif entry is Ellipsis:
                return self._make_slice(storage, self._expand(storage, index))
            else:
                return self._make_slice(storage, self._normalise(storage, index))
        singles = tuple([type(entry) is int for entry in index]) if single else ()
        return SimSlice(storage, tuple(bounds), tuple(lengths), singles)

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
            self._engine.flush()
        return Value(type, source.valid, source.view(len(type.shape)).copy())

    def write(self, value: Value, target: SimSlice, rank: int) -> None:
        """Record the write of a value to a slice; it takes effect in schedule order."""
        storage = target.storage
        region = storage.region
        if not storage.writable:
            self._open_for_writing(storage)
        if not region.written:
            region.written = True
        if region.read and not region.hazard:
            self._make_hazardous(region)
        region.pending_writes += 1
        usual = rank == len(target.extents) and target.epoch == region.epoch
        view = target.array if usual else target.view(rank)
        assert view is not None
        self.writes.append((storage, view, value))

    def commit(self) -> None:
        """Carry out the recorded writes. Their values are computed."""
        writes, self.writes = self.writes, []
        unrounded = self._engine.settings.precision == "fp32"
        for storage, view, value in writes:
            storage.region.pending_writes = 0
            array = value.array if value.storage is None else self.data(value)
            assert array is not None
            if array.shape != view.shape:
                array = _fit(array, view.shape)
            # Block floats are kept as float32: the array's type does not tell that it still is to be rounded.
            if array.dtype != view.dtype or (unrounded and storage.dtype.kind == "block_float"):
                array = storage.dtype.store(array)
            view[...] = array

    def data(self, value: Value) -> Array:
        """The array of a computed value: as it was when it was read, even if the tensor changed since."""
        array = value.array
        assert array is not None
        storage = value.storage
        if storage is None or storage.region.epoch == value.epoch or storage.old is None:
            return array
        base, old = storage.array, storage.old
        offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        if not 0 <= offset < base.nbytes:
            return array  # read before the tensor got memory of its own: nobody writes there
        return np.ndarray(array.shape, array.dtype, buffer=old.data, offset=offset, strides=array.strides)

    def _shard(self, shards: tuple[Tensor, ...]) -> Tensor:
        """The shard of the current node's device, of a tensor on a mesh that is no argument of the operation."""
        engine = self._engine
        if len(shards) == 1:
            return shards[0]
        if engine.device is not None and engine.device < len(shards):
            return shards[engine.device]
        devices = 1
        for extent in engine.grid[:-2]:
            devices *= extent
        if devices == len(shards):
            return shards[engine.node_index * devices // len(engine.nodes)]
        return engine.fail(
            error(
                "TTL0232",
                f"a tensor on a mesh of {len(shards)} devices in an operation that was not launched on them",
                notes=("an operation runs on the devices that the tensors among its arguments are on",),
                help="pass the tensor to the operation as an argument",
            )
        )

    def _open_for_writing(self, storage: Storage) -> None:
        if self._engine.settings.schedules > 1:
            self.originals.append((storage.tensor, storage.tensor._data.copy()))
        storage.tensor._writable()
        array = storage.tensor._data
        if array is not storage.array and storage.array.shape == array.shape:
            storage.array = array
            storage.slices.clear()
            storage.region.epoch += 1
        storage.writable = True

    def _make_hazardous(self, region: Region) -> None:
        """Freeze what was read so far; from now on every copy of this memory takes effect at once."""
        self._engine.flush()
        region.hazard = self.changed = True
        for storage in region.storages:
            storage.old = np.ascontiguousarray(storage.array).copy()
            storage.slices.clear()
        region.epoch += 1

    def _expand(self, storage: Storage, index: tuple[Any, ...]) -> tuple[Any, ...]:
        rank = len(storage.extents)
        if any(entry is Ellipsis for entry in index):
            position = next(i for i, entry in enumerate(index) if entry is Ellipsis)
            rest = index[position + 1 :]
            index = index[:position] + (slice(None),) * (rank - position - len(rest)) + rest
        if len(index) < rank:
            index = index + (slice(None),) * (rank - len(index))
        if len(index) > rank:
            self._engine.fail(
                error(
                    "TTL0505",
                    f"{len(index)} indices for a tensor of {rank} dimensions",
                    notes=(_extent_note(storage),),
                    help="give one index or slice per dimension of the tensor",
                )
            )
        return index

    def _normalise(self, storage: Storage, index: tuple[Any, ...]) -> tuple[Any, ...]:
        """Integers of other types (NumPy's, say) to int; anything else is an error."""
        result: list[Any] = []
        for entry in index:
            if isinstance(entry, slice):
                result.append(
                    slice(
                        self._bound(storage, index, entry.start),
                        self._bound(storage, index, entry.stop),
                        self._bound(storage, index, entry.step),
                    )
                )
            elif entry is Ellipsis:
                result.append(entry)
            elif is_int(entry):
                result.append(int(entry))
            else:
                self._engine.fail(
                    error(
                        "TTL0506",
                        f"a tensor slice is made of ints and slices, not {describe(entry)}",
                        help="use // for divisions that give indices"
                        if isinstance(entry, float)
                        else "write a[row, column], a[r0:r1, c0:c1] or a[row, :]",
                    )
                )
        return tuple(result)

    def _bound(self, storage: Storage, index: tuple[Any, ...], bound: Any) -> int | None:
        if bound is None:
            return None
        if not is_int(bound):
            self._out_of_range(storage, index)
        return operator.index(bound)

    def _refuse_slice(self, kernel: Kernel) -> NoReturn:
        where = f"compute kernel {kernel.name}" if kernel.is_compute else "the operation's body"
        self._engine.fail(
            error(
                "TTL0516",
                f"tensor slice taken in {where}",
                notes=("tensors live outside the node; only data movement kernels reach them",),
                help="slice the tensor in a data movement kernel, inside ttl.copy(...)",
            )
        )

    def _out_of_range(self, storage: Storage, index: tuple[Any, ...]) -> None:
        self._engine.fail(_slice_error(storage, index))


def _slice_error(storage: Storage, index: tuple[Any, ...]) -> Diagnostic:
    unit = "tiles" if storage.layout is Layout.TILE else "elements"
    for axis, (entry, extent) in enumerate(zip(index, storage.extents, strict=True)):
        note = (_extent_note(storage),)
        if not isinstance(entry, slice):
            if is_int(entry) and not 0 <= int(entry) < extent:
                return error(
                    "TTL0507",
                    f"index {int(entry)} is out of range in dimension {axis}, which has {_count(extent, unit)}",
                    notes=note,
                    help=(f"indices count {unit} from 0 to {extent - 1}" if extent > 1 else "the only index is 0")
                    + ("; a negative one does not count from the end" if entry < 0 else "")
                    + _element_hint(storage, axis, int(entry)),
                )
            continue
        start = 0 if entry.start is None else entry.start
        stop = extent if entry.stop is None else entry.stop
        wrong = [bound for bound in (start, stop, entry.step) if bound is not None and not is_int(bound)]
        if wrong:
            return error(
                "TTL0506",
                f"bounds of a tensor slice are ints, not {describe(wrong[0])}",
                notes=note,
                help="use // for divisions that give slice bounds",
            )
        if entry.step not in (None, 1):
            return error(
                "TTL0508",
                f"slice with step {entry.step} in dimension {axis}",
                notes=("a tensor slice is contiguous in tiles or elements",),
                help="copy the parts one by one, or permute the tensor on the host",
            )
        if stop <= start:
            return error(
                "TTL0509",
                f"empty slice {start}:{stop} in dimension {axis}",
                notes=note,
                help="a slice holds at least one of the dimension's " + unit,
            )
        if not (start >= 0 and stop <= extent):
            return error(
                "TTL0507",
                f"slice {start}:{stop} is out of range in dimension {axis}, which has {_count(extent, unit)}",
                notes=note,
                help=_element_hint(storage, axis, int(stop)).removeprefix("; ")
                or "clamp the last block, or guard it: if start < limit",
            )
    raise AssertionError("a slice that is legal after all")


def _element_hint(storage: Storage, axis: int, value: int) -> str:
    tiled_axis = storage.layout is Layout.TILE and axis >= len(storage.extents) - 2
    if tiled_axis and value % TILE == 0 and value // TILE <= storage.extents[axis]:
        return f"; indices of a tiled tensor count tiles, not elements: {value} elements are {_count(value // TILE, 'tiles')}"
    return ""


def _count(count: int, unit: str) -> str:
    return f"1 {unit.removesuffix('s')}" if count == 1 else f"{count} {unit}"


def _extent_note(storage: Storage) -> str:
    return f"the tensor is {describe_shape(storage.extents, storage.layout)}"


def _fit(array: Array, shape: tuple[int, ...]) -> Array:
    """Cut the padding off the last two dimensions, to the extents of an unpadded view.

    An array that is smaller comes from the edge of a padded tensor and goes to where another has data: zeros follow.
    """
    if len(shape) < 2 or array.ndim < 2:
        return array[..., : shape[-1]]
    cut = array[..., : shape[-2], : shape[-1]]
    if cut.shape[-2:] == shape[-2:]:
        return cut
    filled = np.zeros((*cut.shape[:-2], *shape[-2:]), cut.dtype)
    filled[..., : cut.shape[-2], : cut.shape[-1]] = cut
    return filled
