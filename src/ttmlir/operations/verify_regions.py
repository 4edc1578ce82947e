"""Conditions on regions, and on where an operation stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ttmlir.operations.operation import RowOperation
    from ttmlir.operations.row import Check


# Work on a grid of cores.


def _region_takes_the_operands(op: RowOperation) -> str | None:
    arguments = len(op.regions[0].blocks[0].args) if op.regions[0].blocks else 0
    operands = len(op.group("inputs")) + len(op.group("outputs"))
    if arguments == operands:
        return None
    return (
        "The number of input and output operands and region/block arguments must match: "
        f"{operands} operands, {arguments} arguments"
    )


def _streams_exist(op: RowOperation) -> str | None:
    count = len(op.group("cbs"))
    for index in op.integers("operand_cb_mapping"):
        if not -1 <= index < count:
            return f"CB index out of bounds: {index} of {count}"
    return None


GENERIC: tuple[Check, ...] = (_region_takes_the_operands, _streams_exist)


# Kernels.


def in_kernel(class_name: str) -> tuple[Check, ...]:
    """Whether an operation is in a kernel: a region of a dispatch, or a function of a module, which a kernel becomes."""

    def is_in_kernel(op: RowOperation) -> str | None:
        parent = op.parent_op()
        while parent is not None:
            if parent.name == "ttmetal.dispatch" or (
                parent.name == "func.func" and getattr(parent.parent_op(), "name", "") == "builtin.module"
            ):
                return None
            parent = parent.parent_op()
        return f"{class_name} must be inside of a DispatchOp region"

    return (is_in_kernel,)


def _each_kernel_has_cores(op: RowOperation) -> str | None:
    ranges, regions = len(op.value("core_ranges")), len(op.regions)
    if ranges == regions:
        return None
    return (
        f"The number of core ranges must match the number of regions: {ranges} core ranges, {regions} regions"
    )


def _each_kernel_is_configured(op: RowOperation) -> str | None:
    configurations, regions = len(op.value("kernelConfigs")), len(op.regions)
    if configurations == regions:
        return None
    return (
        f"The number of kernel configs must match the number of regions: {configurations} kernel configs, "
        f"{regions} regions"
    )


def _kernels_take_circular_buffers(op: RowOperation) -> str | None:
    for index, region in enumerate(op.regions):
        for argument in region.blocks[0].args if region.blocks else ():
            if argument.type.name != "ttkernel.cb":
                return f"Block inputs must be CBType, got '{argument.type}' in region #{index}"
    return None


DISPATCH: tuple[Check, ...] = (
    _each_kernel_has_cores,
    _each_kernel_is_configured,
    _kernels_take_circular_buffers,
)
