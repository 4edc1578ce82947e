"""Golden tensors: the expected results of operations, by the name of their location."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from ttl.source.public_names import known_as


@known_as("DataType")
class GoldenDataType(IntEnum):
    """The types in which golden tensors may be stored."""

    Float32 = 0
    Float16 = 1


DataType = GoldenDataType


@dataclass(frozen=True)
class GoldenTensor:
    """The expected result of an operation. ``strides`` count elements, ``data`` are the bytes in row-major order."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: GoldenDataType
    data: bytes


def create_golden_tensor(
    name: str, shape: Sequence[int], strides: Sequence[int], dtype: GoldenDataType, pointer: int
) -> GoldenTensor:
    """A golden tensor of the memory at an address, of 4 bytes an element (2 for ``Float16``).

    Raises ``ValueError`` for the address 0.
    """
    import ctypes
    from math import prod

    if pointer == 0:
        raise ValueError(f"the golden tensor {name} has no memory: its address is 0")
    size = prod(shape) * (2 if dtype is GoldenDataType.Float16 else 4)
    data = ctypes.string_at(pointer, size)
    return GoldenTensor(name, tuple(shape), tuple(strides), dtype, data)


class SharedVoidPtr:
    """A handle of a module, passed around by other tools; as in the real bindings, it does nothing else."""

    def __init__(self) -> None:
        self._module: object = None

    def from_ttnn(self, module: object) -> None:
        """Keep a module alive."""
        self._module = module
