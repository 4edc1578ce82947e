"""Operations of TTIR that torch has no function for: methods of ``TTIRBuilder``, in a function that is compiled.

One custom operator stands for all of them. Its arguments are the method and its parameters besides tensors, as JSON; the builder
itself computes the shapes of results.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ttmlir.builder_layers import BuilderLayers
from ttmlir.ir import BF16Type, Context, F32Type, InsertionPoint, IntegerType, Location, Module, Type
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.node_builder import element_type
from ttmlir.torch.places import BUILDER_OPERATOR
from ttmlir.torch.row import AtenValue, rows
from ttmlir.ttir_builder import TTIRBuilder

if TYPE_CHECKING:
    import torch


class TensorBuilder:
    """The methods of ``TTIRBuilder`` that make operations, on tensors of a function that is traced by ``torch.export``.

    Besides tensors they take numbers, words, types of torch, and lists of those.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not hasattr(BuilderLayers, name):
            raise AttributeError(f"TTIRBuilder has no operation {name!r}")
        return partial(_call, name)


def _call(method: str, *args: Any, **kwargs: Any) -> Any:
    inputs: list[torch.Tensor] = []
    results = operator()(method, json.dumps(_written([args, kwargs], inputs)), inputs)
    return results[0] if len(results) == 1 else tuple(results)


def _written(one: Any, inputs: list[torch.Tensor]) -> Any:
    """An argument for JSON; its tensors are put into ``inputs``."""
    import torch

    match one:
        case torch.Tensor():
            inputs.append(one)
            return {"tensor": len(inputs) - 1}
        case torch.dtype():
            return {"type": str(element_type(one, Context()))}
        case dict():
            return {"named": {name: _written(value, inputs) for name, value in one.items()}}
        case list() | tuple():
            return [_written(value, inputs) for value in one]
        case None | bool() | int() | float() | str():
            return one
    raise TypeError(
        f"{one!r} is passed to a method of the builder, which takes tensors, numbers, strings and types of torch"
    )


def _read(one: Any, operands: Sequence[Any], context: Context) -> Any:
    """Read an argument back from its JSON form, with operands for the tensors."""
    match one:
        case {"tensor": index}:
            return operands[index]
        case {"type": text}:
            return Type.parse(text, context)
        case {"named": values}:
            return {name: _read(value, operands, context) for name, value in values.items()}
        case list():
            return [_read(value, operands, context) for value in one]
    return one


def _made(
    builder: TTIRBuilder, context: Context, method: str, arguments: str, operands: Sequence[Any]
) -> list[Any]:
    """The results of a method."""
    args, kwargs = _read(json.loads(arguments), operands, context)
    operation = getattr(builder, method)(*args, **kwargs)
    return list(operation.results) if hasattr(operation, "results") else [operation]


@cache
def operator() -> Any:
    """The custom operator: a method, its arguments as JSON, and the tensors among them, to the results."""
    import torch

    def run(method: str, arguments: str, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        raise NotImplementedError(
            f"{method} of the builder is an operation of compiled models, and eager torch cannot run it"
        )

    def shaped(method: str, arguments: str, inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        context = Context()
        place = Location.unknown(context)
        with context, place, InsertionPoint(Module.create().body):
            builder = TTIRBuilder(context, place, goldens=False)
            given = [
                builder.empty(list(one.shape) or [1], element_type(one.dtype, context)) for one in inputs
            ]
            types = [one.type for one in _made(builder, context, method, arguments, given)]
            return [inputs[0].new_empty(list(one.shape), dtype=_dtype(one.element_type)) for one in types]

    schema = "(str method, str arguments, Tensor[] inputs) -> Tensor[]"
    defined = torch.library.custom_op(BUILDER_OPERATOR, run, mutates_args=(), schema=schema)
    defined.register_fake(shaped)
    return defined


def _dtype(element: Type) -> torch.dtype:
    import torch

    match element:
        case F32Type():
            return torch.float32
        case BF16Type():
            return torch.bfloat16
        case IntegerType() if element.width == 16:
            return torch.uint16
    return torch.int32


def _called(at: GraphLowering, method: str, arguments: str, inputs: Sequence[AtenValue]) -> list[Any]:
    return _made(at.builder, at.builder.context, method, arguments, [at.operand(one) for one in inputs])


ROWS = rows(("ttmlir.builder_op.default", _called, "the operation of the method of TTIRBuilder"))
