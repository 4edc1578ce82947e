"""The elementwise functions, made from the rows of ``table``, and ``clamp``."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from ttl.diag.remedies import Wrap
from ttl.host import engine
from ttl.host.arguments import dtype_of, number_of, tensor_of
from ttl.host.calling import named
from ttl.host.computing import computes
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import broadcast
from ttl.host.table import ALIASES, BINARY, IN_PLACE, REQUIRED, TERNARY, UNARY, HostFunction
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import DType

__all__ = ("clamp",)

_OPERANDS: tuple[tuple[str, ...], ...] = (
    ("input_tensor",),
    ("input_tensor_a", "input_tensor_b"),
    ("input_tensor_a", "input_tensor_b", "input_tensor_c"),
)


def functions() -> dict[str, Callable[..., Any]]:
    """Every elementwise function by name."""
    by_name = {
        row.name: make(row, operands)
        for operands, rows in zip(_OPERANDS, (UNARY, BINARY, TERNARY), strict=True)
        for row in rows
    }
    by_name |= {alias: by_name[name] for alias, name in ALIASES.items()}
    return by_name | {f"{name}_": _in_place(by_name[name], f"{name}_") for name in IN_PLACE}


def make(row: HostFunction, operands: tuple[str, ...]) -> Callable[..., Any]:
    """Make the public function of a row."""
    signature = _signature(row, operands)
    names = tuple(name for name, _ in row.params)
    may_lead = REQUIRED not in (default for _, default in row.params)

    def function(*args: Any, **kwargs: Any) -> Any:
        output = None
        # The output may also stand in front, as in ttnn.exp(y, x) (specification, "Operation function").
        if may_lead and len(args) == len(operands) + 1 and all(isinstance(value, Tensor) for value in args):
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

    function.__signature__ = signature  # type: ignore[attr-defined]
    summary = f"{row.summary[0].upper()}{row.summary[1:]}, element by element."
    return computes(*row.options)(named(function, row.name, summary))


def _signature(row: HostFunction, operands: tuple[str, ...]) -> Signature:
    both, named = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    parameters = [Parameter(name, both) for name in operands]
    for name, default in row.params:
        parameters.append(Parameter(name, both, default=Parameter.empty if default is REQUIRED else default))
    parameters += [
        Parameter(name, named, default=None) for name in ("dtype", "memory_config", "output_tensor")
    ]
    return Signature(sorted(parameters, key=lambda parameter: parameter.default is not Parameter.empty))


def _apply(
    row: HostFunction,
    operands: tuple[Any, ...],
    params: tuple[Any, ...],
    dtype: Any,
    memory_config: Any,
    output: Any,
) -> Tensor:
    tensors = [tensor_of(operand, row.name) for operand in operands if isinstance(operand, Tensor)]
    if not tensors:
        tensor_of(operands[0], row.name)
    for operand in operands:
        _check_operand(operand, row)
    for (name, default), value in zip(row.params, params, strict=True):
        if value is not default:
            number_of(value, row.name, name)
    _check_kind(row, operands, tensors)
    shape: tuple[int, ...] = ()
    for tensor in tensors:
        shape = broadcast(shape, tensor.shape, row.name)
    functions = engine.functions()
    conditions, values = _values(operands[: row.values_from]), _values(operands[row.values_from :])
    return engine.finish(
        row.compute(functions, *conditions, *values, *params),
        _model(tensors, shape),
        row.name,
        dtype=_result_type(row, tensors, operands, dtype),
        memory_config=memory_config,
        output=output,
    )


def _check_operand(operand: Any, row: HostFunction) -> None:
    if isinstance(operand, Tensor):
        return
    if not isinstance(operand, (bool, int, float)):
        tensor_of(operand, row.name)
    if row.kind == "int" and isinstance(operand, float):
        fail(Code.WRONG_KIND, f"ttnn.{row.name} works on integers, not on {operand}")
    number_of(operand, row.name, "the operand")


def _check_whole(name: str, tensor: Tensor, allowed: tuple[str, ...]) -> None:
    """Refuse integer types that the real library refuses."""
    if tensor.dtype.is_float or tensor.dtype.name in allowed:
        return
    those = f" but {', '.join(f'ttnn.{one}' for one in allowed)}" if allowed else ""
    fail(
        Code.ELEMENT_TYPE,
        f'ttnn.{name} takes no integer tensors{those}: the real ttnn (0.81) refuses {tensor.dtype}, "does not support integer input '
        'dtype"',
        help="convert it first: ttnn.typecast(x, ttnn.float32)",
        remedy=Wrap(template="ttnn.typecast({}, ttnn.float32)", operand=0),
    )


def _check_kind(row: HostFunction, operands: tuple[Any, ...], tensors: list[Tensor]) -> None:
    for tensor in tensors:
        if row.whole is not None:
            _check_whole(row.name, tensor, row.whole)
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
    """Return operands in one arithmetic type: float32, or int64 if all of them are integers."""
    to_float = any(
        operand.dtype.is_float if isinstance(operand, Tensor) else isinstance(operand, float)
        for operand in operands
    )
    arrays = []
    for operand in operands:
        if not isinstance(operand, Tensor):
            arrays.append(engine.number(operand, floating=to_float))
        elif to_float and not operand.dtype.is_float:
            arrays.append(engine.floating(engine.loaded(operand)))
        else:
            arrays.append(engine.loaded(operand))
    return arrays


def _model(tensors: list[Tensor], shape: tuple[int, ...]) -> Tensor:
    """Return the tensor whose layout and place the result gets: the first with the result's shape."""
    return next((tensor for tensor in tensors if tuple(tensor.shape) == shape), tensors[0])


def _result_type(row: HostFunction, tensors: list[Tensor], operands: tuple[Any, ...], dtype: Any) -> DType:
    """Return ``dtype`` if given, else the type of the first floating-point tensor, else of the first one.

    Tensors that are conditions do not count, unless there are no others.
    """
    if dtype is not None:
        return dtype_of(dtype)
    tensors = [one for one in operands[row.values_from :] if isinstance(one, Tensor)] or tensors
    return next((tensor.dtype for tensor in tensors if tensor.dtype.is_float), tensors[0].dtype)


def _in_place(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def into(input_tensor_a: Tensor, input_tensor_b: Any) -> Tensor:
        return function(input_tensor_a, input_tensor_b, output_tensor=input_tensor_a)  # type: ignore[no-any-return]

    return computes()(named(into, name, f"``ttnn.{name[:-1]}``, written into the first operand."))


@computes(result="memory_config output_tensor")
def clamp(input_tensor: Tensor, min: Any = None, max: Any = None) -> Any:
    """Values below ``min`` become ``min``, above ``max`` become ``max``. Each is a number, a tensor or None."""
    tensor = tensor_of(input_tensor, "clamp")
    _check_whole("clamp", tensor, ("int32",))
    if min is None and max is None:
        fail(Code.SIGNATURE, "ttnn.clamp: neither min nor max is given")
    shape: tuple[int, ...] = tuple(tensor.shape)
    for name, limit in (("min", min), ("max", max)):
        if limit is not None and not isinstance(limit, (Tensor, int, float)):
            fail(Code.WRONG_KIND, f"ttnn.clamp: {name} is a number or a ttnn.Tensor, not {describe(limit)}")
        if isinstance(limit, Tensor):
            shape = broadcast(shape, tensor_of(limit, "clamp", name).shape, "clamp")
        elif limit is not None:
            number_of(limit, "clamp", name)
    values = _values((tensor, *(limit for limit in (min, max) if limit is not None)))[0]
    if min is not None:
        values = engine.functions().maximum(values, _values((tensor, min))[1])
    if max is not None:
        values = engine.functions().minimum(values, _values((tensor, max))[1])
    return values, tensor
