"""Golden tensors: what an operation should compute, by the name of its location."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum


class DataType(IntEnum):
    """What golden tensors may be stored as."""

    Float32 = 0
    Float16 = 1


@dataclass(frozen=True)
class GoldenTensor:
    """The values that an operation should give. ``strides`` count elements, ``data`` are the bytes in row-major order."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DataType
    data: bytes


def create_golden_tensor(
    name: str, shape: Sequence[int], strides: Sequence[int], dtype: DataType, pointer: int
) -> GoldenTensor:
    """A golden tensor of the memory at an address, of 4 bytes an element (2 for ``Float16``)."""
    import ctypes
    from math import prod

    size = prod(shape) * (2 if dtype is DataType.Float16 else 4)
    data = ctypes.string_at(pointer, size)
    return GoldenTensor(name, tuple(shape), tuple(strides), dtype, data)
