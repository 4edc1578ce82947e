"""``MeshShardOp``: cuts a whole tensor of the host into parts for the chips of a mesh, or joins such parts."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from tt_model.layouts.mesh import part_of_chip, parts_of
from tt_model.layouts.values import LayoutError
from tt_model.runtime.distribution import NOT_KNOWN, AxisCut, MeshShards, ShardGrid, axes_of, cut, on_axes
from tt_model.runtime.operands import Fields, Step, device_of, number_of, result_of
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.step_kinds.collectives import by_tt_lang
from tt_model.runtime.tensors import RuntimeTensor, TensorDescription

if TYPE_CHECKING:
    import torch

_DIRECTIONS = ("FullToShard", "ShardToFull")
_TYPES = ("Identity", "Replicate", "Maximal", "Devices")


def mesh_shard(fields: Fields) -> Step:
    """Return the step that distributes or joins a tensor; both tensors are on the host."""
    source, out, device = number_of(fields, "in"), result_of(fields), device_of(fields)
    direction = fields.get("shard_direction", _DIRECTIONS[0])
    kind = fields.get("shard_type", _TYPES[0])
    shape, dims = tuple(fields.get("shard_shape", ())), tuple(fields.get("shard_dims", ()))
    if direction not in _DIRECTIONS or kind not in _TYPES:
        raise RuntimeProblem(f"MeshShardOp has shard_direction {direction} and shard_type {kind}; known are "
                             f"{', '.join(_DIRECTIONS)} and {', '.join(_TYPES)}")  # fmt: skip
    if kind == "Devices" and len(dims) != 2:
        raise RuntimeProblem(
            f"MeshShardOp.shard_dims is {list(dims)}: there is one for each axis of the mesh, which are two"
        )
    to_parts = direction == "FullToShard"

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if tensor.on_device:
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) is on the device, and the host distributes tensors: put a "
                "ttnn.from_device before",
                at=pool.at,
            )
        held: torch.Tensor | MeshShards
        if kind == "Identity":
            held = tensor.held
        elif kind != "Devices":
            held = _parts(tensor, 1)[0]
        else:
            mesh = pool.extents(pool.mesh(device))
            _check(mesh, shape, dims, tensor, pool, to_parts=to_parts)
            grid = ShardGrid(*mesh, _axes(dims))
            held = _distributed(tensor, grid, pool, source) if to_parts else _whole(tensor, grid)
            if pool.collectives != "host" and grid.rows * grid.columns > 1:
                held = _through_chips(tensor, held, grid, pool)
        _check_shape(held, tensor, out, pool)
        pool.put(out, held, tensor.data_type, tensor.tiled, None)

    return run


def _axes(dims: Sequence[int]) -> tuple[int | None, int | None]:
    """Return the dimension that each axis of a mesh cuts, None for -1."""
    rows, columns = (None if dim < 0 else int(dim) for dim in dims)
    return rows, columns


def _parts(tensor: RuntimeTensor, chips: int) -> tuple[torch.Tensor, ...]:
    return (tensor.values,) * chips if tensor.shards is None else tensor.shards.parts


def _distributed(
    tensor: RuntimeTensor, grid: ShardGrid, pool: TensorPool, number: int
) -> torch.Tensor | MeshShards:
    """Cut the tensor of each chip along the axes of ``grid``; it must be the same along these axes before."""
    if tensor.shards is None:
        return cut(tensor.values, grid, grid.rows * grid.columns, f"tensor {number}")
    mesh = (grid.rows, grid.columns)
    before = axes_of(tensor.strategy, len(tensor.shards.parts), mesh)
    if tuple(extent for extent, _ in before) != mesh:
        before = axes_of(None, len(tensor.shards.parts), mesh)
    cuts: list[AxisCut] = []
    for (extent, has), new in zip(before, grid.dims, strict=True):
        if extent > 1 and new is not None and has is not None:
            raise RuntimeProblem(
                f"tensor {number} ({tensor.describe()}) is in shards along an axis of the mesh that FullToShard cuts it by: put a "
                "ShardToFull or a ttnn.all_gather before",
                at=pool.at,
            )
        cuts.append(has if new is None else new)
    if grid.dims[0] is not None and cuts[0] == cuts[1]:
        # The rows' parts lie within those of the columns: joined row by row, they are in another order.
        cuts[1] = NOT_KNOWN
    dims = [-1 if not isinstance(dim, int) else dim for dim in grid.dims]
    parts = tuple(
        part[part_of_chip(chip, mesh, dims, part.shape)] for chip, part in enumerate(tensor.shards.parts)
    )
    return MeshShards(parts, on_axes(mesh, (cuts[0], cuts[1])))


def _whole(tensor: RuntimeTensor, grid: ShardGrid) -> torch.Tensor:
    """Join the parts to one tensor; along an axis that cuts nothing, those of the first chips are used."""
    return MeshShards(_parts(tensor, grid.rows * grid.columns), grid).whole()


def _through_chips(
    tensor: RuntimeTensor, held: torch.Tensor | MeshShards, grid: ShardGrid, pool: TensorPool
) -> torch.Tensor | MeshShards:
    """Distribute or join a tensor by operations of TT-Lang: broadcast it and keep parts, or gather parts axis by axis.

    No other chip is needed if each chip keeps a part of its own tensor, or if the tensor is the same on all of them.
    """
    mesh = (grid.rows, grid.columns)
    if isinstance(held, MeshShards):
        if tensor.shards is not None:
            return held
        wholes = by_tt_lang(pool, "broadcast", [tensor.values] * prod(mesh), mesh, None, 0, tensor.data_type)
        dims = [-1 if not isinstance(dim, int) else dim for dim in grid.dims]
        parts = [whole[part_of_chip(chip, mesh, dims, whole.shape)] for chip, whole in enumerate(wholes)]
        return MeshShards(tuple(parts), held.strategy)
    parts = list(_parts(tensor, prod(mesh)))
    for axis in (1, 0):
        dim = grid.dims[axis]
        if isinstance(dim, int) and mesh[axis] > 1:
            parts = by_tt_lang(pool, "all_gather", parts, mesh, axis, dim, tensor.data_type)
    return parts[0]


def _check(
    mesh: tuple[int, int],
    shape: Sequence[int],
    dims: Sequence[int],
    tensor: RuntimeTensor,
    pool: TensorPool,
    *,
    to_parts: bool,
) -> None:
    try:
        parts = parts_of(mesh, dims, len(tensor.shape))
    except LayoutError as problem:
        raise RuntimeProblem(f"MeshShardOp.shard_dims: {problem}", at=pool.at) from None
    if parts != tuple(shape):
        raise RuntimeProblem(
            f"MeshShardOp.shard_shape is {list(shape)}, and {mesh[0]}x{mesh[1]} chips with shard_dims {list(dims)} make "
            f"{list(parts)} parts: it was written for another mesh",
            at=pool.at,
        )
    for dim, (extent, count) in enumerate(zip(tensor.shape, parts, strict=True)):
        if to_parts and extent % count:
            raise RuntimeProblem(
                f"dimension {dim} of {tensor.describe()} does not divide into {count} parts", at=pool.at
            )


def _check_shape(
    held: torch.Tensor | MeshShards, tensor: RuntimeTensor, out: TensorDescription, pool: TensorPool
) -> None:
    one = held.parts[0] if isinstance(held, MeshShards) else held
    if tuple(one.shape) != out.shape:
        raise RuntimeProblem(
            f"it makes {'x'.join(map(str, one.shape))} of {tensor.describe()}, and the binary says that {out} is "
            f"{'x'.join(map(str, out.shape))}",
            at=pool.at,
        )
