"""The dialects that can be read and written, for ``ttl.ir.context.make_context``. Each is made when text first names it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType

from xdsl.ir import Attribute, Dialect

from tt_model.operations.operation import OperationTable, RowOperation
from tt_model.operations.row import Row

# The dialects with operations.
_WITH_OPERATIONS = ("ttir", "ttnn", "ttmetal", "ttkernel")
_ALL = ("tt", *_WITH_OPERATIONS)


def rows_of(dialect: str) -> OperationTable:
    """The rows of a dialect, in the order of their names."""
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
    """The class of the operations called ``name``. Raises ``KeyError`` where there is no such row."""
    return rows_of(name.partition(".")[0]).operation_class(name)


def _attributes_of(dialect: str) -> list[type[Attribute]]:
    """The attributes and types of a dialect, of which those of ``tt`` are in two modules."""
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
