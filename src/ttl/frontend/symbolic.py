"""Arguments of operations that no code calls: those declared with ``ttl.example``, or tensors of any extent.

The extents of the latter are values of the IR, where that is supported. The number of dimensions of a tensor is
inferred from the indices used with it; it is tiled, bfloat16 and in DRAM. From these facts a line that declares the
arguments is written.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ttl.frontend.host.meta import some_device
from ttl.frontend.kernel.tensors import SymbolicTensor
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UserFunction
from ttl.host.dataless import make
from ttl.host.tensor import Tensor
from ttl.lang.example import Example, TensorSpec
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.types import TILE, Layout
from ttl.source.scopes import reads

if TYPE_CHECKING:
    from inspect import Signature

_RANK = 2


def symbolic_arguments(function: UserFunction, signature: Signature) -> dict[str, Any]:
    """The arguments for an operation without a known call."""
    given: dict[str, Any] = {}
    annotations = {
        node.arg: node.annotation for node in ast.walk(function.node.args) if isinstance(node, ast.arg)
    }
    ranks = _ranks(function.node)
    used = reads(function.node)
    for name, parameter in signature.parameters.items():
        annotation = annotations.get(name)
        if name in ranks or (annotation is not None and "Tensor" in ast.unparse(annotation)):
            given[name] = SymbolicTensor(ranks.get(name, _RANK))
        elif parameter.default is not parameter.empty:
            given[name] = parameter.default
        elif used[name]:
            given[name] = Unknown(why=f"parameter {name}")
        else:
            given[name] = None
    return given


def _ranks(function: ast.AST) -> dict[str, int]:
    """The names that are used like tensors, with the number of dimensions in these uses."""
    result: dict[str, int] = {}
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=entries)):
                result[name] = max(result.get(name, 0), len(entries))
            case ast.Assign(
                targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=ast.Name(id=name), attr="shape")
            ):
                result[name] = max(result.get(name, 0), len(names))
            case ast.Attribute(value=ast.Name(id=name), attr="shape"):
                result.setdefault(name, _RANK)
            case ast.Call(func=ast.Attribute(attr="make_dataflow_buffer_like"), args=[ast.Name(id=name), *_]):
                result.setdefault(name, _RANK)
    return {name: max(rank, _RANK) for name, rank in result.items()}


def arguments_of(signature: Signature, example: Example) -> dict[str, Any]:
    """The arguments by the names of the operation's parameters, including defaults."""
    given = signature.bind(*example.args, **example.kwargs)
    given.apply_defaults()
    return {name: _value(value) for name, value in given.arguments.items()}


def _value(value: Any) -> Any:
    if isinstance(value, TensorSpec):
        return make(value.shape, value.dtype, value.layout, some_device(), value.memory_config)
    if isinstance(value, tuple | list):
        return type(value)(_value(item) for item in value)
    return value


# The value that stands for an unknown extent: two tiles.
_EXTENT = 2 * TILE


def declaration(arguments: Mapping[str, Any]) -> str:
    """The text ``@ttl.example(ttl.TensorSpec((64, 64)), 4)``, for arguments by the names of the parameters.

    An unknown tensor has 64 elements in each dimension; another unknown argument, and an argument without a short text,
    is ``...``.
    """
    return f"@ttl.example({', '.join(map(_text, arguments.values()))})"


def to_paste(arguments: Mapping[str, Any]) -> str:
    """Return the advice: the line to add, and the parts of it that are a guess."""
    line = declaration(arguments)
    guessed = [name for name, value in arguments.items() if isinstance(value, SymbolicTensor | Unknown)]
    change = f" (extents and values of {', '.join(guessed)} are guesses: correct them)" if guessed else ""
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
