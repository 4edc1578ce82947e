"""Elementwise operations, reductions, softmax and products of matrices as steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tt_model.layouts.enums import DataType
from tt_model.operations.elementwise import TTNNElementwiseOp
from tt_model.operations.file_tables import class_in_file
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.shared import TTNNMatmulOp, TTNNReductionOp, TTNNSoftmaxOp
from tt_model.runtime.operands import (
    Fields,
    Step,
    check_elements,
    computed,
    number_of,
    repeated_elements,
    result_of,
)
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.sharding import elementwise, product, reduced, same, within
from tt_model.runtime.step_kinds.arithmetic import function_of, reduction_of, unary_of
from tt_model.runtime.tensors import TensorDescription

if TYPE_CHECKING:
    import torch


def eltwise(fields: Fields) -> Step:
    """Return the step of an elementwise operation."""
    kind, out = class_in_file("EltwiseOp", fields), result_of(fields)
    word = fields["type"]
    assert kind is not None
    sources, takes = [int(one["global_id"]) for one in fields.get("ins", [])], kind.ROW.takes
    if len(sources) != takes:
        raise RuntimeProblem(f"{word} takes {takes} tensors, but the binary passes {len(sources)}")
    return (
        _unary(kind, sources[0], out, fields.get("params", {}))
        if takes == 1
        else _of_several(kind, sources, out)
    )


def _unary(kind: type[TTNNOperation], source: int, out: TensorDescription, parameters: Fields) -> Step:
    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNElementwiseOp.inputs)
        values = computed(pool, unary_of(kind, tensor.values.dtype, parameters), same, tensor)
        pool.put_result(out, values, tensor.data_type, TTNNElementwiseOp, tensor)

    return run


def _of_several(kind: type[TTNNOperation], sources: list[int], out: TensorDescription) -> Step:
    """Return the step of an operation with several operands.

    Its result has the type in its description, or that of the first operand, or, for a choice, that of the chosen
    operand.
    """
    function, stated = function_of(kind), kind.ROW.result_type_is_free
    first = len(sources) - 2

    def run(pool: TensorPool) -> None:
        tensors = pool.operands(sources, TTNNElementwiseOp.inputs)
        shapes = [tensor.shape for tensor in tensors]
        if any(shape != shapes[0] for shape in shapes):
            check_elements(pool, repeated_elements(*shapes), out)
        values = computed(pool, function, elementwise, *tensors)
        data_type = out.data_type if stated else tensors[first].data_type
        pool.put_result(out, values, data_type, TTNNElementwiseOp, *tensors)

    return run


def reduction(fields: Fields) -> Step:
    """Return the step of a sum, mean or maximum."""
    kind, source, out = class_in_file("ReductionOp", fields), number_of(fields, "in"), result_of(fields)
    assert kind is not None
    dims = tuple(fields["dim_arg"]) if "dim_arg" in fields else None
    keep_dim = bool(fields.get("keep_dim", False))

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNReductionOp.input)
        along = tuple(range(len(tensor.shape))) if dims is None else dims
        follows = within(along) if keep_dim else reduced(along)
        function = reduction_of(kind, tensor.values.dtype, along, keep_dim)
        if not keep_dim and len(along) >= len(tensor.shape):
            values = computed(pool, lambda given: at_least_one(function(given)), follows, tensor)
        else:
            values = computed(pool, function, follows, tensor)
        pool.put_result(out, values, tensor.data_type, TTNNReductionOp, tensor)

    return run


def softmax(fields: Fields) -> Step:
    """Return the step of a softmax along a dimension."""
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
    """Return the step of a matrix product."""
    first, second, out = number_of(fields, "in0"), number_of(fields, "in1"), result_of(fields)

    def run(pool: TensorPool) -> None:
        import torch

        left, right = pool.operand(first, TTNNMatmulOp.a), pool.operand(second, TTNNMatmulOp.b)
        if len(left.shape) > 1 and len(right.shape) > 1:
            matrices = repeated_elements(left.shape[:-2], right.shape[:-2])
            check_elements(pool, matrices * left.shape[-2] * right.shape[-1], out)
        # The chip adds in its 32-bit registers: a result with as many bits is not rounded before.
        wide = torch.float32
        is_wide = out.data_type is not DataType.Float32 or left.values.dtype == right.values.dtype == wide

        def multiplied(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return at_least_one(torch.matmul(a, b) if is_wide else torch.matmul(a.to(wide), b.to(wide)))

        is_number = max(len(left.shape), len(right.shape)) < 2
        function = torch.matmul if is_wide and not is_number else multiplied
        values = computed(pool, function, product, left, right)
        pool.put_result(out, values, out.data_type, TTNNMatmulOp, left, right)

    return run


def at_least_one(values: torch.Tensor) -> torch.Tensor:
    """Give a tensor without dimensions a dimension of extent 1, since the library has no tensors without dimensions."""
    return values if values.dim() else values.reshape(1)
