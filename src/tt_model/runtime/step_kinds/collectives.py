"""Operations between the chips of a mesh: all_gather and reduce_scatter, of all chips or of those along an axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from tt_model.layouts.elements import TILE_SHAPE
from tt_model.layouts.enums import DataType, ReduceOperation
from tt_model.layouts.known_systems import name_in_arch
from tt_model.layouts.mesh import groups_along
from tt_model.layouts.values import LayoutError
from tt_model.operations.takes import ends_within_a_tile
from tt_model.operations.ttnn import TTNNAllGatherOp, TTNNReduceScatterOp
from tt_model.runtime.distribution import (
    NOT_KNOWN,
    AxisCut,
    MeshShards,
    Replicate,
    Strategy,
    axes_of,
    on_axes,
)
from tt_model.runtime.numbers import stored
from tt_model.runtime.operands import Fields, Step, number_of, result_of
from tt_model.runtime.pool import KernelCycles, TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.tensors import RuntimeTensor
from tt_model.tt_lang.declared_kernels import KernelError

if TYPE_CHECKING:
    import torch

    from tt_model.tt_lang.collectives import Collective

# From the tensors of a group's chips to the results of each of them.
Between = Callable[[Sequence["torch.Tensor"]], Sequence["torch.Tensor"]]


def all_gather(fields: Fields) -> Step:
    """Return a step that puts the parts of all chips of a group, side by side, on each of them."""
    source, out, dim = number_of(fields, "in"), result_of(fields), int(fields.get("dim", 0))
    axis = _axis(fields)

    def gathered(parts: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        import torch

        return [torch.cat(list(parts), dim)] * len(parts)

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNAllGatherOp.input)
        _check_dimension("AllGatherOp.dim", dim, tensor, source, pool)
        _doubt_parts(tensor, dim, tensor.shape[dim], source, pool)
        held, count = _between(pool, tensor, axis, gathered, None, dim, _LibraryCall("all_gather"))
        shape = _shape(held)
        if shape != out.shape:
            raise RuntimeProblem(
                f"the parts of tensor {source} ({tensor.describe()}) on {count} {'chip' if count == 1 else 'chips'} make "
                f"{'x'.join(map(str, shape))} along dimension {dim}, and the binary says "
                f"{'x'.join(map(str, out.shape))}: it was written for another number of chips",
                at=pool.at,
            )
        pool.put_result(out, held, tensor.data_type, TTNNAllGatherOp, tensor)

    return run


def reduce_scatter(fields: Fields) -> Step:
    """Return a step that computes the sum (maximum, minimum) of a group's tensors, and puts one part on each chip.

    Chips pass on partial sums in the type of the tensor, so that each rounds them.
    """
    source, out = number_of(fields, "in"), result_of(fields)
    dim, operation = int(fields.get("scatter_split_dim", 0)), int(fields.get("math_op", 0))
    axis, reduce = _axis(fields), _REDUCTIONS.get(operation)
    if reduce is None:
        raise RuntimeProblem(
            f"ReduceScatterOp.math_op is {operation}; known are 0 (sum), 2 (maximum) and 3 (minimum)"
        )

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNReduceScatterOp.input)
        _check_dimension("ReduceScatterOp.scatter_split_dim", dim, tensor, source, pool)
        count = len(groups_along(pool.extents(tensor.mesh), axis)[0])
        if tensor.shape[dim] % count:
            raise RuntimeProblem(
                f"dimension {dim} of tensor {source} ({tensor.describe()}) does not divide into parts for {count} chips: "
                f"pad it to {-(-tensor.shape[dim] // count) * count}",
                at=pool.at,
            )

        _doubt_parts(tensor, dim, tensor.shape[dim] // count, source, pool)

        def scattered(parts: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
            total = parts[0]
            for part in parts[1:]:
                total = stored(reduce(total, part), tensor.data_type)
            return total.chunk(len(parts), dim)

        held, _ = _between(pool, tensor, axis, scattered, dim, dim, _LibraryCall("reduce_scatter", operation))
        shape = _shape(held)
        if shape != out.shape:
            raise RuntimeProblem(
                f"a part for each of {count} chips of tensor {source} ({tensor.describe()}) is "
                f"{'x'.join(map(str, shape))}, and the binary says {'x'.join(map(str, out.shape))}: it was written for "
                "another number of chips",
                at=pool.at,
            )
        pool.put_result(out, held, tensor.data_type, TTNNReduceScatterOp, tensor)

    return run


def _sum(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return first + second


def _larger(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.maximum(first, second)


def _smaller(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.minimum(first, second)


_REDUCTIONS: Mapping[int, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = MappingProxyType(
    {ReduceOperation.Sum: _sum, ReduceOperation.Max: _larger, ReduceOperation.Min: _smaller}
)


def _axis(fields: Fields) -> int | None:
    axis = fields.get("cluster_axis")
    return None if axis is None else int(axis)


def _check_dimension(field: str, dim: int, tensor: RuntimeTensor, number: int, pool: TensorPool) -> None:
    if not 0 <= dim < len(tensor.shape):
        raise RuntimeProblem(
            f"{field} is {dim}, and tensor {number} ({tensor.describe()}) has {len(tensor.shape)} dimensions",
            at=pool.at,
        )


def _doubt_parts(tensor: RuntimeTensor, dim: int, extent: int, number: int, pool: TensorPool) -> None:
    """Report parts that end within a tile: it is not known whether a card moves their padding, too."""
    if tensor.tiled and ends_within_a_tile(len(tensor.shape), dim, extent):
        pool.doubt(
            f"tensor {number} ({tensor.describe()}) is in parts of {extent} along dimension {dim}, no whole tiles, which the "
            f"operation on a card may refuse: pad each part to {-(-extent // TILE_SHAPE[0]) * TILE_SHAPE[0]}"
        )


def _shape(held: torch.Tensor | MeshShards) -> tuple[int, ...]:
    return tuple((held.parts[0] if isinstance(held, MeshShards) else held).shape)


def _between(
    pool: TensorPool,
    tensor: RuntimeTensor,
    axis: int | None,
    function: Between,
    gives: int | None,
    dim: int,
    call: _LibraryCall,
) -> tuple[torch.Tensor | MeshShards, int]:
    """Apply a function to the tensors of each group of chips; return the result, and the number of chips in a group.

    ``gives`` is the dimension of the result that the group cuts, or None if its chips get the same; ``dim`` is the
    dimension that the function works along. ``call`` is the operation of TT-Lang that may do it instead.
    """
    mesh = pool.extents(tensor.mesh)
    try:
        groups = groups_along(mesh, axis)
    except LayoutError as problem:
        raise RuntimeProblem(str(problem), at=pool.at) from None
    count = len(tensor.mesh)
    parts = (tensor.values,) * count if tensor.shards is None else tensor.shards.parts
    results = list(parts)
    if pool.collectives != "host" and count > 1:
        results = by_tt_lang(pool, call.kind, parts, mesh, axis, dim, tensor.data_type, call.operation)
    else:
        for group in groups:
            for chip, result in zip(group, function([parts[chip] for chip in group]), strict=True):
                results[chip] = result
    strategy = _after(tensor.strategy, count, mesh, axis, gives, dim)
    if isinstance(strategy, Replicate) or count == 1:
        return results[0], len(groups[0])
    return MeshShards(tuple(results), strategy), len(groups[0])


@dataclass(frozen=True, slots=True)
class _LibraryCall:
    """The equivalent operation of TT-Lang, and the function that it reduces by."""

    kind: Collective
    operation: int = ReduceOperation.Sum


def by_tt_lang(
    pool: TensorPool,
    kind: Collective,
    parts: Sequence[torch.Tensor],
    mesh: tuple[int, int],
    axis: int | None,
    dim: int,
    data_type: DataType,
    operation: int = ReduceOperation.Sum,
) -> list[torch.Tensor]:
    """Return each chip's tensor after an operation of ``ttl.ops``, run on the pool's target.

    Raises ``RuntimeProblem``.
    """
    from tt_model.tt_lang.collectives import between_chips

    arch = pool.device.system.chips[0].arch.keyword
    try:
        results, cycles = between_chips(
            kind,
            parts,
            mesh,
            axis=axis,
            dim=dim,
            data_type=data_type,
            arch=arch,
            target=pool.collectives,
            system=name_in_arch(pool.device.system),
            reduction=operation,
        )
    except KernelError as problem:
        raise RuntimeProblem(f"{problem}; with --collectives host the host does it", at=pool.at) from None
    if cycles is not None:
        pool.kernels.append(KernelCycles(pool.at, f"ttl.ops.{kind}", cycles))
    return results


def _after(
    before: Strategy | None, count: int, mesh: tuple[int, int], axis: int | None, gives: int | None, dim: int
) -> Strategy | None:
    """Return the strategy of the result: the operation's along its axis, the previous one along the other axis."""
    if axis is None:
        return on_axes(mesh, (gives, gives))
    axes = axes_of(before, count, mesh)
    if tuple(extent for extent, _ in axes) != mesh:
        axes = axes_of(None, count, mesh)
    other: AxisCut = axes[1 - axis][1]
    if axis == 0 and other == dim:
        # The columns' parts lie within those of the rows: joined row by row, they are in another order.
        other = NOT_KNOWN
    return on_axes(mesh, (gives, other) if axis == 0 else (other, gives))
