"""Tables of elements, ``dense<...>``: one value repeated is kept once.

xDSL keeps the bytes of all elements, also where they are the same, so that a constant of a large tensor takes the memory
of that tensor. Here, as in MLIR, such an attribute has the bytes of one element, whatever its shape; two spellings of
it are one attribute. All that makes or reads these attributes does so by way of this module, as xDSL's own
readers take the number of elements from the bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, IntegerType


def dense(type: Any, values: Sequence[Any]) -> DenseIntOrFPElementsAttr[Any]:
    """Return the attribute with the elements of a shaped type, row by row; a single value stands for all of them.

    Raises ``ValueError`` if their number is neither that of the type nor 1, or an integer does not fit the element
    type.
    """
    count = math.prod(type.get_shape())
    if len(values) not in (1, count):
        raise ValueError(
            f"expected {count} elements for '{type}', or one for all of them, but got {len(values)}"
        )
    element = type.element_type
    if isinstance(element, IntegerType):
        values = [element.get_normalized_value(value) for value in values]
    return dense_of_bytes(type, element.pack(values))


def dense_of_bytes(type: Any, data: bytes) -> DenseIntOrFPElementsAttr[Any]:
    """Make the attribute from bytes in xDSL's form: the bytes of all elements, or of the repeated one."""
    size: int = type.element_type.compile_time_size
    return DenseIntOrFPElementsAttr(type, BytesAttr(data[:size] if _repeats(data, size) else data))


def count_of(attribute: DenseIntOrFPElementsAttr[Any]) -> int:
    """Return the number of elements."""
    return math.prod(attribute.type.get_shape())


def is_splat(attribute: DenseIntOrFPElementsAttr[Any]) -> bool:
    """Return whether all elements are stored as one value; False if no value is stored."""
    return _repeats(attribute.data.data, attribute.type.element_type.compile_time_size)


def first_of(attribute: DenseIntOrFPElementsAttr[Any]) -> Any:
    """Return the first element, which is the repeated one in a splat."""
    return _unpacked(attribute, 0)


def value_at(attribute: DenseIntOrFPElementsAttr[Any], index: int) -> Any:
    """Return an element by its number, row by row. Raises ``IndexError``."""
    if not 0 <= index < count_of(attribute):
        raise IndexError("attempt to access out of bounds element")
    size = attribute.type.element_type.compile_time_size
    return _unpacked(attribute, 0 if len(attribute.data.data) == size else index)


def values_of(attribute: DenseIntOrFPElementsAttr[Any]) -> Sequence[Any]:
    """Return the stored values: one for a splat, else all."""
    data = attribute.data.data
    element = attribute.type.element_type
    return tuple(element.unpack(data, len(data) // element.compile_time_size))


def iter_values(attribute: DenseIntOrFPElementsAttr[Any]) -> Iterator[Any]:
    """Iterate over the values of all elements, row by row."""
    values = values_of(attribute)
    return repeat(values[0], count_of(attribute)) if len(values) == 1 else iter(values)


def _unpacked(attribute: DenseIntOrFPElementsAttr[Any], index: int) -> Any:
    element = attribute.type.element_type
    size = element.compile_time_size
    return element.unpack(attribute.data.data[index * size : (index + 1) * size], 1)[0]


def _repeats(data: bytes, size: int) -> bool:
    if len(data) <= size:
        return len(data) == size
    # Compare piece by piece: most tables differ at the start, and a copy of a large one would be slow.
    piece = data[:size] * max(1, 65536 // size)
    whole = len(data) // len(piece) * len(piece)
    return piece.startswith(data[whole:]) and all(
        data.startswith(piece, at) for at in range(0, whole, len(piece))
    )


# Reading


def number_of_bits(element: Any, text: str) -> float | None:
    """Return the float with the bits ``text``, a hexadecimal number; None if there are too many bits for the type."""
    size: int = element.compile_time_size
    bits = int(text, 16)
    return None if bits >> 8 * size else float(element.unpack(bits.to_bytes(size, "little"), 1)[0])


def bytes_of_hex(type: Any, text: str) -> bytes | None:
    """Return the elements in the hexadecimal digits ``text``, in xDSL's form; None if the number of bytes is wrong."""
    data = bytes.fromhex(text)
    count = math.prod(type.get_shape())
    element = type.element_type
    if isinstance(element, IntegerType) and element.width.data == 1:
        if len(data) == 1 and data in (b"\x00", b"\xff"):
            return data
        # MLIR stores eight truth values in a byte; xDSL one, where true is -1.
        if len(data) != (count + 7) // 8:
            return None
        return bytes(element.pack([-(data[at >> 3] >> (at & 7) & 1) for at in range(count)]))
    size: int = element.compile_time_size
    return data if len(data) in (size, count * size) else None
