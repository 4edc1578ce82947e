"""The elementwise functions, made from the rows of ``table``, and ``clamp``."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from ttl.diag.remedies import Wrap
from ttl.host import engine, storage
from ttl.host.arguments import dtype_of, number_of, tensor_of
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import broadcast
from ttl.host.spread import computes
from ttl.host.table import ALIASES, BINARY, IN_PLACE, REQUIRED, TERNARY, UNARY, Row
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import DType

_OPERANDS: tuple[tuple[str, ...], ...] = (
    ("input_tensor",),
    ("input_tensor_a", "input_tensor_b"),
    ("input_tensor_a", "input_tensor_b", "input_tensor_c"),
)


def functions() -> dict[str, Callable[..., Any]]:
    """Every elementwise function by name."""
    found: dict[str, Callable[..., Any]] = {}
    for count, rows in enumerate((UNARY, BINARY, TERNARY)):
        for row in rows:
            found[row.name] = make(row, _OPERANDS[count])
    for alias, name in ALIASES.items():
        found[alias] = found[name]
    for name in IN_PLACE:
        found[f"{name}_"] = _in_place(found[name], f"{name}_")
    return found


def make(row: Row, operands: tuple[str, ...]) -> Callable[..., Any]:
    """The public function of a row."""
    signature = _signature(row, operands)
    names = tuple(name for name, _ in row.params)
    may_lead = REQUIRED not in (default for _, default in row.params)

    def function(*args: Any, **kwargs: Any) -> Any:
        output = None
        # The output may also stand in front, as in ttnn.exp(y, x) (specification, "Operation function").
        if may_lead and len(args) == len(operands) + 1 and all(isinstance(each, Tensor) for each in args):
            output, args = args[0], args[1:]
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        values = given.arguments
        return _apply(
            row,
            tuple(values[name] for name in operands),
            tuple(values[name] for name in names),
            values["dtype"],
            values["memory_config"],
            output if output is not None else values["output_tensor"],
        )

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"{row.summary[0].upper()}{row.summary[1:]}, element by element."
    function.__signature__ = signature  # type: ignore[attr-defined]
    return computes(*row.options)(function)


def _signature(row: Row, operands: tuple[str, ...]) -> Signature:
    both, named = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    parameters = [Parameter(name, both) for name in operands]
    for name, default in row.params:
        parameters.append(Parameter(name, both, default=Parameter.empty if default is REQUIRED else default))
    parameters += [
        Parameter(name, named, default=None) for name in ("dtype", "memory_config", "output_tensor")
    ]
    required = [each for each in parameters if each.default is Parameter.empty]
    return Signature(required + [each for each in parameters if each.default is not Parameter.empty])


def _apply(
    row: Row, operands: tuple[Any, ...], params: tuple[Any, ...], dtype: Any, memory_config: Any, output: Any
) -> Tensor:
    tensors = [tensor_of(each, row.name) for each in operands if isinstance(each, Tensor)]
    if not tensors:
        tensor_of(operands[0], row.name)
    for operand in operands:
        _check_operand(operand, row)
    for name, value in zip(row.params, params, strict=True):
        if value is not name[1]:
            number_of(value, row.name, name[0])
    _check_kind(row, operands, tensors)
    shape: tuple[int, ...] = ()
    for tensor in tensors:
        shape = broadcast(shape, tensor.shape, row.name)
    values = _values(operands)
    result = engine.pick(row.torch, row.numpy)(*values, *params)
    like = _model(tensors, shape)
    return engine.finish(
        result,
        like,
        row.name,
        dtype=_result_type(tensors, operands, dtype),
        memory_config=memory_config,
        output=output,
    )


def _check_operand(operand: Any, row: Row) -> None:
    if isinstance(operand, Tensor):
        return
    if not isinstance(operand, (bool, int, float)):
        tensor_of(operand, row.name)
    if row.kind == "int" and isinstance(operand, float):
        fail(Code.WRONG_KIND, f"ttnn.{row.name} works on integers, not on {operand}")
    number_of(operand, row.name, "the operand")


def _check_kind(row: Row, operands: tuple[Any, ...], tensors: list[Tensor]) -> None:
    for tensor in tensors:
        if row.kind == "float" and not tensor.dtype.is_float:
            fail(
                Code.ELEMENT_TYPE,
                f"ttnn.{row.name} works on floating-point tensors, not {tensor.dtype}",
                help="convert it first: ttnn.typecast(x, ttnn.float32)",
                remedy=Wrap(template="ttnn.typecast({}, ttnn.float32)", operand=0),
            )
        if row.kind == "int" and tensor.dtype.is_float:
            fail(
                Code.ELEMENT_TYPE,
                f"ttnn.{row.name} works on integer tensors, not {tensor.dtype}",
                help="convert it first: ttnn.typecast(x, ttnn.int32)",
            )


def _values(operands: tuple[Any, ...]) -> list[Any]:
    """Operands in one arithmetic type: float32, or int64 when all of them are whole."""
    floating = any(
        each.dtype.is_float if isinstance(each, Tensor) else isinstance(each, float) for each in operands
    )
    torch = storage.torch_or_none()
    found = []
    for each in operands:
        if isinstance(each, Tensor):
            values = engine.loaded(each)
            if floating and not each.dtype.is_float:
                values = values.to(torch.float32) if torch is not None else values.astype("float32")
        elif torch is not None:
            values = torch.tensor(each, dtype=torch.float32 if floating else torch.int64, device="cpu")
        else:
            values = np.asarray(each, "float32" if floating else "int64")
        found.append(values)
    return found


def _model(tensors: list[Tensor], shape: tuple[int, ...]) -> Tensor:
    """The tensor whose layout and place the result has: the first with the result's shape."""
    return next((each for each in tensors if tuple(each.shape) == shape), tensors[0])


def _result_type(tensors: list[Tensor], operands: tuple[Any, ...], dtype: Any) -> DType:
    """The first tensor's type, or that of the first floating-point one where types are mixed."""
    if dtype is not None:
        return dtype_of(dtype)
    return next((each.dtype for each in tensors if each.dtype.is_float), tensors[0].dtype)


def _in_place(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def into(input_tensor_a: Tensor, input_tensor_b: Any) -> Tensor:
        return function(input_tensor_a, input_tensor_b, output_tensor=input_tensor_a)  # type: ignore[no-any-return]

    into.__name__ = into.__qualname__ = name
    into.__doc__ = f"``ttnn.{name[:-1]}``, written into the first operand."
    return computes()(into)


@computes()
def clamp(
    input_tensor: Tensor,
    min: Any = None,
    max: Any = None,
    *,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Values below ``min`` become ``min``, above ``max`` become ``max``. Each is a number, a tensor or None."""
    found = tensor_of(input_tensor, "clamp")
    if min is None and max is None:
        fail(Code.SIGNATURE, "ttnn.clamp: neither min nor max is given")
    shape: tuple[int, ...] = tuple(found.shape)
    for name, limit in (("min", min), ("max", max)):
        if limit is not None and not isinstance(limit, (Tensor, int, float)):
            fail(Code.WRONG_KIND, f"ttnn.clamp: {name} is a number or a ttnn.Tensor, not {describe(limit)}")
        if isinstance(limit, Tensor):
            shape = broadcast(shape, tensor_of(limit, "clamp", name).shape, "clamp")
        elif limit is not None:
            number_of(limit, "clamp", name)
    low, high = (None if limit is None else _values((found, limit))[1] for limit in (min, max))
    values = _values((found, *(each for each in (min, max) if each is not None)))[0]
    if low is not None:
        values = engine.pick(lambda t, x, y: t.maximum(x, y), np.maximum)(values, low)
    if high is not None:
        values = engine.pick(lambda t, x, y: t.minimum(x, y), np.minimum)(values, high)
    return engine.finish(values, found, "clamp", memory_config=memory_config, output=output_tensor)
