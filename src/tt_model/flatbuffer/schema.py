"""Schemas of flatbuffers: a parser of ``.fbs`` files, and the types that they declare.

The parser reads structs, tables, enumerations (also of bit flags), unions, vectors of all of them, defaults (``null``
too), namespaces, includes, and the three lines about the file. That is the language that the schemas of TT-MLIR use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import TypeAlias

from tt_model.flatbuffer.files import FlatbufferError

# The names of a type in schemas, and its format letter of ``struct``; sizes follow from it.
_SCALARS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("bool",), "?"),
    (("byte", "int8"), "b"),
    (("ubyte", "uint8"), "B"),
    (("short", "int16"), "h"),
    (("ushort", "uint16"), "H"),
    (("int", "int32"), "i"),
    (("uint", "uint32"), "I"),
    (("long", "int64"), "q"),
    (("ulong", "uint64"), "Q"),
    (("float", "float32"), "f"),
    (("double", "float64"), "d"),
)
SIZES = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4, "d": 8}

_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|("(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|-?\d[\w.+-]*|[{}()\[\]:;=,])', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number; ``format`` is its letter in ``struct``."""

    format: str

    @property
    def size(self) -> int:
        """The size in bytes."""
        return SIZES[self.format]


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""


@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    """Named numbers. With ``flags``, a value is a set of the names."""

    name: str
    scalar: Scalar
    members: tuple[tuple[str, int], ...]
    flags: bool = False

    def number(self, word: str) -> int:
        """The number of a name; for flags, of several names with spaces between them. Raises ``ValueError``."""
        known = dict(self.members)
        words = word.split() if self.flags else [word]
        unknown = next((one for one in words if one not in known), None)
        if unknown is not None:
            raise ValueError(f"{self.name} has no {unknown}; there are {', '.join(known)}")
        return sum({known[one] for one in words}) if self.flags else known[word]

    def word(self, number: int) -> str | int:
        """The name of a number, or the names of the flags in it; the number if it has no name."""
        if not self.flags:
            return next((name for name, value in self.members if value == number), number)
        names = [name for name, value in self.members if number & value]
        complete = number == sum(value for _, value in self.members if number & value)
        return " ".join(names) if names and complete else number


@dataclass(frozen=True, slots=True)
class Vector:
    """A list of any number of elements."""

    element: FieldType


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A field of a table or a struct. ``slot`` is its place in the table's list of fields, in a struct its offset."""

    name: str
    type: FieldType
    slot: int
    # None: the field is absent if it is not written.
    default: int | float | bool | None = 0


@dataclass(slots=True, eq=False)
class Struct:
    """Fields that lie one after the other."""

    name: str
    fields: tuple[Field, ...] = ()
    size: int = 0
    alignment: int = 1


@dataclass(slots=True, eq=False)
class Table:
    """Fields that may be absent."""

    name: str
    fields: tuple[Field, ...] = ()
    slots: int = 0


@dataclass(slots=True, eq=False)
class Union:
    """One of several tables. ``members`` starts with the second: number 0 means no table."""

    name: str
    members: tuple[Table, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The names of the members without their namespace, in the order of their numbers; number 0 is ``NONE``."""
        return _words(self)


@lru_cache(maxsize=1024)
def _words(union: Union) -> tuple[str, ...]:
    return ("NONE", *(member.name.rpartition(".")[2] for member in union.members))


FieldType: TypeAlias = Scalar | Text | Enumeration | Vector | Struct | Table | Union


@dataclass(slots=True, eq=False)
class Schema:
    """The schema of one kind of file."""

    root: Table
    identifier: str
    extension: str


@dataclass(slots=True)
class _Declaration:
    """A type as it is in the text, before names are looked up."""

    kind: str
    name: str
    namespace: str
    entries: list[tuple[str, str, bool, str | None]] = field(default_factory=list)
    base: str = ""
    flags: bool = False


class _SchemaReader:
    """Reads the text of one schema file."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text
        self._tokens = list(self._split())
        self._at = 0
        self.namespace = ""
        self.includes: list[str] = []
        self.declarations: list[_Declaration] = []
        self.about_file: dict[str, str] = {}

    def _split(self) -> Iterator[str]:
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                raise self._error(f"unexpected character {self._text[position]!r}", position)
            if match[1] is not None:
                yield match[1]
            position = match.end()

    def _error(self, text: str, position: int | None = None) -> FlatbufferError:
        line = "" if position is None else f":{self._text.count(chr(10), 0, position) + 1}"
        return FlatbufferError(f"{self._name}{line}: {text}")

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise self._error("the text ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _expect(self, mark: str) -> None:
        token = self._next()
        if token != mark:
            raise self._error(f"expected {mark}, not {token}")

    def _optional(self, mark: str) -> bool:
        if self._peek() != mark:
            return False
        self._at += 1
        return True

    def read(self) -> None:
        """Read the whole file."""
        while self._at < len(self._tokens):
            match self._next():
                case "include":
                    self.includes.append(self._string())
                case "namespace":
                    self.namespace = self._next()
                    self._expect(";")
                case "attribute":
                    self._string()
                case "table" | "struct" as kind:
                    self._record(kind)
                case "enum":
                    self._enumeration()
                case "union":
                    self._union()
                case "root_type" | "file_identifier" | "file_extension" as what:
                    self.about_file[what] = self._next().strip('"')
                    self._expect(";")
                case other:
                    raise self._error(f"expected a declaration, not {other}")

    def _string(self) -> str:
        text = self._next().strip('"')
        self._expect(";")
        return text

    def _metadata(self) -> str:
        if not self._optional("("):
            return ""
        words = []
        while not self._optional(")"):
            words.append(self._next())
        return " ".join(words)

    def _declare(self, kind: str) -> _Declaration:
        declaration = _Declaration(kind, self._next(), self.namespace)
        self.declarations.append(declaration)
        return declaration

    def _record(self, kind: str) -> None:
        declaration = self._declare(kind)
        self._metadata()
        self._expect("{")
        while not self._optional("}"):
            name = self._next()
            self._expect(":")
            is_vector = self._optional("[")
            type_name = self._next()
            if is_vector:
                self._expect("]")
            default = self._next() if self._optional("=") else None
            self._metadata()
            self._expect(";")
            declaration.entries.append((name, type_name, is_vector, default))

    def _enumeration(self) -> None:
        declaration = self._declare("enum")
        self._expect(":")
        declaration.base = self._next()
        declaration.flags = "bit_flags" in self._metadata()
        for name in self._names():
            value = self._next() if self._optional("=") else None
            declaration.entries.append((name, "", False, value))

    def _union(self) -> None:
        declaration = self._declare("union")
        for name in self._names():
            declaration.entries.append((name, name, False, None))

    def _names(self) -> Iterator[str]:
        self._expect("{")
        while not self._optional("}"):
            yield self._next()
            self._optional(",")


def read_schema(path: str, load: dict[str, str]) -> Schema:
    """The schema of the kind of file that ``path`` describes.

    ``load`` has the texts of all schema files. Raises ``FlatbufferError``.
    """
    readers: dict[str, _SchemaReader] = {}

    def read(name: str) -> None:
        if name in readers:
            return
        if name not in load:
            raise FlatbufferError(f"there is no schema {name}")
        reader = readers[name] = _SchemaReader(name, load[name])
        reader.read()
        for include in reader.includes:
            read(include)

    read(path)
    types = _TypeTable([declaration for reader in readers.values() for declaration in reader.declarations])
    top = readers[path]
    root = types.lookup(top.about_file.get("root_type", ""), top.namespace)
    if not isinstance(root, Table):
        raise FlatbufferError(f"{path}: the root type is not a table")
    return Schema(root, top.about_file.get("file_identifier", ""), top.about_file.get("file_extension", ""))


class _TypeTable:
    """All types of a schema by their full names."""

    def __init__(self, declarations: list[_Declaration]) -> None:
        self._known: dict[str, FieldType] = {}
        kinds = {"table": Table, "struct": Struct, "union": Union}
        for declaration in declarations:
            name = _joined(declaration.namespace, declaration.name)
            if declaration.kind == "enum":
                self._known[name] = self._enumeration(name, declaration)
            else:
                self._known[name] = kinds[declaration.kind](name)
        for declaration in declarations:
            self._fill(declaration)
        for declaration in declarations:
            shape = self._known[_joined(declaration.namespace, declaration.name)]
            if isinstance(shape, Struct):
                _lay_out(shape)

    @staticmethod
    def _enumeration(name: str, declaration: _Declaration) -> Enumeration:
        members, following = [], 0
        for word, _, _, value in declaration.entries:
            number = following if value is None else int(value, 0)
            following = number + 1
            members.append((word, 1 << number if declaration.flags else number))
        base = _scalar(declaration.base)
        if base is None:
            raise FlatbufferError(f"{name}: {declaration.base} is not a type of numbers")
        return Enumeration(name, base, tuple(members), declaration.flags)

    def lookup(self, name: str, namespace: str) -> FieldType:
        """A type by its name, as seen from a namespace. Raises ``FlatbufferError``."""
        if scalar := _scalar(name):
            return scalar
        if name == "string":
            return Text()
        scope = namespace
        while True:
            known = self._known.get(_joined(scope, name))
            if known is not None:
                return known
            if not scope:
                raise FlatbufferError(f"there is no type {name} in {namespace or 'the schema'}")
            scope = scope.rpartition(".")[0]

    def _fill(self, declaration: _Declaration) -> None:
        target = self._known[_joined(declaration.namespace, declaration.name)]
        if isinstance(target, Union):
            members = [self.lookup(name, declaration.namespace) for name, *_ in declaration.entries]
            target.members = tuple(member for member in members if isinstance(member, Table))
            if len(target.members) != len(members):
                raise FlatbufferError(f"{target.name}: members of unions must be tables")
        elif isinstance(target, Struct | Table):
            slot, fields = 0, []
            for name, type_name, is_vector, default in declaration.entries:
                type_ = self.lookup(type_name, declaration.namespace)
                # The number of a union's member has a slot of its own, before that of the value.
                slot += isinstance(type_, Union)
                whole: FieldType = Vector(type_) if is_vector else type_
                fields.append(Field(name, whole, slot, _default(whole, default)))
                slot += 1
            target.fields = tuple(fields)
            if isinstance(target, Table):
                target.slots = slot


def _joined(namespace: str, name: str) -> str:
    return f"{namespace}.{name}" if namespace else name


def _scalar(name: str) -> Scalar | None:
    return next((Scalar(letter) for names, letter in _SCALARS if name in names), None)


def _default(type_: FieldType, text: str | None) -> int | float | bool | None:
    if text == "null":
        return None
    match type_:
        case Enumeration():
            return 0 if text is None else type_.number(text)
        case Scalar(format="?"):
            return text == "true"
        case Scalar(format="f" | "d"):
            return float(text or 0)
    return int(text or "0", 0)


def _lay_out(shape: Struct) -> None:
    """Compute the offsets of a struct's fields: multiples of their own alignment."""
    if shape.size:
        return
    offset, alignment, fields = 0, 1, []
    for item in shape.fields:
        if isinstance(item.type, Struct):
            _lay_out(item.type)
            size, own = item.type.size, item.type.alignment
        elif isinstance(item.type, Scalar | Enumeration):
            size = own = item.type.size if isinstance(item.type, Scalar) else item.type.scalar.size
        else:
            raise FlatbufferError(f"{shape.name}: members of structs must be numbers or structs")
        offset += -offset % own
        fields.append(Field(item.name, item.type, offset))
        offset += size
        alignment = max(alignment, own)
    shape.fields = tuple(fields)
    shape.alignment = alignment
    shape.size = offset + -offset % alignment


@lru_cache(maxsize=1)
def _texts() -> Mapping[str, str]:
    folder = files(__package__).joinpath("schemas")
    return {
        f"{room.name}/{entry.name}": entry.read_text(encoding="utf-8")
        for room in folder.iterdir()
        if room.is_dir()
        for entry in room.iterdir()
        if entry.name.endswith(".fbs")
    }


@lru_cache(maxsize=8)
def schema(path: str) -> Schema:
    """One of our schemas, by its file, such as ``TTNN/binary.fbs``. Raises ``FlatbufferError``."""
    return read_schema(path, dict(_texts()))


@lru_cache(maxsize=8)
def schema_hash(path: str) -> str:
    """SHA-256 of the content of a schema, in hexadecimal digits: schemas with the same hash read each other's files.

    Names, types, numbers and defaults count; comments, spaces and the order of declarations do not. The formats have no
    field for the hash, and files do not contain it: programs that keep files compare it to detect that the format has
    changed.
    """
    kind = schema(path)
    lines: dict[str, str] = {}
    _describe(kind.root, lines)
    text = "\n".join([kind.identifier, kind.root.name, *(f"{name} {lines[name]}" for name in sorted(lines))])
    return sha256(text.encode()).hexdigest()


def _describe(type_: FieldType, lines: dict[str, str]) -> str:
    """Describe a type in words; types with names are described in ``lines``."""
    match type_:
        case Scalar():
            return type_.format
        case Text():
            return "string"
        case Vector():
            return f"[{_describe(type_.element, lines)}]"
    if type_.name in lines:
        return type_.name
    lines[type_.name] = ""
    match type_:
        case Enumeration():
            said = f"{type_.scalar.format} {type_.flags} {type_.members}"
        case Union():
            said = " ".join(_describe(member, lines) for member in type_.members)
        case _:
            said = "; ".join(
                f"{field.slot} {field.name} {_describe(field.type, lines)} {field.default}"
                for field in type_.fields
            )
    lines[type_.name] = f"{type(type_).__name__} {said}"
    return type_.name
