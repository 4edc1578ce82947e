"""Slices of tensors that take part in a launch: the result of ``rules.slices`` for an index, or its error.

A slice that is copied into a block is a view of the tensor's memory: nothing is copied until that memory is written (``memory``
handles that).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ttl import control
from ttl.diag import Diagnostic
from ttl.lang.transfers import TensorSlice
from ttl.rows.dtypes import Array, DType
from ttl.rows.types import TILE, Layout
from ttl.rules.slices import slice_outside, slice_part
from ttl.sim.storage import Storage
from ttl.sim.values import Value

if TYPE_CHECKING:
    from ttl._core import Slice as _SLICE
    from ttl.sim.kernel import Kernel, RunningLaunch

_TILED = Layout.TILE

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
        """The layout of the tensor."""
        return self.type.layout

    @property
    def dtype(self) -> DType:
        """The element type of the tensor."""
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


def make_slice(engine: RunningLaunch, storage: Storage, index: tuple[Any, ...]) -> SimSlice:
    """The slice of a tensor for ``index``, a tuple. Raises an error at the user's line if the index is not valid."""
    part = slice_part(index, storage.extents, storage.layout)
    if isinstance(part, Diagnostic) and engine.pending.suspended:
        # An experiment with a deadlock: a kernel that continues once too often is about to leave its tensors.
        part = slice_part(tuple(map(_at_the_start, index)), storage.extents, storage.layout)
    if isinstance(part, Diagnostic):
        engine.fail(part)
    bounds, extents, single = part
    return SimSlice(storage, bounds, extents, single)


def _at_the_start(index: Any) -> Any:
    """Return an index of the same extent from the start of the dimension."""
    if isinstance(index, int):
        return 0
    if isinstance(index, slice) and isinstance(index.start, int) and isinstance(index.stop, int):
        return slice(0, index.stop - index.start)
    return index


def refuse_slice(engine: RunningLaunch, kernel: Kernel) -> NoReturn:
    """Report a slice that is not taken in a data movement kernel."""
    engine.fail(slice_outside(kernel.what))


control.register(slice=SimSlice)
