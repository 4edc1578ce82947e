"""Values of every table of a schema: all fields present, every member of every union at least once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tt_model.flatbuffer.schema import (
    Enumeration,
    FieldType,
    Scalar,
    Schema,
    Struct,
    Table,
    Text,
    Union,
    Vector,
)


class FullValues:
    """Draws values; remembers which tables, and which members of unions, there were."""

    def __init__(self) -> None:
        self.tables: set[str] = set()
        self._drawn: Counter[str] = Counter()

    def files(self, schema: Schema) -> Iterator[dict[str, Any]]:
        """Roots, until every table was there."""
        wanted = tables_of(schema.root)
        while not wanted <= self.tables:
            yield self.table(schema.root)

    def table(self, table: Table) -> dict[str, Any]:
        """All fields of a table."""
        self.tables.add(table.name)
        value: dict[str, Any] = {}
        for field in table.fields:
            if isinstance(field.type, Union):
                value[f"{field.name}_type"], value[field.name] = self._member(field.type)
            elif isinstance(field.type, Vector) and isinstance(field.type.element, Union):
                members = [self._member(field.type.element) for _ in field.type.element.members]
                value[f"{field.name}_type"] = [word for word, _ in members]
                value[field.name] = [table for _, table in members]
            else:
                value[field.name] = self._value(field.type)
        return value

    def _next(self, key: str) -> int:
        self._drawn[key] += 1
        return self._drawn[key] - 1

    def _member(self, union: Union) -> tuple[str, dict[str, Any]]:
        member = union.members[self._next(union.name) % len(union.members)]
        return member.name.rpartition(".")[2], self.table(member)

    def _value(self, type_: FieldType) -> Any:
        match type_:
            case Scalar(format="?"):
                return self._next("?") % 2 == 0
            case Scalar(format="f" | "d"):
                return self._next("f") - 7.5
            case Scalar(format=letter):
                # The ends of the range as well.
                bits = 8 * type_.size
                low, high = (
                    (0, 2**bits - 1) if letter.isupper() else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
                )
                return (high, low, 5, high - 1)[self._next(letter) % 4]
            case Enumeration(flags=True):
                names = [name for name, _ in type_.members]
                return (names[0], " ".join(names), names[-1])[self._next(type_.name) % 3]
            case Enumeration():
                return type_.members[self._next(type_.name) % len(type_.members)][0]
            case Text():
                return f"text ä {self._next('text')}"
            case Struct():
                return {field.name: self._value(field.type) for field in type_.fields}
            case Vector():
                # Two of numbers, which have two ends; one of tables, which are many.
                count = 1 if isinstance(type_.element, Table) else 4
                return [self._value(type_.element) for _ in range(count)]
            case Table():
                return self.table(type_)
        raise AssertionError(type_)


def tables_of(table: Table) -> set[str]:
    """The names of all tables below a table, its own included. No table is below itself."""
    return _below(table, ())


def _below(type_: FieldType, around: tuple[str, ...]) -> set[str]:
    match type_:
        case Vector():
            return _below(type_.element, around)
        case Union():
            return set().union(*(_below(member, around) for member in type_.members))
        case Table():
            assert type_.name not in around, f"{type_.name} is below itself: decode would recurse without end"
            inner = (_below(field.type, (*around, type_.name)) for field in type_.fields)
            return {type_.name}.union(*inner)
    return set()
