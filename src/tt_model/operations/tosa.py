"""The ``tosa`` dialect as text, in which models arrive before they are converted to TTIR.

Every operation that TOSA writes as ``tosa.name operands {attributes} : (types) -> types`` can be read and printed;
whether it is valid is left to MLIR's own verifiers.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Self

from xdsl.ir import Dialect, Operation
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from tt_model.operations.elementwise import (
    TTIRAbsOp,
    TTIRAddOp,
    TTIRElementwiseOp,
    TTIRGreaterEqualOp,
    TTIRMultiplyOp,
    TTIRNegOp,
    TTIRSubtractOp,
)

_NAMES = """
abs add argmax arithmetic_right_shift avg_pool2d bitwise_and bitwise_not bitwise_or bitwise_xor cast ceil clamp clz concat const
conv2d conv3d cos depthwise_conv2d equal erf exp fft2d floor fully_connected gather greater greater_equal identity int_div log
logical_and logical_left_shift logical_not logical_or logical_right_shift logical_xor matmul max_pool2d maximum minimum mul
negate pad pow reciprocal reduce_all reduce_any reduce_max reduce_min reduce_prod reduce_sum rescale reshape resize reverse
rfft2d rsqrt scatter select sigmoid sin slice sub table tanh tile transpose transpose_conv2d
"""


# All are elementwise, and repeat operands as TOSA does.
CONVERTED: Mapping[str, type[TTIRElementwiseOp]] = MappingProxyType(
    {
        "abs": TTIRAbsOp,
        "add": TTIRAddOp,
        "greater_equal": TTIRGreaterEqualOp,
        "mul": TTIRMultiplyOp,
        "negate": TTIRNegOp,
        "sub": TTIRSubtractOp,
    }
)


class TosaOperation(Operation):
    """An operation of TOSA.

    Each name has a class; ``BECOMES`` is the class in TTIR that it is converted to, or None.
    """

    BECOMES: ClassVar[type[TTIRElementwiseOp] | None] = None

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``operands {attributes} : (types) -> types``, the form of all operations but ``const``."""
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        start = parser.pos
        type = parser.parse_function_type()
        values = parser.resolve_operands(operands or [], list(type.inputs), start)
        return cls.create(operands=values, result_types=list(type.outputs), attributes=attributes)

    def print(self, printer: Printer) -> None:
        """Print the operation in the form in which it is parsed."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        attributes = {**self.properties, **self.attributes}
        if attributes:
            printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_operation_type(self)


def _class_named(name: str) -> type[Operation]:
    namespace = {"name": f"tosa.{name}", "BECOMES": CONVERTED.get(name)}
    return type(f"Tosa{name.title().replace('_', '')}", (TosaOperation,), namespace)


def tosa() -> Dialect:
    """The dialect."""
    return Dialect("tosa", [_class_named(name) for name in _NAMES.split()], [])
