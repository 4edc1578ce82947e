"""The dialects that can be read and written, for ``ttl.ir.context.make_context``, and operations by their names.

A dialect is made when text first names it. Classes get their conditions here, since the modules of conditions depend on
those of classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Dialect, Region, SSAValue

from tt_model.operations.operation import OperationTable, RowOperation, segment_sizes
from tt_model.operations.row import SEGMENTS, Row

# The dialects with operations.
_WITH_OPERATIONS = ("ttir", "ttnn", "ttmetal", "ttkernel")
_ALL = ("tt", *_WITH_OPERATIONS)


def rows_of(dialect: str) -> OperationTable:
    """The rows of a dialect, sorted by name."""
    match dialect:
        case "ttir":
            from tt_model.operations.ttir import TTIR

            return TTIR
        case "ttnn":
            from tt_model.operations.ttnn import TTNN

            return TTNN
        case "ttmetal":
            from tt_model.operations.ttmetal import TTMETAL

            return TTMETAL
        case "ttkernel":
            from tt_model.operations.ttkernel import TTKERNEL

            return TTKERNEL
    return OperationTable(dialect)


def all_rows() -> tuple[Row, ...]:
    return tuple(row for dialect in _WITH_OPERATIONS for row in rows_of(dialect).rows)


@cache
def operation_class(name: str) -> type[RowOperation]:
    """The class of the operations called ``name``, with its conditions. Raises ``KeyError`` if there is no such row."""
    from tt_model.operations.verifiers import conditions_of

    kind = rows_of(name.partition(".")[0]).operation_class(name)
    kind.CONDITIONS = tuple(conditions_of(kind))
    return kind


def build(
    name: str,
    operands: Sequence[SSAValue | Sequence[SSAValue] | None],
    result_types: Sequence[Attribute],
    attributes: Mapping[str, Any] | None = None,
    *,
    location: LocationAttr | None = None,
    regions: Sequence[Region] = (),
) -> RowOperation:
    """Build an operation by the name of its row.

    ``operands`` has an entry for each operand group: a value, a sequence of values, or None for an empty group.
    ``attributes`` are attributes or values of Python, which the row's kinds convert (``{"dim0": 1}`` is ``1 : si32``);
    an attribute that is None is absent, and names that are not inherent must have attributes as values. Defaults and
    the sizes of operand groups are filled in.
    """
    cls = operation_class(name)
    row = cls.ROW
    if len(operands) != len(row.operands):
        groups = ", ".join(operand.name for operand in row.operands)
        raise ValueError(
            f"'{name}' has {len(row.operands)} groups of operands ({groups}), got {len(operands)}"
        )
    flat: list[SSAValue] = []
    sizes: list[int] = []
    for group in operands:
        match group:
            case None:
                sizes.append(0)
            case SSAValue():
                flat.append(group)
                sizes.append(1)
            case _:
                flat.extend(group)
                sizes.append(len(group))
    given: dict[str, Attribute] = {}
    for key, value in (attributes or {}).items():
        if isinstance(value, Attribute):
            given[key] = value
        elif value is not None:
            definition = row.attribute_named.get(key)
            if definition is None:
                raise ValueError(f"'{name}' has no attribute '{key}'")
            given[key] = definition.kind.make(value)
    if row.segments:
        given[SEGMENTS] = segment_sizes(tuple(sizes))
    return cls.create(
        operands=flat, result_types=result_types, attributes=given, location=location, regions=regions
    )


def _attributes_of(dialect: str) -> list[type[Attribute]]:
    """The attributes and types of a dialect; those of ``tt`` are in two modules."""
    modules = ("tt", "tt_system") if dialect == "tt" else (dialect,)
    return [
        attribute
        for module in modules
        for attribute in import_module(f"tt_model.attributes.{module}").ATTRIBUTES
    ]


@cache
def dialect_named(name: str) -> Dialect:
    """A dialect with its operations, attributes and types."""
    return Dialect(
        name, [operation_class(row.name) for row in rows_of(name).rows], list(_attributes_of(name))
    )


def _tosa() -> Dialect:
    from tt_model.operations.tosa import tosa

    return tosa()


def _emitc() -> Dialect:
    from ttl.emitc.dialect import emitc

    return emitc()


def _stablehlo() -> Dialect:
    from tt_model.stablehlo.dialect import stablehlo

    return stablehlo()


def _chlo() -> Dialect:
    from tt_model.stablehlo.dialect import chlo

    return chlo()


def _shardy() -> Dialect:
    from tt_model.stablehlo.shardy import shardy

    return shardy()


DIALECTS: Mapping[str, Callable[[], Dialect]] = MappingProxyType(
    {
        **{name: partial(dialect_named, name) for name in _ALL},
        "tosa": _tosa,
        "stablehlo": _stablehlo,
        "chlo": _chlo,
        "sdy": _shardy,
        "emitc": _emitc,
    }
)
