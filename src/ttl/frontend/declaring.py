"""The line that declares arguments of an operation (``ttl.example``), written from what is known of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ttl.frontend.kernel.tensors import SymbolicTensor
from ttl.frontend.unknown import Unknown
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import BFLOAT16
from ttl.ops.types import TILE, Layout

# What stands for an extent that nobody knows: two tiles.
_EXTENT = 2 * TILE


def declaration(arguments: Mapping[str, Any]) -> str:
    """``@ttl.example(ttl.TensorSpec((64, 64)), 4)``, for the arguments by the names of the parameters.

    A tensor of which nothing is known is one of 64 elements in each dimension; another argument that is not known, and
    what has no short text, is ``...``.
    """
    return f"@ttl.example({', '.join(map(_text, arguments.values()))})"


def to_paste(arguments: Mapping[str, Any]) -> str:
    """The advice: the line, and what of it is a guess."""
    line = declaration(arguments)
    guessed = [name for name, value in arguments.items() if isinstance(value, SymbolicTensor | Unknown)]
    change = f" (extents and values of {', '.join(guessed)} are for you to correct)" if guessed else ""
    return f"declare arguments above @ttl.operation: {line}{change}"


def _text(value: Any) -> str:
    match value:
        case SymbolicTensor():
            return f"ttl.TensorSpec({(_EXTENT,) * len(value.shape)})"
        case Tensor():
            return f"ttl.TensorSpec({tuple(value.shape)}{_rest(value)})"
        case Unknown():
            return "..."
        case None | bool() | int() | float() | str():
            return repr(value)
    return "..."


def _rest(tensor: Tensor) -> str:
    parts = [] if tensor.dtype is BFLOAT16 else [f", dtype=ttnn.{tensor.dtype.name}"]
    if tensor.layout is not Layout.TILE:
        parts.append(", layout=ttnn.ROW_MAJOR_LAYOUT")
    return "".join(parts)
