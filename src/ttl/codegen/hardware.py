"""Names and numbers of the host library."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.codegen.description import ProgramDescription

PROCESSORS: Mapping[str, str] = MappingProxyType({"brisc": "RISCV_0", "ncrisc": "RISCV_1"})
"""Members of ``DataMovementProcessor`` (``DataMovementProcessor::`` in C++)."""

SHARED_NOC = "DM_DYNAMIC_NOC"
"""The member of ``NOC_MODE`` for data movement kernels that share one NoC; all of a program's have it then."""

MODES_OF_BUFFERS = 64
"""The length of the host's lists over all circular buffers, for every chip (circular_buffer_constants.h)."""

DATA_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "float32": "Float32",
        "float16": "Float16",
        "bfloat16": "Float16_b",
        "bfloat8_b": "Bfp8_b",
        "bfloat4_b": "Bfp4_b",
        "int32": "Int32",
        "uint16": "UInt16",
        "uint32": "UInt32",
        "uint8": "UInt8",
    }
)
"""Members of ``tt::DataFormat`` (tensix_types.h)."""

_WITHOUT_DTYPE = ("float16",)


def without_dtype(description: ProgramDescription) -> list[str]:
    """The element types of a program that are in no release of ttnn."""
    used = {tensor.dtype for tensor in description.tensors}
    used |= {buffer.dtype for buffer in description.circular_buffers}
    return [dtype for dtype in _WITHOUT_DTYPE if dtype in used]


FABRIC_MESH = 0
"""The fabric's number of the mesh of a single host; ttnn has no function that returns it."""
