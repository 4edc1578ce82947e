"""The operations of an execution on the memory of a tensor: the only access from outside this folder."""

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
    """Return the elements for writing. Memory that has another user is copied first: the array may be another one."""
    return tensor._writable()


def byte_range(tensor: Tensor) -> tuple[int, int]:
    """Return the first address, and one past the last, of the memory that a tensor uses now."""
    return tensor._byte_range()


def untold_layout(tensor: Tensor) -> tuple[str, Span | None] | None:
    """Return the function that made a tensor row-major because the program gave no layout, and where; else None."""
    if tensor._untold is None:
        return None
    function, place = tensor._untold
    return function, place if isinstance(place, Span) or place is None else span_of_site(place)


def require_usable(tensor: Tensor) -> None:
    """Refuse a tensor that has no memory (TTL1009, TTL0268) or whose device is closed (TTL1010)."""
    tensor._check_usable()


def keeper_of(tensor: Tensor) -> MemoryOwner | None:
    """The owner of a tensor's memory, if that is not the tensor itself."""
    return tensor._keeper


def require_owner(tensor: Tensor) -> None:
    """Refuse to free a tensor by itself, because its memory belongs to another object (TTL0269)."""
    if tensor._keeper is not None:
        tensor._keeper.refuse_free(tensor)


def give_to(tensor: Tensor, keeper: MemoryOwner) -> None:
    """Hand the memory of a tensor over to an owner; the tensor has no memory until the owner gives it some."""
    tensor._deallocate()
    for part in (tensor, *(tensor.shards or ())):
        part._keeper = keeper


def give_memory(tensor: Tensor, other: Tensor) -> None:
    """Give memory to a kept tensor: that of another tensor of the same shape and type."""
    tensor._refill(other)


def take_memory(tensor: Tensor) -> None:
    """Take the memory of a kept tensor away."""
    tensor._deallocate()


def chip_of(device: Device) -> Chip:
    """The chip of a device."""
    return device._chip
