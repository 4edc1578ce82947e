"""Conditions on regions, and on the operations that contain an operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from tt_model.operations import kinds
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttmetal import TTMetalDispatchOp

if TYPE_CHECKING:
    from tt_model.operations.operation import RowOperation
    from tt_model.operations.row import Check
    from tt_model.operations.ttir import TTIRGenericOp


# Work on a grid of cores.


def _region_takes_the_operands(op: TTIRGenericOp) -> str | None:
    arguments = len(op.regions[0].blocks[0].args) if op.regions[0].blocks else 0
    operands = len(op.inputs) + len(op.outputs)
    if arguments == operands:
        return None
    return (
        "The number of input and output operands and region/block arguments must match: "
        f"{operands} operands, {arguments} arguments"
    )


def _streams_exist(op: TTIRGenericOp) -> str | None:
    count = len(op.cbs)
    for index in op.operand_cb_mapping:
        if not -1 <= index < count:
            return f"CB index out of bounds: {index} of {count}"
    return None


def _maps_are_of_the_operands(op: TTIRGenericOp) -> str | None:
    maps, operands = op.indexing_maps, (*op.inputs, *op.outputs)
    if len(maps) != len(operands):
        return (
            f"indexing_maps has {len(maps)} maps for {len(operands)} operands: each input and output has one"
        )
    iterators = len(op.iterator_types)
    for number, (map, operand) in enumerate(zip(maps, operands)):
        rank = len(shape_of(operand))
        if (map.data.num_dims, len(map.data.results)) != (iterators, rank):
            return (
                f"indexing_maps has {map.data.num_dims} dimensions and {len(map.data.results)} results for operand #{number}: "
                f"there are {iterators} iterator_types, and the operand has {rank} dimensions"
            )
    return None


GENERIC = (_region_takes_the_operands, _streams_exist, _maps_are_of_the_operands)


# Kernels.


def in_kernel(class_name: str) -> tuple[Check, ...]:
    """Return the condition that an operation is in a kernel: a region of a dispatch, or a function of a module.

    A region of a dispatch becomes such a function.
    """

    def is_in_kernel(op: RowOperation) -> str | None:
        parent = op.parent_op()
        while parent is not None:
            if isinstance(parent, TTMetalDispatchOp) or (
                isinstance(parent, FuncOp) and isinstance(parent.parent_op(), ModuleOp)
            ):
                return None
            parent = parent.parent_op()
        return f"{class_name} must be inside of a DispatchOp region"

    return (is_in_kernel,)


def _each_kernel_has_cores(op: TTMetalDispatchOp) -> str | None:
    ranges, regions = len(op.core_ranges), len(op.regions)
    if ranges == regions:
        return None
    return (
        f"The number of core ranges must match the number of regions: {ranges} core ranges, {regions} regions"
    )


def _each_kernel_is_configured(op: TTMetalDispatchOp) -> str | None:
    configurations, regions = len(op.kernel_configs), len(op.regions)
    if configurations == regions:
        return None
    return (
        f"The number of kernel configs must match the number of regions: {configurations} kernel configs, "
        f"{regions} regions"
    )


def _kernels_take_circular_buffers(op: TTMetalDispatchOp) -> str | None:
    for index, region in enumerate(op.regions):
        for argument in region.blocks[0].args if region.blocks else ():
            if not kinds.CIRCULAR_BUFFER.holds(argument.type):
                return f"Block inputs must be CBType, got '{argument.type}' in region #{index}"
    return None


DISPATCH = (
    _each_kernel_has_cores,
    _each_kernel_is_configured,
    _kernels_take_circular_buffers,
)
