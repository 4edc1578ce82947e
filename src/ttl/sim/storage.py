"""Tensors that take part in a launch, and the ranges of memory that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl import control
from ttl.host.access import array_of
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array, DType
from ttl.rows.types import TILE, BlockType, Layout
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl._core import Region as _REGION
    from ttl._core import Storage as _STORAGE
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
        self.slices: dict[tuple[int, int, int, int], Any] = {}
        """``SimSlice``s that are kept for reuse."""
        self.reused = False
        # The writer of each part, as long as the tensor is not read.
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
