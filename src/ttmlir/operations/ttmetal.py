"""The operations of TTMetal: kernels that are given to cores, and the memory they work on.

Names, operands and attributes are those of the operation reference of 2024-11-21.
"""

from __future__ import annotations

from ttmlir.operations import kinds, verify_memory, verify_regions
from ttmlir.operations.row import (
    AttributeDefinition,
    ResultDefinition,
    Row,
    RowTable,
    operand_groups,
)

_RESULT = ResultDefinition(name="result", kind=kinds.TENSOR)

_ROWS = (
    Row(
        name="ttmetal.alloc",
        class_name="Alloc",
        summary="Allocates a tensor at an address.",
        doc="`address` and `size` are in bytes. In memory of the host the address is zero.",
        attributes=(
            AttributeDefinition(name="address", kind=kinds.I64),
            AttributeDefinition(name="size", kind=kinds.I64),
            AttributeDefinition(name="memory_space", kind=kinds.MEMORY_SPACE),
        ),
        results=(_RESULT,),
        verify=verify_memory.ALLOC,
    ),
    Row(
        name="ttmetal.dealloc",
        class_name="Dealloc",
        summary="Ends an allocation.",
        operands=operand_groups("input", kinds.TENSOR),
    ),
    Row(
        name="ttmetal.dispatch",
        class_name="Dispatch",
        summary="Runs kernels on ranges of cores.",
        doc=(
            "Each region is a kernel, with a range of cores in `core_ranges` and a configuration in `kernelConfigs`, which "
            "says what kind of kernel it is. Its arguments are circular buffers."
        ),
        operands=operand_groups("inputs* outputs*", kinds.TENSOR),
        attributes=(
            AttributeDefinition(name="core_ranges", kind=kinds.CORE_RANGES),
            AttributeDefinition(name="kernelConfigs", kind=kinds.KERNEL_CONFIGS),
        ),
        results=(ResultDefinition(name="results", kind=kinds.TENSOR, arity="variadic"),),
        regions=None,
        inits="outputs",
        segments=True,
        verify=(*verify_memory.DISPATCH, *verify_regions.DISPATCH),
    ),
    Row(
        name="ttmetal.host_read",
        class_name="HostRead",
        summary="Copies a tensor of the device to the host.",
        operands=operand_groups("input output", kinds.TENSOR),
        results=(_RESULT,),
        inits="output",
        verify=verify_memory.HOST_READ,
    ),
    Row(
        name="ttmetal.host_write",
        class_name="HostWrite",
        summary="Writes known values to a tensor of the device.",
        operands=operand_groups("output", kinds.TENSOR),
        attributes=(AttributeDefinition(name="value", kind=kinds.ELEMENTS),),
        results=(_RESULT,),
        inits="output",
        verify=verify_memory.HOST_WRITE,
    ),
)

TTMETAL = RowTable("ttmetal", _ROWS)
