"""Helpers for steps of all kinds: fields of tables, and computations for each chip that has its own values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from tt_model.runtime.distribution import MeshShards
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.sharding import Follows, followed
from tt_model.runtime.tensors import RuntimeTensor, TensorDescription, description_of

if TYPE_CHECKING:
    import torch

Fields = Mapping[str, Any]
Step = Callable[[TensorPool], None]


def tensors_read(fields: Fields) -> Iterator[tuple[str, Fields]]:
    """Yield the field and the table of each tensor that an operation reads, in the order of the operation's table."""
    return (pair for pair in _tensors(fields) if not _is_written(pair[0]))


def tensors_written(fields: Fields) -> Iterator[Fields]:
    """Yield the tables of the tensors that an operation writes."""
    return (said for name, said in _tensors(fields) if _is_written(name))


def _tensors(fields: Fields) -> Iterator[tuple[str, Fields]]:
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping) and "desc" in one:
                yield name, one


def _is_written(name: str) -> bool:
    return name.startswith(("out", "further_out"))


def first_read(fields: Fields) -> int:
    """The number of the first tensor that an operation reads; -1 if it reads none."""
    return next((int(reference.get("global_id", -1)) for _, reference in tensors_read(fields)), -1)


def number_of(fields: Fields, name: str) -> int:
    """The number of the tensor in a field."""
    return int(fields[name]["global_id"])


def result_of(fields: Fields) -> TensorDescription:
    """Return the description of the tensor that an operation writes."""
    return description_of(fields["out"])


def device_of(fields: Fields) -> int | None:
    """The number of the device that an operation names; None if it names none."""
    device = fields.get("device")
    return None if device is None else int(device.get("global_id", 0))


def computed(
    pool: TensorPool, function: Callable[..., torch.Tensor], follows: Follows, *tensors: RuntimeTensor
) -> torch.Tensor | MeshShards:
    """Compute a function of tensors, once if all chips have the same values, else for each chip.

    Raises ``RuntimeProblem``. ``follows`` derives the strategy of the result's shards. The function must have no effect
    but its result, and use no tensors but its arguments: later runs call it instead of the step (``runtime/plan.py``).
    """
    try:
        for tensor in tensors:
            if tensor.shards is not None:
                return _per_chip(pool, function, follows, tensors)
        given = [tensor.values for tensor in tensors]
        values = function(*given)
    except RuntimeError as problem:
        shapes = ", ".join("x".join(map(str, tensor.shape)) for tensor in tensors)
        reason = str(problem).splitlines()[0]
        raise RuntimeProblem(f"the shapes {shapes} cannot be combined: {reason}", at=pool.at) from None
    if pool.recorder is not None:
        pool.recorder.computed(function, given, values)
    return values


def check_elements(pool: TensorPool, count: int, out: TensorDescription) -> None:
    """Refuse a result with more elements than the binary states, before it is computed."""
    wanted = prod(out.shape)
    if count > wanted:
        raise RuntimeProblem(
            f"the operands make {count:,} elements, and TensorDesc.shape of {out} is {list(out.shape)}, {wanted:,}",
            at=pool.at,
        )


def repeated_elements(*shapes: tuple[int, ...]) -> int:
    """The number of elements of the shape that all shapes can be repeated to; 0 if there is no such shape."""
    longest = max(map(len, shapes))
    aligned = [(1,) * (longest - len(shape)) + shape for shape in shapes]
    repeated = [set(extents) - {1} for extents in zip(*aligned, strict=True)]
    if any(len(extents) > 1 for extents in repeated):
        return 0
    return prod(extents.pop() if extents else 1 for extents in repeated)


def _per_chip(
    pool: TensorPool,
    function: Callable[..., torch.Tensor],
    follows: Follows,
    tensors: Sequence[RuntimeTensor],
) -> MeshShards:
    counts = {len(tensor.shards.parts) for tensor in tensors if tensor.shards is not None}
    if len(counts) > 1:
        described = ", ".join(tensor.describe() for tensor in tensors)
        raise RuntimeProblem(f"the operands are for meshes of different sizes: {described}", at=pool.at)
    parts = tuple(
        function(
            *(tensor.values if tensor.shards is None else tensor.shards.parts[chip] for tensor in tensors)
        )
        for chip in range(counts.pop())
    )
    strategy = followed(
        follows,
        [tensor.strategy for tensor in tensors],
        [tensor.shape for tensor in tensors],
        tuple(parts[0].shape),
        len(parts),
    )
    return MeshShards(parts, strategy)
