"""Arrays that a function closed over: as arguments of the program, since TTNN makes tensors of one number only.

Large ones never become text: they are taken out of JAX's own module, where a call of ``ttmlir.constant`` with their number is
left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tt_model.operations.constants import add_argument, erase_argument
from tt_model.operations.shared import TTIRReshapeOp, TTIRTransposeOp
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttir import TTIRConstantOp
from tt_model.stablehlo.dialect import HLOCustomCall
from tt_model.stablehlo.numbers import array_of
from tt_model.stablehlo.reading import attribute
from ttl.ir.dense import first_of, is_splat
from ttmlir.transforms.inline import InlineCalls

if TYPE_CHECKING:
    from ttmlir.ir import Module

# Larger tables are taken out. Smaller ones may be indices, for which known values are useful.
LARGEST_IN_TEXT = 1024
TARGET = "ttmlir.constant"


def taken_out(upstream: Any) -> list[np.ndarray[Any, Any]]:
    """Take large tables out of a JAX module, and put calls of ``ttmlir.constant`` in their place."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    arrays: list[np.ndarray[Any, Any]] = []
    large: list[Any] = []

    def look(op: Any) -> Any:
        # jaxlib gives no attribute for complex numbers; the conversion of the constant refuses it at its line.
        if isinstance(op.opview, stablehlo.ConstantOp) and "complex" not in str(op.results[0].type):
            value = op.attributes["value"]
            if (
                isinstance(value, ir.DenseElementsAttr)
                and not value.is_splat
                and len(value) > LARGEST_IN_TEXT
            ):
                large.append(op)
        return ir.WalkResult.ADVANCE

    upstream.walk(look)
    with upstream.context:
        for op in large:
            attributes = {
                "call_target_name": ir.StringAttr.get(TARGET),
                "index": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), len(arrays)),
            }
            arrays.append(np.array(op.attributes["value"]))
            call = ir.Operation.create(
                "stablehlo.custom_call",
                results=[result.type for result in op.results],
                attributes=attributes,
                loc=op.location,
                ip=ir.InsertionPoint(op),
            )
            op.results[0].replace_all_uses_with(call.results[0])
            op.erase()
    return arrays


def constants_as_arguments(module: Module, arrays: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Inline calls, and make arguments of ``ttmlir.constant`` calls; return their arrays in the arguments' order."""
    operation = module.operation.xdsl
    assert isinstance(operation, ModuleOp)
    InlineCalls().apply(module.context.xdsl, operation)
    main = main_of(operation)
    taken: list[np.ndarray[Any, Any]] = []
    known: dict[int, Any] = {}
    for op in [op for op in main.walk() if _number(op) is not None]:
        number = _number(op)
        assert number is not None
        if number not in known:
            known[number] = _new_argument(main, op, len(taken))
            taken.append(arrays[number])
        op.results[0].replace_all_uses_with(known[number])
        Rewriter.erase_op(op)
    return taken


def _number(op: Operation) -> int | None:
    target, index = attribute(op, "call_target_name"), attribute(op, "index")
    if (
        not isinstance(op, HLOCustomCall)
        or target != StringAttr(TARGET)
        or not isinstance(index, IntegerAttr)
    ):
        return None
    return int(index.value.data)


def hoisted_constants(module: Module) -> list[np.ndarray[Any, Any]]:
    """Make arguments of the constants that TTNN cannot make by filling; return their arrays in the arguments' order."""
    operation = module.operation.xdsl
    assert isinstance(operation, ModuleOp)
    main = main_of(operation)
    arrays: list[np.ndarray[Any, Any]] = []
    known: dict[Any, Any] = {}
    for op in [op for op in main.walk() if isinstance(op, TTIRConstantOp)]:
        value = op.value
        if not isinstance(value, DenseIntOrFPElementsAttr) or (is_splat(value) and _is_filled(value)):
            continue
        if value not in known:
            values = array_of(value)
            assert values is not None
            if str(value.type.element_type) == "bf16":
                from ml_dtypes import bfloat16

                values = values.astype(bfloat16)
            known[value] = _new_argument(main, op, len(arrays))
            arrays.append(np.ascontiguousarray(values))
        op.results[0].replace_all_uses_with(known[value])
        Rewriter.erase_op(op)
    return arrays


def folded_constants(module: Module, arrays: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Apply transposes and reshapes of constants to the arrays, as views; return the arrays of the remaining arguments.

    ``arrays`` are the values of the last arguments of the function.
    """
    operation = module.operation.xdsl
    assert isinstance(operation, ModuleOp)
    main = main_of(operation)
    block = main.body.block
    known: dict[SSAValue, np.ndarray[Any, Any]] = dict(
        zip(block.args[len(block.args) - len(arrays) :], arrays, strict=True)
    )
    for op in [op for op in block.ops if isinstance(op, TTIRTransposeOp | TTIRReshapeOp)]:
        array = known.get(op.operands[0])
        if array is None:
            continue
        held = array.reshape(array.shape or (1,))
        if isinstance(op, TTIRTransposeOp):
            moved = np.swapaxes(held, op.dim0, op.dim1)
        else:
            moved = held.reshape(shape_of(op.result))
        argument = _new_argument(main, op, len(known), op.operands[0])
        known[argument] = moved
        op.results[0].replace_all_uses_with(argument)
        Rewriter.erase_op(op)
    for argument in [one for one in block.args if one in known and one.first_use is None]:
        del known[argument]
        assert isinstance(argument, BlockArgument)
        erase_argument(main, argument)
    return [known[one] for one in block.args if one in known]


def _is_filled(value: DenseIntOrFPElementsAttr[Any]) -> bool:
    """Whether TTNN can make a table by filling a tensor with one number, which must be exact in float32."""
    number = first_of(value)
    return not isinstance(number, int) or float(np.float32(number)) == number


def main_of(module: ModuleOp) -> FuncOp:
    """Return the entry point: the first function with a body."""
    return next(op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks)


def _new_argument(
    function: FuncOp, op: Operation, number: int, like: SSAValue | None = None
) -> BlockArgument:
    argument = add_argument(function, op.results[0].type, like)
    argument.name_hint = f"constant{number}"
    location: LocationAttr = op.location
    argument.location = location
    return argument
