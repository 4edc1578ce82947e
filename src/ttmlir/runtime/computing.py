"""Elementwise operations, reductions, softmax and products of matrices as steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttmlir.layouts.enums import DataType
from ttmlir.operations.elementwise import TTNNElementwiseOp
from ttmlir.operations.ttnn import TTNNMatmulOp, TTNNReductionOp, TTNNSoftmaxOp
from ttmlir.runtime.arithmetic import apply_unary, apply_where, binary, reduce, unary
from ttmlir.runtime.operands import (
    Fields,
    Step,
    check_elements,
    computed,
    number_of,
    repeated_elements,
    result_of,
)
from ttmlir.runtime.placement import typecast
from ttmlir.runtime.pool import TensorPool
from ttmlir.runtime.problems import RuntimeProblem
from ttmlir.runtime.sharding import elementwise, product, reduced, same, within
from ttmlir.runtime.tensors import TensorDescription

if TYPE_CHECKING:
    import torch

# Operations of two inputs whose result has the type that its description says; the others have that of the first input.
_OF_STATED_TYPE = frozenset(
    {"Add", "Multiply", "Subtract", "Div", "Equal", "NotEqual", "GreaterEqual", "GreaterThan", "LessEqual"}
    | {"LessThan", "LogicalAnd", "LogicalOr", "LogicalXor"}
)


def eltwise(fields: Fields) -> Step:
    """An operation of each element."""
    word, out = fields["type"], result_of(fields)
    sources = [int(one["global_id"]) for one in fields.get("ins", [])]
    parameters = fields.get("params", {})
    if word in unary():
        _count(word, sources, 1)
        return _unary(word, sources[0], out, parameters)
    if word in binary():
        _count(word, sources, 2)
        return _binary(word, sources[0], sources[1], out)
    if word == "Where":
        _count(word, sources, 3)
        return _where(sources, out)
    if word == "Typecast":
        _count(word, sources, 1)
        return typecast({"in": fields["ins"][0], "out": fields["out"], "dtype": out.data_type.name})
    raise RuntimeProblem(f"Unsupported Eltwise operation {word}")


def _count(word: str, sources: list[int], wanted: int) -> None:
    if len(sources) != wanted:
        raise RuntimeProblem(f"{word} takes {wanted} tensors, and the binary gives it {len(sources)}")


def _unary(word: str, source: int, out: TensorDescription, parameters: Fields) -> Step:
    def function(values: torch.Tensor) -> torch.Tensor:
        return apply_unary(word, values, parameters)

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNElementwiseOp.inputs)
        values = computed(pool, function, same, tensor)
        pool.put_result(out, values, tensor.data_type, TTNNElementwiseOp, tensor)

    return run


def _binary(word: str, first: int, second: int, out: TensorDescription) -> Step:
    function, stated = binary()[word], word in _OF_STATED_TYPE

    def run(pool: TensorPool) -> None:
        left, right = pool.operands((first, second), TTNNElementwiseOp.inputs)
        if left.shape != right.shape:
            check_elements(pool, repeated_elements(left.shape, right.shape), out)
        values = computed(pool, function, elementwise, left, right)
        data_type = out.data_type if stated else left.data_type
        pool.put_result(out, values, data_type, TTNNElementwiseOp, left, right)

    return run


def _where(sources: list[int], out: TensorDescription) -> Step:
    def run(pool: TensorPool) -> None:
        tensors = pool.operands(sources, TTNNElementwiseOp.inputs)
        check_elements(pool, repeated_elements(*(tensor.shape for tensor in tensors)), out)
        values = computed(pool, apply_where, elementwise, *tensors)
        pool.put_result(out, values, tensors[1].data_type, TTNNElementwiseOp, *tensors)

    return run


def reduction(fields: Fields) -> Step:
    """Sums, means and maxima."""
    word, source, out = fields["type"], number_of(fields, "in"), result_of(fields)
    dims = tuple(fields["dim_arg"]) if "dim_arg" in fields else None
    keep_dim = bool(fields.get("keep_dim", False))

    def function(values: torch.Tensor) -> torch.Tensor:
        return at_least_one(reduce(word, values, dims, keep_dim))

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNReductionOp.input)
        along = range(len(tensor.shape)) if dims is None else dims
        follows = within(along) if keep_dim else reduced(along)
        values = computed(pool, function, follows, tensor)
        pool.put_result(out, values, tensor.data_type, TTNNReductionOp, tensor)

    return run


def softmax(fields: Fields) -> Step:
    """Softmax along a dimension."""
    source, out, dim = number_of(fields, "in"), result_of(fields), int(fields.get("dimension", 0))

    def run(pool: TensorPool) -> None:
        import torch

        tensor = pool.operand(source, TTNNSoftmaxOp.input)
        values = computed(
            pool, lambda given: torch.softmax(given.to(torch.float32), dim), within([dim]), tensor
        )
        pool.put_result(out, values, tensor.data_type, TTNNSoftmaxOp, tensor)

    return run


def matmul(fields: Fields) -> Step:
    """A product of matrices."""
    first, second, out = number_of(fields, "in0"), number_of(fields, "in1"), result_of(fields)

    def run(pool: TensorPool) -> None:
        import torch

        left, right = pool.operand(first, TTNNMatmulOp.a), pool.operand(second, TTNNMatmulOp.b)
        if len(left.shape) > 1 and len(right.shape) > 1:
            matrices = repeated_elements(left.shape[:-2], right.shape[:-2])
            check_elements(pool, matrices * left.shape[-2] * right.shape[-1], out)
        # The chip adds in its 32-bit registers: a result that has as many bits is not rounded before.
        wide = torch.float32 if out.data_type is DataType.Float32 else None

        def multiplied(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return at_least_one(torch.matmul(a.to(wide), b.to(wide)) if wide else torch.matmul(a, b))

        values = computed(pool, multiplied, product, left, right)
        pool.put_result(out, values, out.data_type, TTNNMatmulOp, left, right)

    return run


def at_least_one(values: torch.Tensor) -> torch.Tensor:
    """There are no tensors without dimensions: of all of them one of extent 1 is left."""
    return values if values.dim() else values.reshape(1)
