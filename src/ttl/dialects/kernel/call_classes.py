"""Calls of the kernel API: one class for each row of ``ttl.kernel_api``, made on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

from xdsl.dialects.builtin import Float64Type, FloatAttr, IndexType, IntegerAttr, IntegerType, StringAttr, i1
from xdsl.ir import Attribute, OpTraits, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.compute import attribute_of, value_of
from ttl.dialects.elements import DataTypeType
from ttl.dialects.kernel.kernel import kernel_of
from ttl.dialects.kernel.types import (
    CBType,
    CircularBufferType,
    KernelSemaphoreType,
    L1AddrPtrType,
    NocAddrType,
    TensorAccessorType,
)
from ttl.ir.syntax import parse_stripped, print_stripped
from ttl.kernel_api.function_rows import Call, CallParameter, Effect
from ttl.kernel_api.table import call as row_named

# The type of each kind of value except circular buffers, whose types differ.
_TYPES: Mapping[str, Attribute] = MappingProxyType(
    {
        "index": IndexType(),
        "l1": IndexType(),
        "noc": NocAddrType(),
        "pointer": L1AddrPtrType(),
        "accessor": TensorAccessorType(),
        "semaphore": KernelSemaphoreType(),
        "flag": i1,
    }
)
# How passes may move a call: anywhere; not across calls that write; not at all.
_TRAITS: Mapping[Effect, OpTraits] = MappingProxyType(
    {
        "pure": traits_def(Pure()),
        "read": traits_def(MemoryReadEffect()),
        "write": traits_def(MemoryReadEffect(), MemoryWriteEffect()),
    }
)


@irdl_op_definition
class KernelCallOp(IRDLOperation):
    """A call of the kernel API. Its constants are attributes; its values are operands."""

    name = "ttkernel.call"
    arguments = var_operand_def()
    returned = var_result_def()
    CALL: ClassVar[Call]

    @property
    def call(self) -> Call:
        """The row of the table for this call."""
        return self.CALL

    @property
    def constants(self) -> dict[str, Any]:
        """Its constants by name, as Python values: int, bool, float, DType or str; see ``Call.spell``."""
        return {constant.name: value_of(self.attributes[constant.name]) for constant in self.CALL.constants}

    @classmethod
    def parse(cls, parser: Parser) -> KernelCallOp:
        position = parser.pos
        row = cls.CALL
        # After a call without operands, a value in the text is the result of the next operation.
        given = row.operands and parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        operands = list(given or ())
        attributes = parser.parse_optional_attr_dict()
        if len(operands) != len(row.operands):
            parser.raise_error(_count(row, len(operands)), position, parser.pos)
        types: list[Attribute] = []
        for operand in row.operands:
            if operand.kind == "cb":
                parser.parse_punctuation("," if any(isinstance(type_, CBType) for type_ in types) else ":")
                types.append(parse_stripped(parser, CBType))
            else:
                types.append(_TYPES[operand.kind])
        resolved = parser.resolve_operands(operands, types, position)
        return cls.create(operands=resolved, result_types=_results(row), attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        buffers = [operand.type for operand in self.operands if isinstance(operand.type, CBType)]
        if buffers:
            printer.print_string(" : ")
            printer.print_list(buffers, lambda type_: print_stripped(printer, type_))

    def verify_(self) -> None:
        row = self.CALL
        if len(self.operands) != len(row.operands):
            raise VerifyException(_count(row, len(self.operands)))
        for argument, operand in zip(row.operands, self.operands, strict=True):
            if not _has_kind(operand.type, argument.kind):
                raise VerifyException(f"{argument.name} is {_article(argument.kind)}, not {operand.type}")
        if tuple(result.type for result in self.results) != _results(row):
            said = ", ".join(str(result.type) for result in self.results) or "none"
            raise VerifyException(
                f"the results are {', '.join(map(str, _results(row))) or 'none'}, not {said}"
            )
        kernel = None if row.thread == "any" else kernel_of(self)
        if kernel is not None and kernel.thread != row.thread:
            raise VerifyException(
                f"{row.name} is for {row.thread} kernels, and @{kernel.declared_name} is {kernel.thread}"
            )
        for argument in row.constants:
            given = self.attributes.get(argument.name)
            if given is None:
                raise VerifyException(f"the constant {argument.name} is missing")
            if not _is_constant(given, argument.kind):
                raise VerifyException(f"{argument.name} is a constant of kind {argument.kind}, not {given}")


def _count(row: Call, count: int) -> str:
    names = ", ".join(operand.name for operand in row.operands)
    wanted = f"{len(row.operands)} operands ({names})" if names else "no operands"
    return f"{row.name} takes {wanted}, not {count}"


def _results(row: Call) -> tuple[Attribute, ...]:
    return () if row.result is None else (_TYPES[row.result],)


def _article(kind: str) -> str:
    return "a circular buffer" if kind == "cb" else f"{_TYPES[kind]}"


def _has_kind(type_: Attribute, kind: str) -> bool:
    return isinstance(type_, CircularBufferType) if kind == "cb" else type_ == _TYPES[kind]


def _is_constant(given: Attribute, kind: str) -> bool:
    match given:
        case IntegerAttr(type=IntegerType() as type_):
            return kind == ("bool" if type_ == i1 else "int")
        case FloatAttr(type=Float64Type()):
            return kind in ("float", "bits")
        case DataTypeType():
            return kind == "format"
        case StringAttr():
            return kind in ("word", "text")
    return False


@cache
def class_of(name: str) -> type[KernelCallOp]:
    """The class of a row, by its name. Raises KeyError for a name that is not in the table."""
    row = row_named(name)
    words = "".join(word.capitalize() for word in name.split("_"))
    return type(
        f"{words}Op",
        (KernelCallOp,),
        {
            "name": f"ttkernel.{name}",
            "CALL": row,
            "traits": _TRAITS[row.effect],
            "__doc__": row.doc,
            "__module__": __name__,
        },
    )


def call(name: str, *operands: SSAValue, **constants: Any) -> KernelCallOp:
    """Make an operation that calls a function of the kernel API; its result, if it has one, is ``results[0]``.

    Constants are Python values: int, bool, float (for ``float`` and ``bits``), a DType, str. Raises KeyError for a
    function that is not in the table, TypeError for operands or constants that it does not have.
    """
    kind = class_of(name)
    row = kind.CALL
    _check(row, operands, constants)
    return kind.create(
        operands=operands,
        result_types=_results(row),
        attributes={
            constant.name: attribute_of(_normal(constant, constants[constant.name]))
            for constant in row.constants
        },
    )


def _normal(argument: CallParameter, value: Any) -> Any:
    match argument.kind:
        case "int":
            return int(value)
        case "bool":
            return bool(value)
        case "float" | "bits":
            return float(value)
    return value


def _check(row: Call, operands: Sequence[SSAValue], constants: Mapping[str, Any]) -> None:
    if len(operands) != len(row.operands):
        raise TypeError(_count(row, len(operands)))
    for argument, operand in zip(row.operands, operands, strict=True):
        if not _has_kind(operand.type, argument.kind):
            raise TypeError(f"{row.name}: {argument.name} is {_article(argument.kind)}, not {operand.type}")
    names = {constant.name for constant in row.constants}
    if names != constants.keys():
        wanted = ", ".join(sorted(names)) or "no constants"
        raise TypeError(f"{row.name} takes {wanted}, not {', '.join(sorted(constants)) or 'none'}")
