"""Single elements of blocks in data movement kernels (0.18, "Raw element access"; 0.21, "Reading an index")."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from math import isfinite
from numbers import Real
from types import MappingProxyType

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import AcquireBlock, Rewrite, WholeDivision
from ttl.diag.values import is_int
from ttl.diag.words import counted
from ttl.protocol.blocks import LARGEST_INDEX
from ttl.rows import dtypes
from ttl.rows.dtypes import DType
from ttl.rows.types import BlockType
from ttl.rules.slices import FRACTION, INTEGER
from ttl.rules.words import describe

READ, WRITE, INDEX = "ttl.raw_element_read", "ttl.raw_element_write", "ttl.read_index"
FLOATS = (dtypes.FLOAT32, dtypes.BFLOAT16)
_INDICES = (*FLOATS, dtypes.UINT32, dtypes.UINT16, dtypes.UINT8)
FIRST_BEYOND: Mapping[DType, int] = MappingProxyType(
    {dtypes.FLOAT32: 0x4F000000, dtypes.BFLOAT16: 0x4F00, dtypes.UINT32: 2**31}
)
"""The smallest bit pattern, compared as an unsigned number, of an element that is too large for an index.

The order of non-negative floats is that of their bits; infinity, NaN and negative floats have larger bit patterns.
"""


def outside(function: str, what: str) -> Diagnostic:
    """The error for an access to a single element outside a data movement kernel (TTL0350)."""
    return error(
        "TTL0350",
        f"{function}() in {what}",
        notes=("single elements are read and written by the processors that move data",),
        help="call it in a data movement kernel, on a block that this kernel has acquired; compute kernels compute with whole blocks",
    )


def no_block(function: str, given: object, buffer: str) -> Diagnostic:
    """The error for an element of a value that is not a block (TTL0351); ``buffer`` is the name of a passed buffer."""
    remedy = AcquireBlock(name=buffer, acquire="reserve" if function == WRITE else "wait") if buffer else None
    return error(
        "TTL0351",
        f"{function}() takes a block, not {describe(given)}",
        help="acquire a block first: with dfb.wait() as blk:, then blk and a coordinate for each dimension",
    ).remedied_by(remedy)


def match_dtype(function: str, buffer: str, dtype: DType) -> Diagnostic | None:
    """The error for element-wise access to elements of an unsupported type (TTL0351)."""
    known = _INDICES if function == INDEX else FLOATS
    if dtype in known:
        return None
    names = ", ".join(item.name for item in known[:-1]) + f" or {known[-1].name}"
    return error(
        "TTL0351",
        f"{function}() of a block of {buffer} of {dtype.name}",
        help=f"single elements are of {names}: convert in the compute kernel, or on the host with ttnn.typecast",
    )


def not_waited(buffer: str) -> Diagnostic:
    """The error for reading an index from a block of ``reserve`` (TTL0351)."""
    return error(
        "TTL0351",
        f"{INDEX}() of a block of {buffer} that was acquired with reserve()",
        help="an index can be read only from a block that was pushed: push the block and wait() for it",
    )


def match_coordinates(
    function: str, buffer: str, type_: BlockType, coordinates: tuple[object, ...]
) -> Diagnostic | None:
    """The error for coordinates that mean no element, for every number in place of ``slices.INTEGER`` (TTL0352)."""
    extents = type_.elements
    if len(coordinates) != len(extents):
        return error(
            "TTL0352",
            f"{function}() with {counted(len(coordinates), 'coordinate')}, and a block of {buffer} has {counted(len(extents), 'dimension')}",
            notes=(f"in elements it is {' x '.join(map(str, extents))}",),
            help="give one coordinate for each dimension, in elements, outermost first",
        )
    for axis, (given, extent) in enumerate(zip(coordinates, extents, strict=True)):
        if given is INTEGER:
            continue
        if given is FRACTION or not is_int(given):
            shown = "a fraction" if given is FRACTION else describe(given)
            return error(
                "TTL0352",
                f"{function}() with {shown} as coordinate in dimension {axis}",
                help="coordinates are integers that count elements; // divides integers",
            ).remedied_by(WholeDivision())
        if not 0 <= given < extent:  # type: ignore[operator]  # is_int has looked
            return error(
                "TTL0352",
                f"coordinate {given} is out of range in dimension {axis} of a block of {buffer}, which has {counted(extent, 'element')}",
                notes=(f"{function}({buffer}, {', '.join(map(_shown, coordinates))})",),
                help=f"coordinates count elements of the whole block, over all its tiles, from 0 to {extent - 1}",
            )
    return None


def is_value(given: object) -> bool:
    """Whether the value to be written is a number."""
    return isinstance(given, Real)


def no_value(given: object, coordinates: int) -> Diagnostic:
    """The error for writing a value that is not a number into an element (TTL0353)."""
    shown, places = describe(given), "".join(f", {{{number + 1}}}" for number in range(coordinates))
    read = f"{WRITE}({{0}}{places}, {READ}({{{coordinates + 1}}}{places}))"
    remedy = (
        Rewrite(description="read the element of the block", template=read) if shown == "a block" else None
    )
    return error(
        "TTL0353",
        f"{WRITE}() writes a number, not {shown}",
        help="pass the result of raw_element_read(), or a float: ttl.raw_element_write(blk, row, column, 0.0)",
    ).remedied_by(remedy)


def no_index(value: float, buffer: str, coordinates: tuple[int, ...]) -> Diagnostic | None:
    """The error for an element that is read as an index, but whose value is not an index (TTL0354)."""
    if isfinite(value) and 0 <= int(value) <= LARGEST_INDEX and value >= 0:
        return None
    return bad_index(f"{value:g}", f"element ({', '.join(map(str, coordinates))}) of a block of {buffer}")


def bad_index(value: str, element: str) -> Diagnostic:
    """Return the error for a read value, passed as text, that is not an index (TTL0354)."""
    return error(
        "TTL0354",
        f"{INDEX}() read {value} from {element}, which is not an index",
        notes=(f"an index is a finite number from 0 to {LARGEST_INDEX}; fractions are cut off",),
        help="look at the data: is it the right tensor, and is a missing entry marked with -1 or NaN?",
    )


# --- assertions of kernels on the chip, and the errors when they fail ---------------------------------------------

_ASSERTED = re.compile(r'"(TTL\d+): (.*)" = (-?\d+)$')
_BITS = re.compile(r"the (\w+) with the bits #")


def asserted_coordinate(axis: int, buffer: str, extent: int) -> str:
    """Return the text for the assertion of a coordinate, ``#``."""
    return f"TTL0352: coordinate # is out of range in dimension {axis} of a block of {buffer}, which has {counted(extent, 'element')}"


def asserted_index(dtype: DType, buffer: str) -> str:
    """Return the text for the assertion of the bits, ``#``, of a value that is read as an index."""
    return f"TTL0354: {INDEX}() read the {dtype.name} with the bits # from a block of {buffer}, which is not an index"


def asserted_slice(axis: int, tensor: str, extent: int, size: int, unit: str) -> str:
    """Return the text for the assertion of the start of a slice, ``#``."""
    part = "index # is" if size == 1 else f"a slice of {size} from # on is"
    return f"TTL0507: {part} out of range in dimension {axis} of {tensor}, which has {counted(extent, unit)}"


def asserted_size(axis: int, tensor: str, size: int) -> str:
    """Return the text for the assertion of the size of a slice.

    The asserted number, which the text does not show, is 0 for the right size, and the size plus 1 for another.
    """
    return f"TTL0515: a slice of another size than {size} in dimension {axis} of {tensor} is copied with a block of {size}"


def failed_assertion(text: str) -> Diagnostic | None:
    """The error for a failed assertion of this module, from its output (text and number).

    None for any other assertion.
    """
    match = _ASSERTED.search(text)
    if match is None:
        return None
    code, words, given = match.groups()
    bits = _BITS.search(words)
    if bits is None:
        return error(code, words.replace("#", given))
    dtype = next(dtype for dtype in FIRST_BEYOND if dtype.name == bits[1])
    word = int(given) << (32 - dtype.bits)
    value = struct.unpack("<f", struct.pack("<I", word))[0] if dtype.is_float else word
    return error(code, words.replace(bits[0], f"{value:g}"))


def _shown(given: object) -> str:
    return "?" if given is INTEGER else str(given)
