"""Conversion between ``#ttnn.program`` attributes and artifacts, which have the same members as plain values.

The kind of a kernel's attribute stands for its ``thread_type`` and processor, the field ``source`` for its
``cpp_source``; the members of its ``kernel_config`` are fields, too. Buffers are ``#ttnn.kernel_cb``; all other members
are fields of the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, IntegerType, StringAttr, i1, i64
from xdsl.ir import Attribute

from tt_model.attributes.ttnn import (
    TTNNComputeKernelAttr,
    TTNNKernelCBAttr,
    TTNNProgramAttr,
    TTNNReadKernelAttr,
    TTNNWriteKernelAttr,
)

_KINDS: Mapping[str, type[TTNNComputeKernelAttr | TTNNReadKernelAttr | TTNNWriteKernelAttr]] = (
    MappingProxyType(
        {"compute": TTNNComputeKernelAttr, "ncrisc": TTNNReadKernelAttr, "brisc": TTNNWriteKernelAttr}
    )
)
_APART = ("kernels", "cb_configs", "warnings")
_OF_A_KERNEL = ("source", "tensor_indices")


def program_attribute(artifact: Mapping[str, Any]) -> TTNNProgramAttr:
    """Return the ``#ttnn.program`` of an artifact.

    Raises ``ValueError`` where kernels or buffers are missing, or where a member has a value that no attribute can
    hold.
    """
    try:
        kernels = [_kernel(kernel) for kernel in artifact["kernels"]]
        buffers = [TTNNKernelCBAttr(_dictionary(buffer)) for buffer in artifact["cb_configs"]]
        rest = {name: value for name, value in artifact.items() if name not in _APART}
        return TTNNProgramAttr(ArrayAttr(kernels), ArrayAttr(buffers), _dictionary(rest))
    except KeyError as problem:
        raise ValueError(f"the member {problem} is missing") from None
    except (TypeError, AttributeError) as problem:
        raise ValueError(f"a member has the wrong type: {problem}") from None


def _kernel(kernel: Mapping[str, Any]) -> Attribute:
    config = kernel["kernel_config"]
    thread = "compute" if kernel["thread_type"] == "compute" else config.get("processor", "ncrisc")
    if thread not in _KINDS:
        raise ValueError(f"a kernel runs on {thread}; there are {', '.join(_KINDS)}")
    fields = {"source": kernel["cpp_source"], "tensor_indices": kernel["tensor_indices"]}
    fields |= {name: value for name, value in config.items() if name != "processor"}
    return _KINDS[thread](_dictionary(fields))


def artifact_of(program: TTNNProgramAttr) -> dict[str, Any]:
    """The artifact that a ``#ttnn.program`` describes. Raises ``ValueError`` for attributes of other kinds."""
    artifact = _plain(program.fields)
    artifact["kernels"] = [_of_kernel(kernel) for kernel in program.kernels]
    buffers = []
    for buffer in program.circular_buffers:
        if not isinstance(buffer, TTNNKernelCBAttr):
            raise ValueError(f"a circular buffer is {buffer}, not a #ttnn.kernel_cb")
        buffers.append(_plain(buffer.fields))
    artifact["cb_configs"] = buffers
    return dict(artifact)


def _of_kernel(kernel: Attribute) -> dict[str, Any]:
    if not isinstance(kernel, TTNNComputeKernelAttr | TTNNReadKernelAttr | TTNNWriteKernelAttr):
        raise ValueError(f"a kernel is {kernel}, not a #ttnn.compute_kernel, read_kernel or write_kernel")
    thread = next(thread for thread, kind in _KINDS.items() if type(kernel) is kind)
    fields = _plain(kernel.fields)
    config = {name: value for name, value in fields.items() if name not in _OF_A_KERNEL}
    if thread != "compute":
        config["processor"] = thread
    return {
        "thread_type": "compute" if thread == "compute" else "noc",
        "cpp_source": fields.get("source", ""),
        "tensor_indices": fields.get("tensor_indices", []),
        "kernel_config": config,
    }


def _dictionary(values: Mapping[str, Any]) -> DictionaryAttr:
    return DictionaryAttr({name: _attribute(value) for name, value in values.items() if value is not None})


def _attribute(value: Any) -> Attribute:
    """Convert a JSON value to an attribute. Raises ``ValueError`` for a value of another type."""
    match value:
        case bool():
            return IntegerAttr(int(value), i1)
        case int() if -(2**63) <= value < 2**63:
            return IntegerAttr(value, i64)
        case str():
            return StringAttr(value)
        case list() | tuple():
            return ArrayAttr([_attribute(item) for item in value])
        case dict():
            return _dictionary(value)
        case _:
            raise ValueError(f"{value!r} is not a value that a program can hold")


def _plain(attribute: Attribute) -> Any:
    """Convert an attribute to a JSON value. Raises ``ValueError`` for an attribute of another kind."""
    match attribute:
        case IntegerAttr(value=value, type=IntegerType() as kind):
            return bool(value.data) if kind.width.data == 1 else value.data
        case StringAttr(data=text):
            return text
        case ArrayAttr():
            return [_plain(item) for item in attribute]
        case DictionaryAttr(data=fields):
            return {name: _plain(item) for name, item in fields.items()}
        case _:
            raise ValueError(f"{attribute} is not a number, text, list or dictionary")
