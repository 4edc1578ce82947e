"""Arguments declared with ``ttl.example``, as tensors without data."""

from __future__ import annotations

from inspect import Signature
from typing import Any

from ttl.frontend.meta import some_device
from ttl.host.dataless import make
from ttl.lang.example import Example, TensorSpec


def arguments_of(signature: Signature, example: Example) -> dict[str, Any]:
    """The arguments by the names of the operation's parameters, defaults included."""
    given = signature.bind(*example.args, **example.kwargs)
    given.apply_defaults()
    return {name: _value(value) for name, value in given.arguments.items()}


def _value(value: Any) -> Any:
    if isinstance(value, TensorSpec):
        return make(value.shape, value.dtype, value.layout, some_device(), value.memory_config)
    if isinstance(value, tuple | list):
        return type(value)(_value(each) for each in value)
    return value
