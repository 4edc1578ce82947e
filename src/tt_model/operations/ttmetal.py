"""The operations of TTMetal: kernels that run on cores, and the memory that they work on.

Names, operands and attributes are those of the operation reference of 2024-11-21.
"""

from __future__ import annotations

from tt_model.operations import kinds
from tt_model.operations.fields import ONE_TENSOR, TENSORS, attribute, operand, operands
from tt_model.operations.operation import OperationTable, TTMetalOperation


class TTMetalAllocOp(TTMetalOperation, name="ttmetal.alloc", results=ONE_TENSOR):
    """Allocates a tensor at an address.

    `address` and `size` are in bytes. In memory of the host the address is zero.
    """

    address = attribute(kinds.I64)
    size = attribute(kinds.I64)
    memory_space = attribute(kinds.MEMORY_SPACE)


class TTMetalDeallocOp(TTMetalOperation, name="ttmetal.dealloc"):
    """Ends an allocation."""

    input = operand()


class TTMetalDispatchOp(
    TTMetalOperation, name="ttmetal.dispatch", results=TENSORS, regions=None, inits="outputs"
):
    """Runs kernels on ranges of cores.

    Each region is a kernel, with a range of cores in `core_ranges` and a configuration in `kernelConfigs`, which
    determines the kind of kernel. Its arguments are circular buffers.
    """

    inputs = operands()
    outputs = operands()
    core_ranges = attribute(kinds.CORE_RANGES)
    kernel_configs = attribute(kinds.KERNEL_CONFIGS, name="kernelConfigs")


class TTMetalHostReadOp(TTMetalOperation, name="ttmetal.host_read", results=ONE_TENSOR, inits="output"):
    """Copies a tensor of the device to the host."""

    input = operand()
    output = operand()


class TTMetalHostWriteOp(TTMetalOperation, name="ttmetal.host_write", results=ONE_TENSOR, inits="output"):
    """Writes known values to a tensor of the device."""

    output = operand()
    value = attribute(kinds.ELEMENTS)


TTMETAL = OperationTable("ttmetal", globals())
