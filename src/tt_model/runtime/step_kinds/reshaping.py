"""Steps of operations that move elements."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

from tt_model.operations.shared import TTNNConcatOp, TTNNReshapeOp, TTNNSliceOp, TTNNTransposeOp
from tt_model.operations.ttnn import TTNNEmbeddingOp
from tt_model.runtime.operands import Fields, Step, check_elements, computed, number_of, result_of
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.sharding import Follows, concatenated, kept, looked_up, reshaped, swapped

if TYPE_CHECKING:
    import torch


def transpose(fields: Fields) -> Step:
    """Return the step that exchanges two dimensions."""
    first, second = int(fields.get("dim0", 0)), int(fields.get("dim1", 0))
    return _moving(
        fields,
        lambda shape: lambda values: values.transpose(first, second),
        swapped(first, second),
        TTNNTransposeOp,
    )


def _moving(
    fields: Fields,
    move_of: Callable[[tuple[int, ...]], Callable[[torch.Tensor], torch.Tensor]],
    follows: Follows,
    of: type[TTNNSliceOp | TTNNTransposeOp],
) -> Step:
    """Return the step of an operation that moves elements, depending on the shape.

    The result has the layout of the input.
    """
    source, out = number_of(fields, "in"), result_of(fields)

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, of.input)
        values = computed(pool, move_of(tensor.shape), follows, tensor)
        pool.put_result(out, values, tensor.data_type, of, tensor)

    return run


def reshape(fields: Fields) -> Step:
    """Return the step that gives the same memory another shape."""
    source, out, shape = number_of(fields, "in"), result_of(fields), tuple(fields.get("shape", ()))

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNReshapeOp.input)
        values = computed(pool, lambda given: given.reshape(shape), reshaped, tensor)
        pool.view(out, tensor, values)

    return run


def concat(fields: Fields) -> Step:
    """Return the step that joins tensors along a dimension."""
    sources = [int(one["global_id"]) for one in fields.get("inputs", [])]
    out, dim = result_of(fields), int(fields.get("dim", 0))

    def run(pool: TensorPool) -> None:
        import torch

        tensors = pool.operands(sources, TTNNConcatOp.inputs)
        check_elements(pool, sum(prod(tensor.shape) for tensor in tensors), out)
        values = computed(pool, lambda *given: torch.cat(given, dim), concatenated(dim), *tensors)
        pool.put_result(out, values, tensors[0].data_type, TTNNConcatOp, *tensors)

    return run


def cut_out(fields: Fields) -> Step:
    """Return the step that cuts a part out of a tensor."""
    source: Fields = fields["in"]
    begins, ends, steps = (list(fields.get(name, [])) for name in ("begins", "ends", "step"))

    def cut_of(shape: tuple[int, ...]) -> Callable[[torch.Tensor], torch.Tensor]:
        positions = [
            range(extent)[begin:end:step]
            for extent, begin, end, step in zip(shape, begins, ends, steps, strict=True)
        ]
        parts = [(dim, one) for dim, one in enumerate(positions) if one != range(shape[dim])]

        def cut(values: torch.Tensor) -> torch.Tensor:
            for dim, part in parts:
                values = _taken(values, dim, part)
            return values

        return cut

    def is_whole(dim: int) -> bool:
        shape = source.get("desc", {}).get("shape", [])
        return dim < min(len(begins), len(shape)) and list(
            range(shape[dim])[begins[dim] : ends[dim] : steps[dim]]
        ) == list(range(shape[dim]))

    return _moving(fields, cut_of, kept(is_whole), TTNNSliceOp)


def _taken(values: torch.Tensor, dim: int, positions: range) -> torch.Tensor:
    import torch

    if positions.step > 0:
        count = len(positions)
        if positions.step == 1:
            return values.narrow(dim, positions.start, count)
        index: list[Any] = [slice(None)] * values.dim()
        index[dim] = slice(positions.start, positions.stop, positions.step)
        return values[tuple(index)]
    return values.index_select(dim, torch.tensor(list(positions)))


def embedding(fields: Fields) -> Step:
    """Return the step that looks up rows of a table."""
    source, weight, out = number_of(fields, "input"), number_of(fields, "weight"), result_of(fields)

    def run(pool: TensorPool) -> None:
        import torch

        indices = pool.operand(source, TTNNEmbeddingOp.input)
        table = pool.operand(weight, TTNNEmbeddingOp.weight)

        def taken(numbers: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
            rows = given.reshape(-1, given.shape[-1])
            if numbers.is_floating_point():
                wrong = numbers[(numbers < 0) | (numbers != numbers.floor())]
                if wrong.numel():
                    raise RuntimeProblem(f"tensor {source} asks for row {float(wrong[0]):g}", at=pool.at)
                numbers = numbers.to(torch.int64)
            if numbers.numel() and int(numbers.max()) >= rows.shape[0]:
                raise RuntimeProblem(
                    f"tensor {source} asks for row {int(numbers.max())} of a table of {rows.shape[0]}",
                    at=pool.at,
                )
            return torch.nn.functional.embedding(numbers, rows)

        check_elements(pool, prod(indices.shape) * table.shape[-1], out)
        values = computed(pool, taken, looked_up, indices, table)
        pool.put_result(out, values, out.data_type, TTNNEmbeddingOp, indices, table)

    return run
