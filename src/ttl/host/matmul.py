"""Matrix products: ``matmul``, ``linear``, ``outer``, ``addmm``."""

from __future__ import annotations

from typing import Any

from ttl.diag.remedies import Argument
from ttl.host import engine
from ttl.host.arguments import number_of, tensor_of
from ttl.host.computing import computes
from ttl.host.errors import Code, fail
from ttl.host.shape import broadcast
from ttl.host.tensor import Tensor

__all__ = ("addmm", "linear", "matmul", "outer")


_RESULT = "memory_config dtype activation optional_output_tensor output_tensor"


@computes("output_tile", "global_cb", result=_RESULT)
def matmul(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Any:
    """Matrix product of the last two dimensions; leading ones broadcast. Accumulates in float32."""
    return _product("matmul", input_tensor_a, input_tensor_b, transpose_a, transpose_b)


@computes("output_tile", "global_cb", result=_RESULT)
def linear(
    input_tensor_a: Tensor,
    input_tensor_b: Tensor,
    *,
    bias: Tensor | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Any:
    """``matmul`` plus a bias that broadcasts, then the activation."""
    values, first = _product("linear", input_tensor_a, input_tensor_b, transpose_a, transpose_b)
    if bias is not None:
        added = tensor_of(bias, "linear", "bias")
        if broadcast(tuple(values.shape), added.shape, "linear") != tuple(values.shape):
            fail(
                Code.SHAPES,
                f"ttnn.linear: a bias of shape {tuple(added.shape)} for a result of {tuple(values.shape)}",
            )
        values = values + engine.loaded(added)
    return values, first


def _product(function: str, a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> tuple[Any, Tensor]:
    first, second = tensor_of(a, function, "first matrix"), tensor_of(b, function, "second matrix")
    for name, tensor in (("first", first), ("second", second)):
        if not tensor.dtype.is_float:
            fail(
                Code.ELEMENT_TYPE,
                f"ttnn.{function} multiplies floating-point tensors, but the {name} is {tensor.dtype}",
            )
    left, right = engine.loaded(first), engine.loaded(second)
    left = left.swapaxes(-1, -2) if transpose_a and left.ndim > 1 else left
    right = right.swapaxes(-1, -2) if transpose_b and right.ndim > 1 else right
    _check(tuple(left.shape), tuple(right.shape), function)
    return left @ right, first


@computes(result="memory_config dtype optional_output_tensor")
def addmm(
    input_tensor: Tensor,
    mat1_tensor: Tensor,
    mat2_tensor: Tensor,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> Any:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    base = tensor_of(input_tensor, "addmm")
    first = tensor_of(mat1_tensor, "addmm", "first matrix")
    second = tensor_of(mat2_tensor, "addmm", "second matrix")
    for tensor in (base, first, second):
        if not tensor.dtype.is_float:
            fail(Code.ELEMENT_TYPE, f"ttnn.addmm works on floating-point tensors, not {tensor.dtype}")
    _check(first.shape, second.shape, "addmm")
    values = engine.loaded(first) @ engine.loaded(second) * number_of(alpha, "addmm", "alpha")
    broadcast(tuple(values.shape), base.shape, "addmm")
    return values + engine.loaded(base) * number_of(beta, "addmm", "beta"), base


@computes(result="memory_config")
def outer(input_tensor_a: Tensor, input_tensor_b: Tensor) -> Any:
    """All products of the elements of two tensors with one dimension other than 1."""
    first, second = tensor_of(input_tensor_a, "outer"), tensor_of(input_tensor_b, "outer")
    for tensor in (first, second):
        if sum(extent != 1 for extent in tensor.shape) > 1:
            fail(Code.SHAPES, f"ttnn.outer takes vectors, not a tensor of shape {tuple(tensor.shape)}")
    return engine.loaded(first).reshape(-1, 1) * engine.loaded(second).reshape(1, -1), first


def _transposed(left: tuple[int, ...], right: tuple[int, ...]) -> Argument | None:
    """Return the only argument whose transposition makes the inner extents equal; None unless there is exactly one."""
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
