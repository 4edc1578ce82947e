"""Names of a program's inputs, and tensors that a ``.ttnn`` file includes, behind its buffer: weights and constants.

The format of 2024-11-21 has no place for the elements of a tensor: its programs fill tensors with one number, and
everything else is an input. So constants stay inputs, and the file includes the tensors for them, in a section of its
own that follows the buffer of the format:

    the buffer of the format, with its length in front | ``ProgramInputs``, the same way | the elements, tensor by tensor

Each part begins at a multiple of 64 bytes. A program that knows only the published format reads the first part, and
finds everything that the format has. Elements are not copied for writing or reading, so that a model does not take its
memory twice.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

from tt_model.flatbuffer.decode import decode, identifier_of
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.layouts.elements import SCALAR_BYTES
from tt_model.layouts.enums import DataType

SCHEMA = "TTNN/inputs.fbs"
IDENTIFIER = "TTNI"
FORMAT_VERSION = 1
_ALIGNMENT = 64
# The bytes of a bytes object or of an array, which are not copied.
Buffer: TypeAlias = bytes | memoryview


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class StoredInput:
    """An input of a program: its name and type, and its elements if the file contains them.

    ``elements`` returns the bytes; it is called when they are needed, since a tensor may have to be brought into
    row-major order first. ``limits`` are the smallest and the largest number that the input may have, if they are
    narrower than its type.
    """

    program: int
    index: int
    name: str
    data_type: DataType
    shape: tuple[int, ...]
    elements: Callable[[], Buffer] | None = None
    limits: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        """The bytes of the input."""
        return prod(self.shape) * SCALAR_BYTES[self.data_type]


def section_of(inputs: Sequence[StoredInput], before: int) -> Iterator[Buffer]:
    """Yield the section that follows ``before`` bytes of a file, piece by piece; nothing if there are no inputs."""
    if not inputs:
        return
    entries: list[dict[str, Any]] = []
    offset = 0
    for one in inputs:
        entry: dict[str, Any] = {
            "program": one.program,
            "index": one.index,
            "name": one.name,
            "data_type": int(one.data_type),
            "shape": list(one.shape),
        }
        if one.limits is not None:
            entry["limits"] = list(one.limits)
        if one.elements is not None:
            entry |= {
                "is_stored": True,
                "offset": offset,
                "size": one.size,
                "checksum": zlib.crc32(one.elements()),
            }
            offset += one.size + _padding(one.size)
        entries.append(entry)
    table = encode(schema(SCHEMA), {"format_version": FORMAT_VERSION, "inputs": entries})
    yield bytes(_padding(before))
    yield table
    yield bytes(_padding(len(table)))
    for one in inputs:
        if one.elements is not None:
            yield one.elements()
            yield bytes(_padding(one.size))


def inputs_in(content: bytes) -> tuple[StoredInput, ...]:
    """Return the inputs that a whole file describes; an empty tuple if the file ends with the buffer of the format.

    Raises ``FlatbufferError`` for a section that is cut off or changed, for other bytes behind the buffer, and for
    elements that do not fit their tensor.
    """
    (length,) = struct.unpack_from("<I", content)
    if len(content) <= 4 + length:
        return ()
    start = 4 + length + _padding(4 + length)
    if len(content) < start + 12 or identifier_of(content[start : start + 12]) != IDENTIFIER:
        raise FlatbufferError(
            f"{len(content) - 4 - length:,} bytes follow the buffer and are not a section of inputs: the file is cut off, "
            "or other data was appended to it"
        )
    (size,) = struct.unpack_from("<I", content, start)
    try:
        values = decode(schema(SCHEMA), content[start : start + 4 + size])
    except FlatbufferError as problem:
        raise FlatbufferError(f"the section of inputs: {problem}") from None
    version = values.get("format_version", 0)
    if version != FORMAT_VERSION:
        raise FlatbufferError(
            f"the section of inputs is of version {version}, and {FORMAT_VERSION} is known: read it with the release that "
            "wrote it"
        )
    data = start + 4 + size
    data += _padding(data)
    return tuple(_input_of(entry, content, data) for entry in values.get("inputs", []))


def _input_of(entry: dict[str, Any], content: bytes, data: int) -> StoredInput:
    name, shape = str(entry.get("name", "")), tuple(entry.get("shape", ()))
    where = f"input {entry['index']} of program {entry['program']} ({name})"
    try:
        data_type = DataType[entry["data_type"]]
        wanted = prod(shape) * SCALAR_BYTES[data_type]
    except KeyError:
        raise FlatbufferError(
            f"{where} is of the type {entry['data_type']}, which no tensor of the host has"
        ) from None
    elements = None
    if entry.get("is_stored"):
        first, size = data + entry["offset"], entry["size"]
        if size != wanted or min(shape, default=1) < 0:
            extents = "x".join(map(str, shape))
            raise FlatbufferError(
                f"{where} has {size:,} bytes, and {extents} of {data_type.keyword} need {wanted:,}"
            )
        if first + size > len(content):
            raise FlatbufferError(
                f"the file is cut off: {where} ends at byte {first + size:,}, and the file at {len(content):,}"
            )
        view = memoryview(content)[first : first + size]
        if zlib.crc32(view) != entry["checksum"]:
            raise FlatbufferError(
                f"the elements of {where} were changed after the file was written: their checksum differs"
            )

        def elements() -> Buffer:
            return view

    limits = entry.get("limits", ())
    if len(limits) not in (0, 2):
        raise FlatbufferError(
            f"{where} has {len(limits)} limits, but two are needed: the least and the greatest number"
        )
    return StoredInput(
        program=entry["program"],
        index=entry["index"],
        name=name,
        data_type=data_type,
        shape=shape,
        elements=elements,
        limits=(limits[0], limits[1]) if limits else None,
    )


def checked_against(inputs: Iterable[StoredInput], programs: Sequence[Any]) -> None:
    """Raise ``FlatbufferError`` for an input that its program does not have, and for one that is stored twice."""
    seen: set[tuple[int, int]] = set()
    names: set[tuple[int, str]] = set()
    for one in inputs:
        if one.program >= len(programs) or one.index >= len(programs[one.program].get("inputs", [])):
            raise FlatbufferError(
                f"there is no input {one.index} of program {one.program}, which is called {one.name}"
            )
        if (one.program, one.index) in seen or (one.program, one.name) in names:
            raise FlatbufferError(f"input {one.index} of program {one.program} ({one.name}) is stored twice")
        seen.add((one.program, one.index))
        names.add((one.program, one.name))


def _padding(size: int) -> int:
    return -size % _ALIGNMENT
