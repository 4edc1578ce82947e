"""What an execution may do with the memory of a tensor: the one door into it from outside this folder."""

from __future__ import annotations

from ttl.arch import Chip
from ttl.host.device import Device
from ttl.host.tensor import MemoryOwner, Tensor
from ttl.rows.dtypes import Array
from ttl.source.spans import Span, span_of_site


def array_of(tensor: Tensor) -> Array:
    """The elements as they are stored, row-major and without padding. Not to be written."""
    return tensor._data


def writable_array(tensor: Tensor) -> Array:
    """The same for writing. Memory that somebody else uses, too, is copied first: the array may be another one."""
    return tensor._writable()


def byte_range(tensor: Tensor) -> tuple[int, int]:
    """First address, and one past the last, of the memory a tensor uses now."""
    return tensor._byte_range()


def untold_layout(tensor: Tensor) -> tuple[str, Span | None] | None:
    """The function that made a tensor row-major because the program did not say a layout, and where; None for others."""
    if tensor._untold is None:
        return None
    function, place = tensor._untold
    return function, place if isinstance(place, Span) or place is None else span_of_site(place)


def require_usable(tensor: Tensor) -> None:
    """An error when a tensor has no memory (TTL1009, TTL0268) or its device is closed (TTL1010)."""
    tensor._check_usable()


def keeper_of(tensor: Tensor) -> MemoryOwner | None:
    """The owner of a tensor's memory, if that is not the tensor itself."""
    return tensor._keeper


def require_owner(tensor: Tensor) -> None:
    """An error for a tensor that cannot be freed by itself, because its memory is somebody else's (TTL0269)."""
    if tensor._keeper is not None:
        tensor._keeper.refuse_free(tensor)


def give_to(tensor: Tensor, keeper: MemoryOwner) -> None:
    """From now on somebody else has the memory of a tensor, which is without until it is given some."""
    tensor._deallocate()
    for part in (tensor, *(tensor.shards or ())):
        part._keeper = keeper


def give_memory(tensor: Tensor, other: Tensor) -> None:
    """Memory for a kept tensor: that of another one of the same shape and type."""
    tensor._refill(other)


def take_memory(tensor: Tensor) -> None:
    """A kept tensor loses its memory."""
    tensor._deallocate()


def chip_of(device: Device) -> Chip:
    """The chip of a device."""
    return device._chip
