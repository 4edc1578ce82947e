"""The operations of ``arith``: a class and a function for each that is known here."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from ttmlir.bindings.attributes import as_attribute
from ttmlir.bindings.insertion import InsertionPoint
from ttmlir.bindings.operations import OperationHandle
from ttmlir.bindings.scope import Attribute, Location, Type
from ttmlir.bindings.types import FloatType, IndexType, IntegerType
from ttmlir.bindings.views import GeneratedView, member_of, namespace_of, views_of


class CmpIPredicate(IntEnum):
    """The comparison of ``arith.cmpi``."""

    eq = 0
    ne = 1
    slt = 2
    sle = 3
    sgt = 4
    sge = 5
    ult = 6
    ule = 7
    ugt = 8
    uge = 9


class CmpFPredicate(IntEnum):
    """The comparison of ``arith.cmpf``: ordered (false for NaN), or unordered (true for NaN)."""

    AlwaysFalse = 0
    OEQ = 1
    OGT = 2
    OGE = 3
    OLT = 4
    OLE = 5
    ONE = 6
    ORD = 7
    UEQ = 8
    UGT = 9
    UGE = 10
    ULT = 11
    ULE = 12
    UNE = 13
    UNO = 14
    AlwaysTrue = 15


def _constant_view() -> type[GeneratedView]:
    return views_of("arith")["ConstantOp"]


class ConstantOp:
    """``arith.constant``: of a type and a value of Python, or of an attribute."""

    def __new__(
        cls,
        result: Type | OperationHandle,
        value: Any = None,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> Any:
        if isinstance(result, OperationHandle):
            return _constant_view()(result)
        return _constant_view()(result, _typed(result, value), loc=loc, ip=ip)

    @staticmethod
    def create_index(value: int, *, loc: Location | None = None, ip: InsertionPoint | None = None) -> Any:
        """A constant of type ``index``."""
        return ConstantOp(IndexType.get(loc.context if loc is not None else None), value, loc=loc, ip=ip)


def constant(
    result: Type, value: Any, *, loc: Location | None = None, ip: InsertionPoint | bool | None = None
) -> Any:
    """The result of a constant."""
    return ConstantOp(result, value, loc=loc, ip=ip).results[0]


def _typed(type: Type, value: Any) -> Any:
    from xdsl.dialects import builtin

    if isinstance(value, Attribute):
        return value
    if isinstance(type, IntegerType | IndexType):
        return builtin.IntegerAttr(int(value), type.xdsl)
    if isinstance(type, FloatType):
        return builtin.FloatAttr(float(value), type.xdsl)
    return as_attribute(value, type.context)


def __getattr__(name: str) -> Any:
    return member_of("arith", name)


def __dir__() -> list[str]:
    return sorted({*namespace_of("arith"), "CmpFPredicate", "CmpIPredicate", "ConstantOp", "constant"})
