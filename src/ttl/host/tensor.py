"""``ttnn.Tensor``: an array in row-major memory with TT-NN's properties.

Padding is virtual: the array has the logical shape, reading a tile gives zeros outside it, and
writes one drops them. So no value of the padding can reach ``to_torch``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, NoReturn, Protocol

import numpy as np

from ttl import control
from ttl.host import storage
from ttl.host.calling import checked
from ttl.host.device import Device
from ttl.host.errors import Code, MissingNameError, fail, placed
from ttl.host.memory import DRAM_MEMORY_CONFIG, MemoryConfig, ShardSpec, StorageType, Tile
from ttl.host.names import nearest
from ttl.host.operators import TensorOperators, late, method
from ttl.host.shape import Shape, padded, stored, trusted, volume
from ttl.host.storage import TensorMemory
from ttl.rows.dtypes import Array, DType
from ttl.rows.types import Layout
from ttl.source.spans import Site, Span

__all__ = ("Tensor",)


class TensorHooks(Protocol):
    """The behaviour of tensors while an operation runs. The simulator sets ``ACTIVE``; this package only asks."""

    def slice(self, tensor: Tensor, index: Any) -> Any:
        """Return ``tensor[index]``: a tensor slice, in tiles or elements."""

    def observe(self, tensor: Tensor) -> None:
        """Make the data of a tensor up to date: they are about to be read."""

    def text(self, tensor: Tensor) -> str:
        """Return ``str(tensor)``."""


class MemoryOwner(Protocol):
    """The owner of the memory of tensors, which allocates and frees it: ``ttl.SRAMStorage``."""

    def refuse(self, tensor: Tensor) -> NoReturn:
        """The error for using a tensor that has no memory yet, or any more."""

    def refuse_free(self, tensor: Tensor) -> NoReturn:
        """The error for deallocating a tensor by itself."""


ACTIVE: ContextVar[TensorHooks | None] = ContextVar("ttl_tensor_hooks", default=None)


@checked
@control.accelerated
class Tensor(control.base("TensorBase"), TensorOperators):  # type: ignore[misc]
    """A tensor.

    ``shape`` and ``padded_shape`` are in elements; ``dtype`` is a ``ttnn.DataType``; ``layout`` a
    ``ttnn.Layout``. ``shards`` holds one tensor per device, row by row of the mesh, for a tensor on a mesh
    of devices, whose ``shape`` is that of one shard; for every other tensor it is None.

    Inside a kernel ``tensor[...]`` is a tensor slice, in tiles or elements (specification section "Tensor
    slice"); elsewhere it is TT-NN's slicing, in elements, and makes a new tensor.
    """

    __slots__ = (
        "__weakref__",
        "_data",
        "_deallocated",
        "_device",
        "_keeper",
        "_memory_config",
        "_owner",
        "_shared",
        "_untold",
        "dtype",
        "layout",
        "padded_shape",
        "shape",
        "shards",
    )  # fmt: skip

    _data: Array
    dtype: DType
    layout: Layout
    shape: Shape
    padded_shape: Shape
    shards: tuple[Tensor, ...] | None
    _owner: Any
    # The function that made it row-major because the program gave no layout, and the place.
    _untold: tuple[str, Site | Span | None] | None
    _shared: bool
    _deallocated: bool
    _device: Device | None
    _memory_config: MemoryConfig
    # The owner of its memory, if that is another object.
    _keeper: MemoryOwner | None

    def __init__(
        self, data: Any, dtype: DType | None = None, layout: Any = None, device: Device | None = None
    ) -> None:
        """A tensor from a torch tensor, a NumPy array, a list or a number; like ``ttnn.from_torch``."""
        self._become(late("from_any", "convert")(data, dtype, layout=layout, device=device))

    def _become(self, other: Tensor) -> None:
        for name in Tensor.__slots__[1:]:
            if hasattr(other, name) or name != "_data":
                setattr(self, name, getattr(other, name))

    # -- made by this package ------------------------------------------------------------------------

    @classmethod
    def _of(
        cls,
        memory: TensorMemory,
        shape: tuple[int, ...],
        dtype: DType,
        layout: Layout,
        device: Device | None = None,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
    ) -> Tensor:
        """A tensor over memory that has the elements of ``shape``."""
        self = cls._bare(shape, dtype, layout, device, memory_config)
        self._data = memory.array.reshape(stored(shape, layout))
        self._owner = memory.owner
        self._shared = memory.shared
        return self

    @classmethod
    def _of_shards(cls, shards: tuple[Tensor, ...], device: Device | None) -> Tensor:
        """A tensor on a mesh, from one tensor per device."""
        first = shards[0]
        self = cls._bare(tuple(first.shape), first.dtype, first.layout, device, first._memory_config)
        self._owner = None
        self._shared = False
        self.shards = shards
        return self

    @classmethod
    def _bare(
        cls, shape: tuple[int, ...], dtype: DType, layout: Layout, device: Device | None, config: MemoryConfig
    ) -> Tensor:
        if ACTIVE.get() is not None:
            fail(
                Code.IN_OPERATION,
                f"a tensor of shape {tuple(shape)} is made while an operation runs",
                notes=("TT-NN functions run on the host, before or after an operation, not on its nodes",),
                help="make it before the call and pass it as an argument; inside, compute on blocks",
            )
        self = cls.__new__(cls)
        self.shape = trusted(tuple(shape))
        self.padded_shape = padded(shape, layout)
        self.dtype = dtype
        self.layout = layout
        self._device = device
        self._memory_config = config
        self._deallocated = False
        self.shards = None
        self._untold = None
        self._keeper = None
        return self

    # -- for the simulator and for this package --------------------------------------------------------

    def _memory(self) -> TensorMemory:
        return TensorMemory(self._data, self._owner, self._shared)

    def _replace(self, memory: TensorMemory) -> None:
        """Other contents of the same shape and type."""
        self._data = memory.array.reshape(self._data.shape)
        self._owner = memory.owner
        self._shared = memory.shared

    def _refill(self, other: Tensor) -> None:
        """Set the contents to those of a tensor of the same shape and type, even after this one was deallocated."""
        self._deallocated = False
        for mine, its in zip(self.shards or (), other.shards or (), strict=True):
            mine._refill(its)
        if self.shards is None:
            memory = other._alias()
            self._data, self._owner, self._shared = (
                memory.array.reshape(other._data.shape),
                memory.owner,
                True,
            )

    def _alias(self) -> TensorMemory:
        """Return the tensor's memory for another tensor. From now on, writing either of the two copies it first."""
        self._shared = True
        return TensorMemory(self._data, self._owner, True)

    def _writable(self) -> Array:
        """The array, for writing. Where the memory has another user, ``_data`` becomes a copy first."""
        if self._shared or not self._data.flags.writeable:
            self._replace(storage.copied(self._memory(), self.dtype))
        return self._data

    def _byte_range(self) -> tuple[int, int]:
        """First address, and one past the last, of the memory the tensor uses now."""
        start = int(self._data.__array_interface__["data"][0])
        return start, start + self._data.nbytes

    def _check_usable(self) -> None:
        """An error when the tensor was deallocated or its device closed."""
        if self._deallocated:
            self._fail_deallocated()
        if self._device is not None and not self._device._open:
            fail(
                Code.CLOSED,
                f"a tensor of shape {tuple(self.shape)} is on device {self._device.id()}, which is closed",
                help="take the data off the device (ttnn.to_torch) before ttnn.close_device",
            )

    def _observe(self) -> None:
        """Make the data up to date; an error when it is gone."""
        self._check_usable()
        hooks = ACTIVE.get()
        if hooks is not None:
            hooks.observe(self)

    def _free(self) -> None:
        """Deallocate the tensor for the user. Raises TTL0269 where its memory belongs to another object."""
        if self._keeper is not None:
            self._keeper.refuse_free(self)
        self._deallocate()

    def _deallocate(self) -> None:
        if not self._deallocated:
            for shard in self.shards or ():
                shard._deallocate()
            self._deallocated = True
            self._owner = None
            if self.shards is None:
                del self._data

    def _fail_deallocated(self) -> None:
        if self._keeper is not None:
            self._keeper.refuse(self)
        fail(
            Code.DEALLOCATED,
            f"a tensor of shape {tuple(self.shape)} is used after it was deallocated",
            help="move ttnn.deallocate behind the last use of the tensor",
        )

    def __getattr__(self, name: str) -> Any:
        # Only reached for missing attributes: the data of a deallocated tensor, or a wrong name.
        if name in Tensor.__slots__:
            if name == "_data" and self._deallocated:
                self._fail_deallocated()
            raise AttributeError(name)
        if name.startswith("__"):
            raise AttributeError(name)
        near = nearest(name, control.public_names(Tensor))
        raise MissingNameError(
            placed(Code.UNKNOWN_NAME, f"a ttnn.Tensor has no attribute '{name}'", help=near)
        )

    # -- TT-NN's properties ----------------------------------------------------------------------------

    @property
    def tile(self) -> Tile:
        """The tile: 32 by 32 elements."""
        return Tile()

    def device(self) -> Device | None:
        """The device (or mesh) the tensor is on, None on the host."""
        return self._device

    def memory_config(self) -> MemoryConfig:
        """Where it lives."""
        return self._memory_config

    def is_sharded(self) -> bool:
        """Whether the tensor is sharded over cores."""
        return self._memory_config.is_sharded()

    @property
    def shard_spec(self) -> ShardSpec | None:
        """The tensor's 2-D shards."""
        return self._memory_config.shard_spec

    def storage_type(self) -> StorageType:
        """Host or device."""
        return StorageType.HOST if self._device is None else StorageType.DEVICE

    def is_allocated(self) -> bool:
        """Whether the tensor has not been deallocated."""
        return not self._deallocated

    def get_dtype(self) -> DType:
        """The element type."""
        return self.dtype

    def get_layout(self) -> Layout:
        """The layout."""
        return self.layout

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.dtype.element_bytes

    def volume(self) -> int:
        """How many elements, padding included."""
        return volume(self.padded_shape)

    def logical_volume(self) -> int:
        """How many elements, without padding."""
        return volume(self.shape)

    def buffer_address(self) -> int:
        """Where its memory begins in each bank of its device that has a part of it; of the host's, the address there."""
        first = self if self.shards is None else self.shards[0]
        if self._device is None:
            return first._byte_range()[0]
        self._observe()
        return late("address_of", "programs")(first)  # type: ignore[no-any-return]

    # -- conversions -------------------------------------------------------------------------------------

    to_torch = method("to_torch")
    to_numpy = numpy = method("to_numpy")

    def cpu(self, blocking: bool = True, **options: Any) -> Tensor:
        """``ttnn.from_device(tensor)``."""
        return late("from_device")(self)  # type: ignore[no-any-return]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        values: Array = self.to_numpy()
        return np.array(values, dtype=dtype) if copy or dtype is not None else values

    def to_list(self) -> Any:
        """Nested lists of numbers."""
        return self.to_numpy().tolist()

    tolist = to_list

    def item(self) -> Any:
        """The only element as a number."""
        if self.logical_volume() != 1:
            fail(
                Code.SHAPES,
                f"item() of a tensor of shape {tuple(self.shape)}, which has more than one element",
            )
        return self.to_numpy().item()

    def to(self, target: Any, *more: Any, **options: Any) -> Tensor:
        """The tensor in another layout, or on a device: ``tensor.to(ttnn.TILE_LAYOUT)``, ``tensor.to(device)``."""
        if isinstance(target, Layout):
            return late("to_layout")(self, target)  # type: ignore[no-any-return]
        config = next(iter(more), options.get("memory_config"))
        return late("to_device")(self, target, memory_config=config)  # type: ignore[no-any-return]

    def deallocate(self, force: bool = True) -> None:
        """``ttnn.deallocate(tensor)``."""
        self._free()

    # -- shape -------------------------------------------------------------------------------------------

    def reshape(self, *shape: Any) -> Tensor:
        """``ttnn.reshape(tensor, shape)``."""
        return late("reshape")(self, shape[0] if len(shape) == 1 else shape)  # type: ignore[no-any-return]

    def __getitem__(self, index: Any) -> Any:
        hooks = ACTIVE.get()
        if hooks is not None:
            return hooks.slice(self, index)
        return late("item", "indexing")(self, index)

    def __len__(self) -> int:
        if not self.shape:
            fail(Code.SHAPES, "a tensor with no dimensions has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        for position in range(len(self)):
            yield self[position]

    def __str__(self) -> str:
        hooks = ACTIVE.get()
        if hooks is not None:
            return hooks.text(self)
        return _described(self)

    __repr__ = __str__

    def __bool__(self) -> bool:
        return bool(self.item())


def _described(tensor: Tensor) -> str:
    """How a tensor prints outside of kernels: values (shortened), shape, type and layout on a few lines."""
    tail = f"shape={tensor.shape!r}, dtype=ttnn.{tensor.dtype}, layout=ttnn.{tensor.layout}_LAYOUT"
    if not tensor.is_allocated():
        return f"ttnn.Tensor(deallocated, {tail})"
    tensor._observe()
    if tensor.shards is None:
        return f"ttnn.Tensor({_values(tensor)}, {tail})"
    lines = [f"shard {number}: {_values(shard)}" for number, shard in enumerate(tensor.shards)]
    return "\n".join([f"ttnn.Tensor(on a mesh of {len(tensor.shards)} devices, {tail})", *lines])


def _values(tensor: Tensor) -> str:
    values = tensor.dtype.load(tensor._data).reshape(tensor.shape)
    return np.array2string(
        values, separator=", ", precision=4, threshold=64, edgeitems=3, prefix="ttnn.Tensor("
    )


control.register(tensor=Tensor)
