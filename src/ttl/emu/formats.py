"""Element types as the hardware numbers them, and as tensors hold them."""

from __future__ import annotations

from types import MappingProxyType

FORMATS = MappingProxyType(
    {
        "float32": 0,
        "float16": 1,
        "bfloat16": 5,
        "bfloat8_b": 6,
        "bfloat4_b": 7,
        "int32": 8,
        "uint16": 9,
        "uint32": 24,
        "uint8": 30,
    }
)
"""``DataFormat`` by the name of an element type (facts: tensix_types.h)."""

ELEMENTS = MappingProxyType(
    {
        "bfloat16": 0,
        "float16": 0,
        "uint16": 0,
        "float32": 1,
        "int32": 1,
        "uint32": 1,
        "uint8": 2,
        "bfloat8_b": 3,
        "bfloat4_b": 4,
    }
)
"""How ``ttl._emu.tiles`` moves them: by their bytes, or as block floats."""
