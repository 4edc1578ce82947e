"""Tensors that take part in a launch, and slices of them: what ``rules.slices`` makes of an index, or its error.

A slice that is copied into a block is a view of the tensor's memory: nothing is copied as long as nobody writes to
that memory (``memory`` sees to the rest).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ttl import control
from ttl.diag import Diagnostic
from ttl.host.access import array_of
from ttl.host.tensor import Tensor
from ttl.lang.transfers import TensorSlice
from ttl.rows.dtypes import Array, DType
from ttl.rows.types import TILE, BlockType, Layout
from ttl.rules.slices import slice_outside, slice_part
from ttl.sim.values import Value
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl._core import Region as _REGION
    from ttl._core import Slice as _SLICE
    from ttl._core import Storage as _STORAGE
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel

_TILED = Layout.TILE
# The kernel that wrote, and where.
Writer = tuple["Kernel", Site]


if not TYPE_CHECKING:
    _REGION = control.base("Region", ("epoch", "hazard", "pending_writes", "read", "storages", "written"))
    _STORAGE = control.base(
        "Storage",
        (
            "array", "dtype", "extents", "layout", "old", "parts_written", "region", "reused", "slices", "tensor",
            "two_dimensional_tiles", "types", "writable",
        ),
    )  # fmt: skip


class Region(_REGION):
    """A range of memory that one or more tensors of the launch share."""

    __slots__ = ()

    def __init__(self) -> None:
        self.read = False
        self.written = False
        self.hazard = False
        self.epoch = 0
        self.pending_writes = 0
        self.storages: list[Storage] = []


class Storage(_STORAGE):
    """A tensor taking part in a launch. ``extents`` are in the layout's unit, ``array`` is unpadded."""

    __slots__ = () if not control.NATIVE else ("slices",)

    def __init__(self, tensor: Tensor, region: Region) -> None:
        self.tensor = tensor
        self.array: Array = array_of(tensor)
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
        # Who wrote which part, as long as nobody reads the tensor.
        self.parts_written: dict[tuple[tuple[int, int], ...], Writer] = {}
        self.types: dict[tuple[int, ...], BlockType] = {}
        self.two_dimensional_tiles = self.layout is Layout.TILE and len(self.extents) == 2
        if control.NATIVE:
            self.tiled = self.layout is Layout.TILE

    def type_of(self, extents: tuple[int, ...]) -> BlockType:
        """Type of a slice with these extents, in tiles or elements."""
        type_ = self.types.get(extents)
        if type_ is None:
            type_ = self.types[extents] = BlockType.of(extents, self.dtype, self.layout)
        return type_


if not TYPE_CHECKING:
    _SLICE = control.base("Slice", ("bounds", "extents", "single"), Value)


@control.accelerated
class SimSlice(_SLICE, TensorSlice, Value):
    """A view of a tensor, and the value that a copy of it into a block of the same rank puts there.

    ``bounds`` are (start, stop) per dimension; ``single`` marks integer indices (empty if no index is an integer).
    """

    __slots__ = ()

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
        self.type = type_ = storage.type_of(extents)
        self.epoch = storage.region.epoch
        self.root = None
        self.exact = False
        if array is None:
            array = self.view(len(extents))
        self.array = array
        shape, elements = array.shape, type_.elements
        self.valid = None if shape == elements or shape[-2:] == elements[-2:] else (shape[-2], shape[-1])

    @property
    def layout(self) -> Layout:
        """Of the tensor."""
        return self.type.layout

    @property
    def dtype(self) -> DType:
        """Of the tensor."""
        return self.type.dtype

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


def make_slice(engine: Engine, storage: Storage, index: tuple[Any, ...]) -> SimSlice:
    """The slice of a tensor that ``index``, a tuple, means; an error at the user's line if it means none."""
    part = slice_part(index, storage.extents, storage.layout)
    if isinstance(part, Diagnostic) and engine.pending.suspended:
        # An experiment with a deadlock: a kernel that continues once too often is about to leave its tensors.
        part = slice_part(tuple(map(_at_the_start, index)), storage.extents, storage.layout)
    if isinstance(part, Diagnostic):
        engine.fail(part)
    bounds, extents, single = part
    return SimSlice(storage, bounds, extents, single)


def _at_the_start(index: Any) -> Any:
    """As much of a dimension, from its start."""
    if isinstance(index, int):
        return 0
    if isinstance(index, slice) and isinstance(index.start, int) and isinstance(index.stop, int):
        return slice(0, index.stop - index.start)
    return index


def refuse_slice(engine: Engine, kernel: Kernel) -> NoReturn:
    """Report a slice that is not taken in a data movement kernel."""
    engine.fail(slice_outside(kernel.what))


control.register(slice=SimSlice)
