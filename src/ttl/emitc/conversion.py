"""Conversions to ``emitc``: variables, calls and verbatim C++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, i64
from xdsl.dialects.emitc import EmitC_LValueType
from xdsl.ir import Attribute, Operation, SSAValue

from ttl.emitc.dialect import EmitcOp, opaque, operation
from ttl.ir.conversion import BlockConversion

# Operations of ``arith`` that a single operation of C++ computes, for operands of the right signedness.
ARITHMETIC: Mapping[type[Operation], str] = MappingProxyType(
    {
        arith.AddiOp: "add",
        arith.SubiOp: "sub",
        arith.MuliOp: "mul",
        arith.DivSIOp: "div",
        arith.DivUIOp: "div",
        arith.RemSIOp: "rem",
        arith.RemUIOp: "rem",
        arith.AndIOp: "bitwise_and",
        arith.OrIOp: "bitwise_or",
        arith.XOrIOp: "bitwise_xor",
        arith.ShLIOp: "bitwise_left_shift",
        arith.ShRSIOp: "bitwise_right_shift",
        arith.ShRUIOp: "bitwise_right_shift",
        arith.AddfOp: "add",
        arith.SubfOp: "sub",
        arith.MulfOp: "mul",
        arith.DivfOp: "div",
    }
)
# The predicate of ``emitc`` for each predicate of MLIR; ``emitc`` has no unsigned predicates.
_PREDICATES = (0, 1, 2, 3, 4, 5, 2, 3, 4, 5)


class EmitcConversion(BlockConversion):
    """Converts the operations of a block to ``emitc``."""

    def computed(
        self, name: str, *operands: SSAValue, result: Attribute, **attributes: Attribute | None
    ) -> SSAValue:
        """Add an operation, and return its result."""
        return self.add(operation(name, *operands, results=[result], regions=(), **attributes)).results[0]

    def compared(self, op: arith.CmpiOp, operands: Sequence[SSAValue], result: Attribute) -> SSAValue:
        """Add a comparison of integers; it is unsigned if the type of the operands is."""
        predicate = IntegerAttr(_PREDICATES[op.predicate.value.data], i64)
        return self.computed("cmp", *operands, result=result, predicate=predicate)

    def variable(self, type_: Attribute, text: str = "") -> SSAValue:
        """Add a variable, which is initialised with the C++ of ``text``."""
        return self.computed("variable", result=EmitC_LValueType(type_), value=opaque(text))

    def assign(self, variable: SSAValue, value: SSAValue) -> None:
        """Assign a value to a variable."""
        self.add(operation("assign", variable, value))

    def load(self, variable: SSAValue) -> SSAValue:
        """Load the value of a variable."""
        assert isinstance(variable.type, EmitC_LValueType)
        return self.computed("load", variable, result=variable.type.value_type)

    def call(
        self,
        callee: str,
        arguments: Sequence[SSAValue | str],
        results: Sequence[Attribute] = (),
        *,
        template: Sequence[str] = (),
        lists_arguments: bool = False,
    ) -> EmitcOp:
        """Add a call of a C++ function.

        ``lists_arguments`` adds the attribute ``args`` even if all arguments are values, where it is not necessary.
        """
        operands = [argument for argument in arguments if isinstance(argument, SSAValue)]
        positions = iter(range(len(operands)))
        listed: list[Attribute] = [
            opaque(argument) if isinstance(argument, str) else IntegerAttr(next(positions), IndexType())
            for argument in arguments
        ]
        is_plain = len(operands) == len(listed) and not lists_arguments
        call = operation(
            "call_opaque",
            *operands,
            results=results,
            callee=StringAttr(callee),
            args=None if is_plain else ArrayAttr(listed),
            template_args=ArrayAttr(map(opaque, template)) if template else None,
        )
        self.add(call)
        return call

    def verbatim(self, pieces: Sequence[str | SSAValue]) -> None:
        """Add a verbatim C++ statement.

        With values, each value is a pair of braces in the text, and literal opening braces are doubled.
        """
        values = [piece for piece in pieces if isinstance(piece, SSAValue)]
        texts = (piece if isinstance(piece, str) else None for piece in pieces)
        text = "".join(
            "{}" if item is None else item.replace("{", "{{") if values else item for item in texts
        )
        self.add(operation("verbatim", *values, value=StringAttr(f"{text};")))
