"""Operations on the values of blocks: one class for each row of the table of operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    StringAttr,
    TensorType,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.diag.model import Diagnostic
from ttl.dialects.elements import (
    DTYPE_OF_NAME,
    SHORT_NAMES,
    DataTypeType,
    block_type_of,
    value_type,
)
from ttl.dialects.layouts import OrderAttr, TensorOrder
from ttl.dialects.structure import COMPUTING
from ttl.ir.syntax import i64_array, ints_of, operation_definition
from ttl.rows.dtypes import DType
from ttl.rows.row import Op, Params
from ttl.rows.table import FILL, OPS
from ttl.rows.types import BlockType, Layout

# Rules get these in place of numbers that are known only when the kernel runs: an integer, and a float.
AN_INTEGER, A_FRACTION = 1, 0.5


def attribute_of(value: Any) -> Attribute:
    """A parameter of an operation as an attribute; the inverse is ``value_of``.

    Raises TypeError for a value that cannot be a parameter.
    """
    match value:
        case None:
            return NoneAttr()
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case Layout():
            return OrderAttr(TensorOrder.TILED if value is Layout.TILE else TensorOrder.ROW_MAJOR)
        case str():
            return StringAttr(value)
        case DType():
            return DataTypeType(SHORT_NAMES[value])
        case tuple():
            if all(type(item) is int for item in value):
                return i64_array(value)
            return ArrayAttr([attribute_of(item) for item in value])
    raise TypeError(f"{value!r} is not a parameter of an operation")


def value_of(attribute: Attribute) -> Any:
    """The parameter that an attribute represents. Raises TypeError for other attributes."""
    match attribute:
        case NoneAttr():
            return None
        case IntegerAttr():
            number = attribute.value.data
            return bool(number) if attribute.type == i1 else number
        case FloatAttr():
            return attribute.value.data
        case OrderAttr():
            return Layout.TILE if attribute.data is TensorOrder.TILED else Layout.ROW_MAJOR
        case StringAttr():
            return attribute.data
        case DataTypeType():
            return DTYPE_OF_NAME[attribute.element]
        case DenseArrayBase():
            return ints_of(attribute)
        case ArrayAttr():
            return tuple(value_of(item) for item in attribute)
    raise TypeError(f"{attribute} is not a parameter of an operation")


def attributes_for(row: Op, params: Params) -> dict[str, Attribute | None]:
    """Return the parameters of a row as attributes; the value for a parameter that is None is None: no attribute."""
    return {
        param.name: None if value is None else attribute_of(value)
        for param, value in zip(row.params, params, strict=True)
    }


def params_of(op: Operation, row: Op) -> Params:
    """The parameters in the attributes of an operation, in the order of the row."""
    return tuple(
        None if (given := op.attributes.get(param.name)) is None else value_of(given) for param in row.params
    )


def parse_operands(parser: Parser) -> Sequence[UnresolvedOperand]:
    """Parse ``%a, %b``, or an empty list."""
    operands = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    return operands or ()


def parse_signature(
    parser: Parser, operands: Sequence[UnresolvedOperand]
) -> tuple[dict[str, Attribute], Sequence[SSAValue], Attribute]:
    """Parse ``{attributes} : types -> type``; return the attributes, the typed operands, and the type of the result."""
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    position = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type) if operands else ()
    parser.parse_punctuation("->")
    return attributes, parser.resolve_operands(operands, types, position), parser.parse_type()


def print_operands(printer: Printer, op: Operation) -> None:
    """Print operands in the form that ``parse_operands`` reads."""
    if op.operands:
        printer.print_string(" ")
        printer.print_list(op.operands, printer.print_operand)


def print_signature(printer: Printer, op: Operation) -> None:
    """Print a signature in the form that ``parse_signature`` reads."""
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    if op.operands:
        printer.print_list(op.operands, lambda operand: printer.print_attribute(operand.type))
        printer.print_string(" ")
    printer.print_string("-> ")
    printer.print_attribute(op.results[0].type)


@operation_definition
class BlockComputeOp(IRDLOperation):
    """An operation on values of blocks. Its parameters are attributes; a parameter that is None has no attribute."""

    name = "ttl.block_compute"
    inputs = var_operand_def()
    result = result_def(TensorType)
    traits = traits_def(COMPUTING, Pure())

    ROW: ClassVar[Op]

    def __init__(self, operands: Sequence[SSAValue], params: Params, result: BlockType) -> None:
        super().__init__(
            operands=[operands],
            result_types=[value_type(result)],
            attributes=attributes_for(self.ROW, params),
        )

    @property
    def row(self) -> Op:
        """The row of the table of operations."""
        return self.ROW

    @property
    def params(self) -> Params:
        """Its parameters, in the order of the row."""
        return params_of(self, self.ROW)

    @classmethod
    def parse(cls, parser: Parser) -> BlockComputeOp:
        attributes, operands, result = parse_signature(parser, parse_operands(parser))
        return cls.create(operands=operands, result_types=[result], attributes=attributes)

    def print(self, printer: Printer) -> None:
        print_operands(printer, self)
        print_signature(printer, self)

    def inferred(self) -> BlockType | Diagnostic:
        """The type of the result, or the reason why there is no type.

        Raises ``VerifyException`` for a wrong number of operands, and for a missing parameter.
        """
        row = self.ROW
        params = self.params
        operands: tuple[BlockType | float, ...]
        if is_filled_later(self):
            # The type does not depend on the number.
            operands, params = (), (*map(_stand_in, self.operands), *params[1:])
        else:
            operands = tuple(map(_operand_type, self.operands))
        if len(operands) != len(row.operands):
            raise VerifyException(f"{row.name} takes {len(row.operands)} operands, not {len(operands)}")
        for param, value in zip(row.params, params, strict=True):
            if value is None and param.default is not None:
                raise VerifyException(f"the parameter {param.name} is missing")
        return row.infer(operands, params)

    def verify_(self) -> None:
        inferred = self.inferred()
        if isinstance(inferred, Diagnostic):
            raise VerifyException(inferred.message)
        if self.result.type != value_type(inferred):
            raise VerifyException(f"the result is {value_type(inferred)}, not {self.result.type}")


def is_filled_later(op: Operation) -> bool:
    """Whether it is a fill whose number is known only when the kernel runs: an operand, in place of the parameter.

    It may be an operation on blocks or on tiles.
    """
    return "value" not in op.attributes and getattr(op, "row", None) is FILL and len(op.operands) == 1


def _operand_type(value: SSAValue) -> BlockType | float:
    match value.type:
        case TensorType():
            try:
                return block_type_of(value.type)
            except ValueError as problem:
                raise VerifyException(str(problem)) from problem
        case Float64Type() | IndexType() | IntegerType():
            number = constant_of(value)
            return _stand_in(value) if number is None else number
    raise VerifyException(f"an operand is the value of a block or a number, not {value.type}")


def _stand_in(value: SSAValue) -> float:
    return A_FRACTION if isinstance(value.type, Float64Type) else AN_INTEGER


def constant_of(value: SSAValue) -> float | None:
    """The number of a value that is a constant; None for other values."""
    if not isinstance(value.owner, ConstantOp):
        return None
    match value.owner.value:
        case IntegerAttr() | FloatAttr() as number:
            return number.value.data
    return None


def _class_of(row: Op) -> type[BlockComputeOp]:
    words = "".join(word.capitalize() for word in row.name.split("_"))
    return type(
        f"Block{words}Op",
        (BlockComputeOp,),
        {"name": f"ttl.block_{row.name}", "ROW": row, "__doc__": row.summary, "__module__": __name__},
    )


# The classes by the names of rows.
COMPUTE: Mapping[str, type[BlockComputeOp]] = MappingProxyType({row.name: _class_of(row) for row in OPS})


def is_compute(op: Operation) -> bool:
    """Whether an operation belongs to a row of the table."""
    return isinstance(op, BlockComputeOp)
