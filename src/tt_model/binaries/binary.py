"""Binaries: ``.ttnn`` and ``.ttm`` programs and ``.ttsys`` system descriptions, read from files."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tt_model.flatbuffer.decode import decode, identifier_of
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.stored_inputs import StoredInput, checked_against, inputs_in, section_of

_SCHEMAS = MappingProxyType(
    {"TTNN": "TTNN/binary.fbs", "TTM0": "TTMetal/binary.fbs", "TTSY": "Common/system_desc.fbs"}
)
_KINDS = MappingProxyType(
    {"TTNN": "a TTNN binary", "TTM0": "a TTMetal binary", "TTSY": "a system description"}
)


class Flatbuffer:
    """A file in memory. ``content`` are its bytes, ``values`` the values that they encode."""

    def __init__(self, content: bytes, values: Mapping[str, Any]) -> None:
        self.content = content
        self.values = values

    @property
    def pieces(self) -> Iterable[bytes | memoryview]:
        """The whole file in pieces, to be written one after the other."""
        return (self.content,)

    @property
    def file_identifier(self) -> str:
        """``TTNN``, ``TTM0`` or ``TTSY``."""
        return identifier_of(self.content)

    @property
    def version(self) -> str:
        """The release of the compiler that wrote the file: ``major.minor.patch``."""
        numbers = self.values.get("version", {})
        return ".".join(str(numbers.get(name, 0)) for name in ("major", "minor", "patch"))

    @property
    def ttmlir_git_hash(self) -> str:
        """The revision of the compiler that wrote the file."""
        return str(self.values.get("ttmlir_git_hash", ""))

    def as_json(self) -> str:
        """All values of the file as JSON, with the names of the schema."""
        return json.dumps(_printable(self.values), indent=2)

    def store(self, path: str | os.PathLike[str]) -> None:
        """Write the file to ``path``."""
        with Path(path).open("wb") as file:
            file.writelines(self.pieces)


class SystemDesc(Flatbuffer):
    """A ``.ttsys`` file."""


class Binary(Flatbuffer):
    """A ``.ttnn`` or ``.ttm`` file.

    ``stored_inputs`` are the inputs of its programs that have names, limits or tensors in the file. They are read from
    ``content`` unless ``added`` are given: those of a binary in memory, which follow ``content`` in a file.
    """

    def __init__(self, content: bytes, values: Mapping[str, Any], added: Sequence[StoredInput] = ()) -> None:
        super().__init__(content, values)
        self._added = tuple(added)
        self.stored_inputs = self._added or inputs_in(content)
        checked_against(self.stored_inputs, self.programs)

    def with_inputs(self, inputs: Sequence[StoredInput]) -> Binary:
        """Return the same programs with ``inputs``: names, and tensors that the file includes.

        Raises ``FlatbufferError``.
        """
        (length,) = struct.unpack_from("<I", self.content)
        return Binary(self.content[: 4 + length], self.values, inputs)

    @property
    def pieces(self) -> Iterable[bytes | memoryview]:
        """The whole file in pieces, to be written one after the other; the elements of stored inputs are not copied."""
        yield self.content
        yield from section_of(self._added, len(self.content))

    @property
    def programs(self) -> list[Mapping[str, Any]]:
        """The programs of the binary."""
        return list(self.values.get("programs", []))

    def limits(self, program: int) -> dict[int, tuple[int, int]]:
        """The smallest and the largest number that inputs may have, by input number, where the file states them."""
        known = (one for one in self.stored_inputs if one.program == program)
        return {one.index: one.limits for one in known if one.limits is not None}

    def get_debug_info_golden(self, loc: str) -> list[float]:
        """The golden tensor that is stored under a location, as a flat list; empty if there is no such tensor."""
        for program in self.programs:
            entries = program.get("debug_info", {}).get("golden_info", {}).get("golden_map", [])
            for entry in entries:
                if entry.get("key") == loc:
                    return _floats(entry["value"])
        return []


def _floats(golden: Mapping[str, Any]) -> list[float]:
    data = bytes(golden.get("data", []))
    letter, size = ("e", 2) if golden.get("dtype") == "Float16" else ("f", 4)
    return list(struct.unpack(f"<{len(data) // size}{letter}", data[: len(data) // size * size]))


def load_from_path(path: str | os.PathLike[str]) -> Binary | SystemDesc:
    """Load a file of any of the formats. Raises ``FlatbufferError``."""
    try:
        content = Path(path).read_bytes()
    except OSError as problem:
        raise FlatbufferError(f"cannot read {path}: {problem.strerror or problem}") from None
    return _of_bytes(content, str(path))


def _of_bytes(content: bytes, name: str) -> Binary | SystemDesc:
    identifier = identifier_of(content)
    if identifier not in _SCHEMAS:
        there = "the file is empty" if not content else f"{content[8:12].hex(' ')} stands there"
        raise FlatbufferError(
            f"{name} is not a binary of TT-MLIR: bytes 8 to 11 should be TTNN, TTM0 or TTSY, and {there}"
        )
    try:
        values = decode(schema(_SCHEMAS[identifier]), content)
    except FlatbufferError as problem:
        raise FlatbufferError(f"{name} is a broken file: {problem}") from None
    if identifier == "TTSY":
        return SystemDesc(content, values)
    try:
        return Binary(content, values)
    except FlatbufferError as problem:
        raise FlatbufferError(f"{name} is a broken file: {problem}") from None


def load_binary_from_path(path: str | os.PathLike[str]) -> Binary:
    """Load a ``.ttnn`` or ``.ttm`` file. Raises ``FlatbufferError``."""
    loaded = load_from_path(path)
    if not isinstance(loaded, Binary):
        raise FlatbufferError(f"{path} is {_KINDS[loaded.file_identifier]}, not a binary")
    return loaded


def load_system_desc_from_path(path: str | os.PathLike[str]) -> SystemDesc:
    """Load a ``.ttsys`` file. Raises ``FlatbufferError``."""
    loaded = load_from_path(path)
    if not isinstance(loaded, SystemDesc):
        raise FlatbufferError(f"{path} is {_KINDS[loaded.file_identifier]}, not a system description")
    return loaded


def load_binary_from_capsule(capsule: bytes) -> Binary:
    """Load a binary in memory, as ``ttmlir.passes.ttnn_to_flatbuffer_binary`` returns it.

    Raises ``FlatbufferError``.
    """
    loaded = _of_bytes(bytes(capsule), "the binary")
    if not isinstance(loaded, Binary):
        raise FlatbufferError("the bytes are a system description, not a binary")
    return loaded


def as_dict(binary: Flatbuffer) -> dict[str, Any]:
    """All values of a file as a dictionary, in the form that ``as_json`` prints."""
    plain: dict[str, Any] = _printable(binary.values)
    return plain


def _printable(value: Any) -> Any:
    match value:
        case Mapping():
            return {name: _printable(item) for name, item in value.items()}
        case bytes():
            return list(value)
        case list() | tuple():
            return [_printable(item) for item in value]
    return value
