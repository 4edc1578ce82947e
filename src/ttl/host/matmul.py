"""Matrix products: ``matmul``, ``linear``, ``outer``, ``addmm``."""

from __future__ import annotations

from typing import Any

from ttl.diag.remedies import Argument
from ttl.host import engine
from ttl.host.arguments import dtype_of, number_of, tensor_of
from ttl.host.config import UnaryOpType, UnaryWithParam
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import broadcast
from ttl.host.spread import computes
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import DType

ACTIVATIONS = ("relu", "gelu", "silu", "sigmoid", "tanh", "relu6", "mish", "exp", "sqrt", "square")


@computes("output_tile", "global_cb")
def matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    memory_config: Any = None,
    dtype: DType | None = None,
    activation: str | None = None,
    optional_output_tensor: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Matrix product of the last two dimensions; leading ones broadcast. Accumulates in float32."""
    output = optional_output_tensor if optional_output_tensor is not None else output_tensor
    return product(
        "matmul",
        input_tensor_a,
        input_tensor_b,
        None,
        (transpose_a, transpose_b),
        activation,
        dtype,
        memory_config,
        output,
    )


@computes("output_tile", "global_cb")
def linear(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    bias: Tensor | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    memory_config: Any = None,
    dtype: DType | None = None,
    activation: str | None = None,
    optional_output_tensor: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """``matmul`` plus a bias that broadcasts, then the activation."""
    output = optional_output_tensor if optional_output_tensor is not None else output_tensor
    return product(
        "linear",
        input_tensor_a,
        input_tensor_b,
        bias,
        (transpose_a, transpose_b),
        activation,
        dtype,
        memory_config,
        output,
    )


@computes()
def addmm(
    input_tensor: Tensor,
    mat1_tensor: Tensor,
    mat2_tensor: Tensor,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    memory_config: Any = None,
    dtype: DType | None = None,
    optional_output_tensor: Any = None,
) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    base = tensor_of(input_tensor, "addmm")
    first, second = (
        tensor_of(mat1_tensor, "addmm", "first matrix"),
        tensor_of(mat2_tensor, "addmm", "second matrix"),
    )
    for each in (base, first, second):
        if not each.dtype.is_float:
            fail(Code.ELEMENT_TYPE, f"ttnn.addmm works on floating-point tensors, not {each.dtype}")
    _check(first.shape, second.shape, "addmm")
    values = engine.loaded(first) @ engine.loaded(second) * number_of(alpha, "addmm", "alpha")
    broadcast(tuple(values.shape), base.shape, "addmm")
    values = values + engine.loaded(base) * number_of(beta, "addmm", "beta")
    element = dtype_of(dtype, base.dtype)
    return engine.finish(
        values, base, "addmm", dtype=element, memory_config=memory_config, output=optional_output_tensor
    )


@computes()
def outer(input_tensor_a: Tensor, input_tensor_b: Tensor, *, memory_config: Any = None) -> Tensor:
    """All products of the elements of two tensors with one dimension other than 1."""
    first, second = tensor_of(input_tensor_a, "outer"), tensor_of(input_tensor_b, "outer")
    for each in (first, second):
        if sum(extent != 1 for extent in each.shape) > 1:
            fail(Code.SHAPES, f"ttnn.outer takes vectors, not a tensor of shape {tuple(each.shape)}")
    values = engine.loaded(first).reshape(-1, 1) * engine.loaded(second).reshape(1, -1)
    return engine.finish(values, first, "outer", memory_config=memory_config)


def product(
    function: str,
    a: Any,
    b: Any,
    bias: Any,
    transposed: tuple[bool, bool],
    activation: Any,
    dtype: Any,
    memory_config: Any,
    output: Any,
) -> Tensor:
    """The product of two tensors with everything that TT-NN fuses to it."""
    first, second = tensor_of(a, function, "first matrix"), tensor_of(b, function, "second matrix")
    left, right = engine.loaded(first), engine.loaded(second)
    for name, tensor in (("first", first), ("second", second)):
        if not tensor.dtype.is_float:
            fail(
                Code.ELEMENT_TYPE,
                f"ttnn.{function} multiplies floating-point tensors, but the {name} is {tensor.dtype}",
            )
    left = engine.swapped(left) if transposed[0] and left.ndim > 1 else left
    right = engine.swapped(right) if transposed[1] and right.ndim > 1 else right
    _check(tuple(left.shape), tuple(right.shape), function)
    values = left @ right
    if bias is not None:
        added = tensor_of(bias, function, "bias")
        if broadcast(tuple(values.shape), added.shape, function) != tuple(values.shape):
            fail(
                Code.SHAPES,
                f"ttnn.{function}: a bias of shape {tuple(added.shape)} for a result of {tuple(values.shape)}",
            )
        values = values + engine.loaded(added)
    values = activate(values, activation, function)
    element = dtype_of(dtype, first.dtype)
    return engine.finish(values, first, function, dtype=element, memory_config=memory_config, output=output)


def activate(values: Any, activation: Any, function: str) -> Any:
    """Values through the activation of that name, or as they are for None."""
    if activation is None:
        return values
    from ttl.host.table import UNARY

    params: tuple[Any, ...] = ()
    if isinstance(activation, UnaryWithParam):
        activation, params = activation.op_type, activation.params
    if isinstance(activation, UnaryOpType):
        if activation is UnaryOpType.IDENTITY:
            return values
        chosen = next(each for each in UNARY if each.name == activation.value)
        defaults = tuple(default for _, default in chosen.params)
        return engine.pick(chosen.torch, chosen.numpy)(
            values, *(*params, *defaults[len(params) :])[: len(defaults)]
        )
    row = next((each for each in UNARY if each.name == activation), None)
    if row is None or activation not in ACTIVATIONS:
        fail(
            Code.WRONG_KIND,
            f"ttnn.{function}: there is no activation {describe(activation)}",
            help=f"one of {', '.join(ACTIVATIONS)}",
        )
    return engine.pick(row.torch, row.numpy)(values, *(default for _, default in row.params))


def _transposed(left: tuple[int, ...], right: tuple[int, ...]) -> Argument | None:
    """The one argument that makes the inner extents equal; None where there is none, or two."""
    if len(left) != 2 or len(right) != 2:
        return None
    fits = [
        name
        for name, equal in (("transpose_a", left[0] == right[0]), ("transpose_b", left[1] == right[1]))
        if equal
    ]
    return (
        Argument(description=f"write {fits[0]}=True", name=fits[0], value="True") if len(fits) == 1 else None
    )


def _check(left: tuple[int, ...], right: tuple[int, ...], function: str) -> None:
    if not left or not right:
        fail(
            Code.SHAPES,
            f"ttnn.{function} of a tensor without dimensions: shapes {tuple(left)} and {tuple(right)}",
        )
    inner = right[-2] if len(right) > 1 else right[-1]
    if left[-1] != inner:
        fail(
            Code.SHAPES,
            f"ttnn.{function}: shapes {tuple(left)} and {tuple(right)} do not go together: {left[-1]} columns of the first, {inner} rows of the second",
            help="these two extents must be equal; transpose_a=True or transpose_b=True exchanges rows and columns",
            remedy=_transposed(left, right) if function in ("matmul", "linear") else None,
        )
    broadcast(left[:-2], right[:-2], function)
