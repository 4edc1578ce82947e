"""The nominal element type of a value: what loops and branches need where two values become one."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.elements import value_type
from ttl.ir.syntax import operation_definition
from ttl.ops.types import BlockType


@operation_definition
class RetypeOp(IRDLOperation):
    """The same value under another element type, without rounding: inside an expression floats are float32 anyway.

    It appears where a loop carries, or a branch chooses, values of different element types: ``total``, say, that
    starts as a block filled with the whole number 0 and goes on as bfloat16.
    """

    name = "ttl.retype"
    value = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue, type: BlockType) -> None:
        super().__init__(operands=[value], result_types=[value_type(type)])

    def verify_(self) -> None:
        given, result = self.value.type, self.result.type
        assert isinstance(given, TensorType) and isinstance(result, TensorType)
        if given.get_shape() != result.get_shape():
            raise VerifyException(
                f"expected a result of shape {list(given.get_shape())}, got {list(result.get_shape())}"
            )
