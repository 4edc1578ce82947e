"""The arguments of a call that a choice depends on, as text for files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ttl.host.tensor import Tensor
from ttl.lang.choices import Tunable
from ttl.rows.dtypes import DType
from ttl.rows.types import Layout

_PLAIN = (int, float, bool, str, type(None))


def key_of(tunable: Tunable, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a text for each argument that matters: ``a: 512x512 bfloat16``, ``causal=True``.

    Without a declared ``key``, tensors and plain values matter; functions and objects do not.
    """
    names = [name for name in arguments if name not in tunable.names] if tunable.key is None else tunable.key
    texts = []
    for name in names:
        value = arguments[name]
        if isinstance(value, Tensor):
            texts.append(f"{name}: {_tensor(value)}")
        elif isinstance(value, (*_PLAIN, DType, Layout, tuple, list)) or tunable.key is not None:
            texts.append(f"{name}={normal(value)}")
    return tuple(texts)


def texts_of(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a text for each argument of any kind; calls with equal texts have the same design."""
    return tuple(
        f"{name}: {_tensor(value)}" if isinstance(value, Tensor) else f"{name}={normal(value)}"
        for name, value in arguments.items()
    )


def _tensor(tensor: Tensor) -> str:
    """Return ``512x512 bfloat16``, followed by layout and memory unless these are tiles in DRAM."""
    parts = ["x".join(str(extent) for extent in tensor.shape), tensor.dtype.name]
    if tensor.layout is not Layout.TILE:
        parts.append("row major")
    config = tensor.memory_config()
    if config.is_sharded():
        parts.append(f"{config.memory_layout.name.lower().replace('_', ' ')} in {config.buffer_type.name}")
    elif config.buffer_type.name != "DRAM":
        parts.append(f"in {config.buffer_type.name}")
    return " ".join(parts)


def normal(value: Any) -> Any:
    """Return a value in the form of files: sequences as lists, element types and layouts as names."""
    if isinstance(value, tuple | list):
        return [normal(item) for item in value]
    if isinstance(value, dict):
        return {str(name): normal(item) for name, item in value.items()}
    if isinstance(value, DType | Layout):
        return value.name
    return value if isinstance(value, _PLAIN) else repr(value)
