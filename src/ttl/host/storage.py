"""Memory behind tensors, shared with torch without copying and without surprises.

An array that torch and a tensor both use must not change under either of them. torch has copy-on-write
storage for that: a lazy clone shares the bytes until torch writes to one of the two. Our own side keeps to
the same rule with ``TensorMemory.shared``: each write (``Tensor._writable``) copies shared memory first.
Where torch cannot do it (an older version, memory that is not torch's, a NumPy array that views it), the
bytes are copied.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ttl.host.errors import Code, fail
from ttl.host.shape import volume
from ttl.rows.dtypes import BFLOAT16, FLOAT16, FLOAT32, INT32, UINT8, UINT16, UINT32, Array, DType

# More than the DRAM of any card: a tensor that is larger comes from a mistake.
LARGEST_BYTES = 2**38

# The name of the torch type with the same bytes as our storage; torch.float32 for element types that are not here.
_TORCH_STORAGE = {
    BFLOAT16: "bfloat16",
    FLOAT32: "float32",
    FLOAT16: "float16",
    INT32: "int32",
    UINT32: "int32",
    UINT16: "int16",
    UINT8: "uint8",
}


class TensorMemory(NamedTuple):
    """An array, the torch tensor that owns its bytes (None: NumPy does), and whether the bytes have another user."""

    array: Array
    owner: Any = None
    shared: bool = False


def torch_or_none() -> Any | None:
    """torch, imported now if need be, or None where it is not installed."""
    return sys.modules["torch"] if "torch" in sys.modules else _import_torch()


@cache
def _import_torch() -> Any | None:
    try:
        return import_module("torch")
    except ImportError:
        return None


def torch_if_imported() -> Any | None:
    """torch, if the program has imported it already."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "uint8") and hasattr(torch, "empty") else None


def torch_dtype(torch: Any, dtype: DType) -> Any:
    """The torch type with the bytes of a storage type; block floats are held as float32."""
    return getattr(torch, _TORCH_STORAGE.get(dtype, "float32"))


def empty(shape: tuple[int, ...], dtype: DType) -> TensorMemory:
    """Memory with undefined contents: torch's, if the program uses torch, so that it can be shared with it."""
    check_size(shape, dtype)
    torch = torch_if_imported()
    if torch is None:
        return TensorMemory(np.empty(shape, dtype.storage))
    return own(torch.empty(shape, dtype=torch_dtype(torch, dtype), device="cpu"), dtype)


def zeros(shape: tuple[int, ...], dtype: DType) -> TensorMemory:
    """Memory of zeros."""
    check_size(shape, dtype)
    torch = torch_if_imported()
    if torch is None:
        return TensorMemory(np.zeros(shape, dtype.storage))
    return own(torch.zeros(shape, dtype=torch_dtype(torch, dtype), device="cpu"), dtype)


def check_size(shape: tuple[int, ...], dtype: DType) -> None:
    """An error when a tensor is larger than any chip can hold (TTL1023)."""
    size = volume(shape) * dtype.storage.itemsize
    if size > LARGEST_BYTES:
        fail(
            Code.TOO_LARGE,
            f"a tensor of shape {shape} takes {size / 2**30:,.0f} GiB, more than the {LARGEST_BYTES / 2**30:,.0f} GiB "
            "that one tensor can have",
            help="a chip has less DRAM than that; use a smaller tensor, or shards on a mesh of devices",
        )


def copied(memory: TensorMemory, dtype: DType) -> TensorMemory:
    """Return a copy of memory."""
    fresh = empty(memory.array.shape, dtype)
    np.copyto(fresh.array, memory.array)
    return fresh


def own(tensor: Any, dtype: DType) -> TensorMemory:
    """Return memory of a contiguous torch tensor that has no other user."""
    return TensorMemory(_bytes_of(tensor).numpy().view(dtype.storage), tensor)


def share(tensor: Any, dtype: DType) -> TensorMemory:
    """Return memory of a user's contiguous torch tensor with its current contents; shared with torch if possible."""
    torch = torch_or_none()
    assert torch is not None
    lazy = _lazy_clone(torch, tensor) if _nobody_else_uses(torch, tensor) else None
    if lazy is None:
        return own(tensor.clone(memory_format=torch.contiguous_format), dtype)
    view = _View(torch._C._data_address(lazy), tuple(lazy.shape), dtype.storage.str, lazy)
    return TensorMemory(np.asarray(view), lazy, True)


def lend(memory: TensorMemory, dtype: DType) -> Any:
    """Return a torch tensor with these contents, which the caller may change. The bytes are not copied if possible.

    Never the owner itself: torch may move a copy-on-write tensor's bytes to another address, and the array
    would be left behind.
    """
    torch = torch_or_none()
    assert torch is not None
    if memory.owner is not None:
        lazy = _lazy_clone(torch, memory.owner)
        return (memory.owner.clone() if lazy is None else lazy).view(memory.array.shape)
    copy = np.array(memory.array, order="C")
    if copy.dtype.kind == "u" and copy.dtype.itemsize > 1:  # torch has these only as signed integers
        copy = copy.view(f"i{copy.dtype.itemsize}")
    return torch.from_numpy(copy).view(torch_dtype(torch, dtype))


class _View:
    """Makes an array of an address; the torch tensor keeps it alive. Read-only."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: int, shape: tuple[int, ...], typestr: str, owner: Any) -> None:
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (address, True), "version": 3}
        self.owner = owner


def _lazy_clone(torch: Any, tensor: Any) -> Any | None:
    """A tensor that shares the bytes until one of the two is written, or None where torch can't do it."""
    if not hasattr(torch, "_lazy_clone") or not hasattr(torch._C, "_data_address") or tensor.numel() == 0:
        return None
    try:
        return torch._lazy_clone(tensor)
    except RuntimeError:  # memory that is not torch's
        return None


def _nobody_else_uses(torch: Any, tensor: Any) -> bool:
    """Whether the bytes of ``tensor`` have no other user.

    A view, a NumPy array or a detached alias also counts as a user of the storage; writing through one of
    those may bypass torch, so then the bytes are copied.
    """
    return hasattr(torch._C, "_storage_Use_Count") and _users(torch, tensor) <= _users_of_one(torch)


def _users(torch: Any, tensor: Any) -> int:
    return int(torch._C._storage_Use_Count(tensor.untyped_storage()._cdata))


@cache
def _users_of_one(torch: Any) -> int:
    """Return the number of users that torch counts for the storage of a tensor without other users."""
    return _users(torch, torch.zeros(1, device="cpu"))


def _bytes_of(tensor: Any) -> Any:
    """The tensor seen as a type that NumPy has too."""
    torch = torch_or_none()
    assert torch is not None
    return tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
