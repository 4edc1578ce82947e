"""Reading flatbuffers: converts bytes to plain values, by a schema. ``encode`` describes the form of the values.

Files may come from anywhere, so that a read outside of the buffer is an error. Absent fields have their default; absent
tables, strings, vectors and unions are left out.

No schema has a table inside itself, so a file cannot make the decoder recurse deeper than its schema does. An object
that is referred to several times is read once, so that the values are hardly larger than the file. A file whose objects
overlap, and together have more than ``MOST_OVERLAP`` times its size, is an error.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import (
    Enumeration,
    Field,
    FieldType,
    Scalar,
    Schema,
    Struct,
    Table,
    Text,
    Union,
    Vector,
)

# The largest ratio of a file's content to its size. Writers may let equal parts overlap, but not so many.
MOST_OVERLAP = 4


def identifier_of(content: bytes) -> str:
    """The four letters that identify the kind of a size-prefixed file; empty if the file is too short for them."""
    letters = content[8:12]
    return letters.decode("ascii") if len(letters) == 4 and letters.isascii() else ""


def decode(schema: Schema, content: bytes) -> dict[str, Any]:
    """Decode a file to values. Raises ``FlatbufferError``."""
    if len(content) < 12:
        raise FlatbufferError(f"{len(content)} bytes are too few for a flatbuffer")
    identifier = identifier_of(content)
    if identifier != schema.identifier:
        raise FlatbufferError(f"the identifier is {identifier!r}, not {schema.identifier!r}")
    (length,) = struct.unpack_from("<I", content)
    if length > len(content) - 4:
        raise FlatbufferError(
            f"the file is cut off: {length} bytes should follow its length, and {len(content) - 4} do"
        )
    return _Decoder(content[4 : 4 + length]).root(schema.root)


class _BytePlace(NamedTuple):
    """The positions of a table and of its list of fields, the list's number of entries, and the table's size."""

    position: int
    fields: int
    slots: int
    inline: int


class _Decoder:
    """Reads one buffer."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._bytes_left = MOST_OVERLAP * len(content)
        # A table that several fields refer to is read once, as one object.
        self._tables: dict[tuple[str, int], dict[str, Any]] = {}
        self._vectors: dict[tuple[FieldType, int], list[Any]] = {}
        self._strings: dict[int, str] = {}

    def root(self, table: Table) -> dict[str, Any]:
        """Decode the whole buffer."""
        name = table.name.rpartition(".")[2]
        return self._table(table, self._reference(0, name), name)

    def _unpack(self, letter: str, position: int, path: str) -> Any:
        if position < 0:
            raise FlatbufferError(f"{path} refers to a place before the beginning of the file")
        try:
            return struct.unpack_from(f"<{letter}", self._content, position)[0]
        except struct.error:
            raise FlatbufferError(f"{path} is beyond the end of the file") from None

    def _reference(self, position: int, path: str) -> int:
        offset: int = self._unpack("I", position, path)
        return position + offset

    def _spend(self, size: int, path: str) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise FlatbufferError(
                f"{path}: the tables that the file refers to are larger than {MOST_OVERLAP} times the file"
            )

    def _table(self, table: Table, position: int, path: str) -> dict[str, Any]:
        known = self._tables.get((table.name, position))
        if known is not None:
            return known
        fields = position - self._unpack("i", position, path)
        size, inline = self._unpack("H", fields, path), self._unpack("H", fields + 2, path)
        if size < 4 or size % 2 or inline < 4 or position + inline > len(self._content):
            raise FlatbufferError(
                f"{path}: {size} and {inline} are not the sizes of a {table.name} and its list of fields"
            )
        if fields + size > len(self._content):
            raise FlatbufferError(
                f"{path}: the list of fields of this {table.name} is beyond the end of the file"
            )
        self._spend(4, path)
        values: dict[str, Any] = {}
        place = _BytePlace(position, fields, (size - 4) // 2, inline)
        try:
            for field in table.fields:
                self._field(field, place, values, path)
        except FlatbufferError as problem:
            # Only the table that has the field adds its name: the tables around it find ``table`` set.
            if not problem.table:
                problem.table = table.name
                problem.args = (f"{problem} (a field of {table.name})",)
            raise
        self._tables[table.name, position] = values
        return values

    def _field(self, field: Field, place: _BytePlace, values: dict[str, Any], path: str) -> None:
        inner = f"{path}.{field.name}"
        at = self._slot(place, field.slot, inner, _inline_size(field.type))
        if isinstance(field.type, Union) or _is_vector_of_unions(field.type):
            size = 1 if isinstance(field.type, Union) else 4
            numbers = self._slot(place, field.slot - 1, f"{inner}_type", size)
            if at and numbers:
                self._union(field, place.position + numbers, place.position + at, values, inner)
        elif at:
            values[field.name] = self._value(field.type, place.position + at, inner)
        elif isinstance(field.type, Scalar | Enumeration) and field.default is not None:
            values[field.name] = _named(field.type, field.default)

    def _slot(self, place: _BytePlace, slot: int, path: str, size: int) -> int:
        """Return the offset of a field in its table; 0 where the field is absent."""
        if slot >= place.slots:
            return 0
        at: int = self._unpack("H", place.fields + 4 + 2 * slot, path)
        if at and not 4 <= at <= place.inline - size:
            raise FlatbufferError(f"{path} is at byte {at} of a table of {place.inline} bytes")
        return at

    def _union(self, field: Field, numbers: int, at: int, values: dict[str, Any], path: str) -> None:
        if isinstance(field.type, Union):
            words, tables = [self._unpack("B", numbers, path)], [at]
            unions = field.type
        else:
            assert isinstance(field.type, Vector)
            assert isinstance(field.type.element, Union)
            unions = field.type.element
            words = self._elements(Scalar("B"), self._reference(numbers, path), path)
            first, count = self._span(self._reference(at, path), 4, path)
            tables = [first + 4 * index for index in range(count)]
            if len(words) != len(tables):
                raise FlatbufferError(
                    f"{path}: {len(tables)} values and {len(words)} numbers of their tables"
                )
        names, items = [], []
        for number, table in zip(words, tables):
            if not 0 < number < len(unions.words):
                raise FlatbufferError(f"{path}: {unions.name} has no member {number}")
            names.append(unions.words[number])
            items.append(self._table(unions.members[number - 1], self._reference(table, path), path))
        alone = isinstance(field.type, Union)
        values[f"{field.name}_type"] = names[0] if alone else names
        values[field.name] = items[0] if alone else items

    def _value(self, type_: FieldType, position: int, path: str) -> Any:
        match type_:
            case Scalar() | Enumeration():
                scalar = type_ if isinstance(type_, Scalar) else type_.scalar
                return _named(type_, self._unpack(scalar.format, position, path))
            case Struct():
                return {
                    field.name: self._value(field.type, position + field.slot, path) for field in type_.fields
                }
            case Text():
                return self._string(self._reference(position, path), path)
            case Table():
                return self._table(type_, self._reference(position, path), path)
            case Vector():
                return self._elements(type_.element, self._reference(position, path), path)
        raise FlatbufferError(f"{path}: {type_} is read with its table")

    def _span(self, position: int, size: int, path: str) -> tuple[int, int]:
        """Return the position of a vector's first element, and their number.

        Raises ``FlatbufferError`` if they are not all inside the buffer.
        """
        count: int = self._unpack("I", position, path)
        if position + 4 + count * size > len(self._content):
            raise FlatbufferError(f"{path}: {count} elements are beyond the end of the file")
        self._spend(count * size, path)
        return position + 4, count

    def _string(self, position: int, path: str) -> str:
        known = self._strings.get(position)
        if known is not None:
            return known
        first, count = self._span(position, 1, path)
        if self._content[first + count : first + count + 1] != b"\0":
            raise FlatbufferError(f"{path}: the text of {count} bytes does not end where it should")
        try:
            text = self._strings[position] = self._content[first : first + count].decode("utf-8")
        except UnicodeDecodeError:
            raise FlatbufferError(f"{path} is not a text in UTF-8") from None
        return text

    def _elements(self, element: FieldType, position: int, path: str) -> list[Any]:
        known = self._vectors.get((element, position))
        if known is not None:
            return known
        size = _inline_size(element)
        first, count = self._span(position, size, path)
        if isinstance(element, Scalar):
            items = list(struct.unpack_from(f"<{count}{element.format}", self._content, first))
        else:
            items = [self._value(element, first + size * index, f"{path}[{index}]") for index in range(count)]
        self._vectors[element, position] = items
        return items


def _is_vector_of_unions(type_: FieldType) -> bool:
    return isinstance(type_, Vector) and isinstance(type_.element, Union)


def _inline_size(element: FieldType) -> int:
    match element:
        case Scalar() | Struct():
            return element.size
        case Enumeration():
            return element.scalar.size
    return 4


def _named(type_: Scalar | Enumeration, number: int | float | bool) -> Any:
    if isinstance(type_, Enumeration):
        return type_.word(int(number))
    return number
