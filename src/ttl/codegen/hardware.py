"""What the host library calls things."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.codegen.description import ProgramDescription

PROCESSORS: Mapping[str, str] = MappingProxyType({"brisc": "RISCV_0", "ncrisc": "RISCV_1"})
"""Members of ``DataMovementProcessor`` (``DataMovementProcessor::`` in C++)."""

MODES_OF_BUFFERS = 64
"""How many entries a list over all circular buffers has on the host, whatever the chip (circular_buffer_constants.h)."""

_WITHOUT_DTYPE = ("float16",)


def without_dtype(description: ProgramDescription) -> list[str]:
    """Element types of a program that no release of ttnn has."""
    used = {each.dtype for each in (*description.tensors, *description.circular_buffers)}
    return [dtype for dtype in _WITHOUT_DTYPE if dtype in used]
