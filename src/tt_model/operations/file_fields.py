"""The sources of a ``.ttnn`` table's fields in its operation; they follow from the class and the schema.

The tensors of a table are the operands and results of the class in their order; other fields are the attributes of the
same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias

from tt_model.flatbuffer.schema import Field, FieldType, Table, Union, Vector, schema
from tt_model.layouts.values import LayoutError
from tt_model.operations import kinds
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.row import AttributeDefinition, OperandDefinition

# Fields whose names differ from those of their attributes.
_OTHERWISE: Mapping[str, str] = MappingProxyType({"memory_config": "memcfg", "fillValue": "fill_value"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word that is the same for all operations of a class."""

    text: str


@dataclass(frozen=True, slots=True)
class FieldParameters:
    """Attributes that only some operations with the same table have; they are written to a table of their own."""

    attributes: Mapping[str, AttributeDefinition]


Part: TypeAlias = (
    OperandDefinition | AttributeDefinition | FieldParameters | Word | Literal["result", "further results"]
)


@dataclass(frozen=True, slots=True)
class FieldOfClass:
    """The name of a field, and the part of the operation that it contains.

    A number equal to ``default`` is not written.
    """

    name: str
    part: Part
    default: float | None = None


@cache
def fields_of(kind: type[TTNNOperation]) -> tuple[FieldOfClass, ...]:
    """The fields of a class's table. Raises ``LayoutError`` if an operand or an attribute has no field."""
    row, written = kind.ROW, kind.ROW.flatbuffer
    assert written is not None
    table = _tables()[written.table]
    groups = [group for group in row.operands if group.name != row.inits]
    attributes = {_OTHERWISE.get(one.name, one.name): one for one in row.attributes}
    fields: list[FieldOfClass] = []
    for field in table.fields:
        group = next((group for group in groups if _has(field, group)), None)
        if field.name in _RESULTS:
            fields.append(FieldOfClass(field.name, _RESULTS[field.name]))
        elif group is not None:
            groups.remove(group)
            fields.append(FieldOfClass(field.name, group))
        elif field.name in attributes:
            default = None if isinstance(field.type, Vector) else field.default
            fields.append(FieldOfClass(field.name, attributes.pop(field.name), default))
        elif field.name == "type":
            fields.append(FieldOfClass(field.name, Word(written.type)))
        elif isinstance(field.type, Union) and attributes:
            fields.append(FieldOfClass(f"{field.name}_type", Word(_table_of(field.type, attributes))))
            fields.append(FieldOfClass(field.name, FieldParameters(attributes)))
            attributes = {}
    if groups or attributes:
        unsaid = ", ".join([*(group.name for group in groups), *attributes])
        raise LayoutError(f"the table {written.table} has no field for {unsaid} of {row.name}")
    return tuple(fields)


_RESULTS: Mapping[str, Literal["result", "further results"]] = MappingProxyType(
    {"out": "result", "further_outs": "further results"}
)
_REFERENCES = MappingProxyType({kinds.TENSOR: "TensorRef", kinds.DEVICE: "DeviceRef"})


def _has(field: Field, group: OperandDefinition) -> bool:
    """Whether a field contains tensors, or a device, like a group of operands."""
    element = field.type.element if isinstance(field.type, Vector) else field.type
    return isinstance(element, Table) and element.name.rpartition(".")[2] == _REFERENCES[group.kind]


def _table_of(union: Union, attributes: Mapping[str, AttributeDefinition]) -> str:
    """The name of the union's table whose fields are exactly these attributes."""
    names = [word.name for word in union.members if {one.name for one in word.fields} == {*attributes}]
    if len(names) != 1:
        raise LayoutError(f"{union.name} has no table of {', '.join(attributes)}")
    return names[0].rpartition(".")[2]


@cache
def _tables() -> Mapping[str, Table]:
    """The tables for operations in the schema, by their names."""
    record: FieldType = schema("TTNN/binary.fbs").root
    for name in ("programs", "operations", "type"):
        assert isinstance(record, Table)
        (record,) = (field.type for field in record.fields if field.name == name)
        record = record.element if isinstance(record, Vector) else record
    assert isinstance(record, Union)
    return {member.name.rpartition(".")[2]: member for member in record.members}
