"""Writing flatbuffers: converts plain values to bytes, by a schema.

A table or struct is a dictionary by field names, a vector a list, an enumeration its name (for flags: the names,
separated by spaces) or number. A union is its table under the field's name, and the table's name under that name with
``_type``. A table that occurs several times as one object is written once, and referred to.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from flatbuffers import Builder

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

Plain = Mapping[str, Any]


def encode(schema: Schema, value: Plain) -> bytes:
    """Encode a file: its length, then the buffer with the identifier of its kind. Raises ``FlatbufferError``."""
    builder = Builder(4096)
    root = _Encoder(builder).table(schema.root, value, schema.root.name.rpartition(".")[2])
    builder.FinishSizePrefixed(root, schema.identifier.encode() or None)
    return bytes(builder.Output())


class _Encoder:
    """Writes the objects that a table refers to before the table itself, as the format requires."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        # By the identity of the object; the object is kept alive, or another one might get its identity.
        self._tables: dict[tuple[int, str], tuple[int, Plain]] = {}
        self._strings: dict[str, int] = {}

    def table(self, table: Table, value: Plain, path: str) -> int:
        """Write a table, and return its offset."""
        key = (id(value), table.name)
        if key in self._tables:
            return self._tables[key][0]
        if not isinstance(value, Mapping):
            raise FlatbufferError(f"{path}: expected the fields of {table.name}, got {value!r}")
        names, largest_first = _fields_of(table)
        if not names.issuperset(value):
            unknown = sorted(set(value) - names)
            raise FlatbufferError(f"{path}: {table.name} has no field {unknown[0]}")
        given = [field for field in table.fields if value.get(field.name) is not None]
        offsets = {
            field.name: None
            if isinstance(field.type, Scalar | Enumeration | Struct)
            else self._referred(field, value, f"{path}.{field.name}")
            for field in given
        }
        self._builder.StartObject(table.slots)
        # Large fields first, which leaves no gaps.
        for field in largest_first:
            if field.name in offsets:
                self._inline(field, value, offsets[field.name], f"{path}.{field.name}")
        offset: int = self._builder.EndObject()
        self._tables[key] = (offset, value)
        return offset

    def _referred(self, field: Field, value: Plain, path: str) -> tuple[int, int] | None:
        """Write the object that a field refers to, and return its offset.

        The second number is that of a union's member; for a vector of unions, the offset of the vector of these
        numbers.
        """
        item = value[field.name]
        match field.type:
            case Text():
                return self._string(item, path), 0
            case Table():
                return self.table(field.type, item, path), 0
            case Union():
                number = _member(field.type, value.get(f"{field.name}_type"), path)
                return self.table(field.type.members[number - 1], item, path), number
            case Vector(element=Union() as union):
                words = value.get(f"{field.name}_type") or ()
                if len(words) != len(item):
                    raise FlatbufferError(
                        f"{path}: {len(item)} values and {len(words)} names of their tables"
                    )
                numbers = [_member(union, word, path) for word in words]
                offsets = [
                    self.table(union.members[number - 1], one, f"{path}[{index}]")
                    for index, (number, one) in enumerate(zip(numbers, item))
                ]
                return self._references(offsets), self._scalars(Scalar("B"), numbers, path)
            case Vector():
                return self._vector(field.type.element, item, path), 0
        return None

    def _string(self, text: Any, path: str) -> int:
        if not isinstance(text, str):
            raise FlatbufferError(f"{path}: expected a text, got {text!r}")
        if text not in self._strings:
            self._strings[text] = self._builder.CreateString(text)
        return self._strings[text]

    def _vector(self, element: FieldType, items: Any, path: str) -> int:
        if not isinstance(items, Sequence) or isinstance(items, str):
            raise FlatbufferError(f"{path}: expected a list, got {items!r}")
        match element:
            case Scalar() | Enumeration():
                return self._scalars(element, items, path)
            case Struct():
                self._builder.StartVector(element.size, len(items), element.alignment)
                for index in reversed(range(len(items))):
                    self._struct(element, items[index], f"{path}[{index}]")
                return self._end_of_vector()
            case Text():
                return self._references(
                    [self._string(item, f"{path}[{index}]") for index, item in enumerate(items)]
                )
            case Table():
                tables = [self.table(element, item, f"{path}[{index}]") for index, item in enumerate(items)]
                return self._references(tables)
        raise FlatbufferError(f"{path}: vectors of {element} do not exist")

    def _scalars(self, element: Scalar | Enumeration, items: Sequence[Any], path: str) -> int:
        scalar = _scalar_of(element)
        if isinstance(element, Scalar) and element.format == "B" and isinstance(items, bytes | bytearray):
            offset: int = self._builder.CreateByteVector(bytes(items))
            return offset
        content = _plain_numbers(element, items)
        if content is None:
            numbers = [_number(element, item, f"{path}[{index}]") for index, item in enumerate(items)]
            content = b"".join(_packed(scalar, number, path) for number in numbers)
        self._builder.StartVector(scalar.size, len(items), scalar.size)
        self._place(content)
        return self._end_of_vector()

    def _references(self, offsets: Sequence[int]) -> int:
        self._builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self._builder.PrependUOffsetTRelative(offset)
        return self._end_of_vector()

    def _end_of_vector(self) -> int:
        offset: int = self._builder.EndVector()
        return offset

    def _struct(self, shape: Struct, value: Any, path: str) -> int:
        """Write a struct in place, and return its offset."""
        self._builder.Prep(shape.alignment, shape.size)
        self._place(_struct_bytes(shape, value, path))
        offset: int = self._builder.Offset()
        return offset

    def _place(self, content: bytes) -> None:
        """Write bytes in front of those written before; the caller has made room for them and aligned them."""
        head = self._builder.head = self._builder.head - len(content)
        self._builder.Bytes[head : head + len(content)] = content

    def _inline(self, field: Field, value: Plain, referred: tuple[int, int] | None, path: str) -> None:
        builder, item = self._builder, value[field.name]
        match field.type:
            case Scalar() | Enumeration():
                number = _number(field.type, item, path)
                if number != field.default or field.default is None:
                    content = _packed(_scalar_of(field.type), number, path)
                    builder.Prep(len(content), 0)
                    self._place(content)
                    builder.Slot(field.slot)
                return
            case Struct():
                builder.PrependStructSlot(field.slot, self._struct(field.type, item, path), 0)
                return
        assert referred is not None
        builder.PrependUOffsetTRelativeSlot(field.slot, referred[0], 0)
        if isinstance(field.type, Union):
            builder.PrependUint8Slot(field.slot - 1, referred[1], 0)
        elif _is_union(field.type):
            builder.PrependUOffsetTRelativeSlot(field.slot - 1, referred[1], 0)


@lru_cache(maxsize=1024)
def _fields_of(table: Table) -> tuple[frozenset[str], tuple[Field, ...]]:
    """The names that a table's values may have, and its fields, the largest first."""
    names = {field.name for field in table.fields}
    names |= {f"{field.name}_type" for field in table.fields if _is_union(field.type)}
    return frozenset(names), tuple(sorted(table.fields, key=lambda field: -_inline_size(field.type)))


def _plain_numbers(element: Scalar | Enumeration, items: Sequence[Any]) -> bytes | None:
    """Pack whole numbers of a plain type at once; None for numbers that have to be packed one by one."""
    if not isinstance(element, Scalar) or element.format not in "bBhHiIqQ":
        return None
    if not all(type(item) is int for item in items):
        return None
    try:
        return struct.pack(f"<{len(items)}{element.format}", *items)
    except struct.error:
        return None


def _is_union(type_: FieldType) -> bool:
    return isinstance(type_, Union) or (isinstance(type_, Vector) and isinstance(type_.element, Union))


def _inline_size(type_: FieldType) -> int:
    match type_:
        case Scalar():
            return type_.size
        case Enumeration():
            return type_.scalar.size
        case Struct():
            return type_.alignment
    return 4


def _scalar_of(type_: Scalar | Enumeration) -> Scalar:
    return type_ if isinstance(type_, Scalar) else type_.scalar


def _member(union: Union, word: Any, path: str) -> int:
    if word not in union.words[1:]:
        raise FlatbufferError(f"{path}_type: expected one of {', '.join(union.words[1:])}, got {word!r}")
    return union.words.index(word)


def _number(type_: Scalar | Enumeration, value: Any, path: str) -> int | float | bool:
    if isinstance(type_, Enumeration) and isinstance(value, str):
        try:
            return type_.number(value)
        except ValueError as problem:
            raise FlatbufferError(f"{path}: {problem}") from None
    if not isinstance(value, int | float):
        raise FlatbufferError(f"{path}: expected a number, got {value!r}")
    return value


def _packed(scalar: Scalar, number: int | float | bool, path: str) -> bytes:
    try:
        return struct.pack(f"<{scalar.format}", number)
    except (struct.error, OverflowError) as problem:
        raise FlatbufferError(f"{path}: {number} does not fit: {problem}") from None


def _struct_bytes(shape: Struct, value: Any, path: str) -> bytes:
    if not isinstance(value, Mapping) or set(value) != {field.name for field in shape.fields}:
        names = ", ".join(field.name for field in shape.fields)
        raise FlatbufferError(f"{path}: expected {names} of {shape.name}, got {value!r}")
    content = bytearray(shape.size)
    for field in shape.fields:
        inner = f"{path}.{field.name}"
        if isinstance(field.type, Struct):
            part = _struct_bytes(field.type, value[field.name], inner)
        else:
            assert isinstance(field.type, Scalar | Enumeration)
            part = _packed(_scalar_of(field.type), _number(field.type, value[field.name], inner), inner)
        content[field.slot : field.slot + len(part)] = part
    return bytes(content)
