"""What an execution may do with the memory of a tensor: the one door into it from outside this folder."""

from __future__ import annotations

from ttl.host.tensor import Tensor
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
