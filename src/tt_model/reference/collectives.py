"""Operations between the chips of a mesh: the result of each chip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import TypeAlias, TypeGuard

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tt_model.attributes.tt import DeviceAttr
from tt_model.layouts.enums import ReduceOperation, ShardDirection, ShardType
from tt_model.layouts.mesh import groups_along, part_of_chip, parts_of, rows_and_columns
from tt_model.operations.shared import MeshShardOperation
from tt_model.operations.stages import Stage, on, on_both
from tt_model.operations.ttir import TTIRAllGatherOp, TTIRAllReduceOp, TTIRReduceScatterOp
from tt_model.operations.ttnn import TTNNAllGatherOp, TTNNReduceScatterOp
from tt_model.reference.formats import Values

_REDUCTIONS: Mapping[int, Callable[[Values, Values], Values]] = MappingProxyType(
    {ReduceOperation.Sum: np.add, ReduceOperation.Max: np.maximum, ReduceOperation.Min: np.minimum}
)


def _gather(op: TTIRAllGatherOp | TTNNAllGatherOp, parts: Sequence[Values]) -> Sequence[Values]:
    return [np.concatenate(list(parts), op.dim)] * len(parts)


def _combined(parts: Sequence[Values], operation: int, attribute: str) -> Values:
    if operation not in _REDUCTIONS:
        raise ValueError(f"{attribute} is {operation}, which chips do not combine by")
    return reduce(_REDUCTIONS[operation], parts)


def _all_reduce(op: TTIRAllReduceOp, parts: Sequence[Values]) -> Sequence[Values]:
    return [_combined(parts, op.reduce_type, "reduce_type")] * len(parts)


def _reduce_scatter(op: TTIRReduceScatterOp, parts: Sequence[Values]) -> Sequence[Values]:
    return np.split(_combined(parts, op.reduce_type, "reduce_type"), len(parts), op.scatter_dim)


def _scattered(op: TTNNReduceScatterOp, parts: Sequence[Values]) -> Sequence[Values]:
    return np.split(_combined(parts, op.math_op, "math_op"), len(parts), op.scatter_split_dim)


BETWEEN = Stage(
    on_both(TTIRAllGatherOp, TTNNAllGatherOp, _gather),
    on(TTIRAllReduceOp, _all_reduce),
    on(TTIRReduceScatterOp, _reduce_scatter),
    on(TTNNReduceScatterOp, _scattered),
)
_MeshShard: TypeAlias = MeshShardOperation
Collective: TypeAlias = (
    TTIRAllGatherOp
    | TTNNAllGatherOp
    | TTIRAllReduceOp
    | TTIRReduceScatterOp
    | TTNNReduceScatterOp
    | _MeshShard
)


def is_collective(op: Operation) -> TypeGuard[Collective]:
    """Whether an operation needs the tensors of other chips, or gives each chip a part of its own."""
    return isinstance(op, Collective)


def _mesh_shard(op: _MeshShard, parts: Sequence[Values], mesh: tuple[int, int]) -> list[Values]:
    kind, dims = op.shard_type, op.shard_dims
    chips = range(mesh[0] * mesh[1])
    if kind is ShardType.Identity:
        return list(parts)
    if kind is not ShardType.Devices:
        return [parts[0] for _ in chips]
    if op.shard_direction is ShardDirection.FullToShard:
        return [part[part_of_chip(chip, mesh, dims, part.shape)] for chip, part in zip(chips, parts)]
    counts = parts_of(mesh, dims, parts[0].ndim)
    whole = np.empty([extent * count for extent, count in zip(parts[0].shape, counts)], parts[0].dtype)
    # The first chip with a part is the last one to write it.
    for chip in reversed(chips):
        whole[part_of_chip(chip, mesh, dims, whole.shape)] = parts[chip]
    return [whole for _ in chips]


def mesh_of(module: ModuleOp, chips: int) -> tuple[int, int]:
    """Rows and columns of the chips: the mesh of the module's device if it has as many chips, else one row."""
    device = module.attributes.get("tt.device")
    if isinstance(device, DeviceAttr):
        mesh = rows_and_columns(device.data.mesh_shape)
        if mesh[0] * mesh[1] == chips:
            return mesh
    return 1, chips


def parts_chips(module: ModuleOp) -> bool:
    """Whether an operation of a module gives chips parts of their own, even of a tensor that all chips have."""
    return any(isinstance(op, TTIRReduceScatterOp | TTNNReduceScatterOp | _MeshShard) for op in module.walk())


def collective(op: Collective, parts: Sequence[Values], mesh: tuple[int, int]) -> list[Values]:
    """Return the tensor of each chip of a mesh after an operation between chips; ``parts`` are the tensors before it.

    Raises ``ValueError``.
    """
    if isinstance(op, _MeshShard):
        return _mesh_shard(op, parts, mesh)
    results: list[Values] = list(parts)
    between = BETWEEN.of(type(op))
    assert between is not None
    for group in groups_along(mesh, op.cluster_axis):
        given = between(op, [parts[chip] for chip in group])
        for chip, result in zip(group, given, strict=True):
            results[chip] = result
    return results
