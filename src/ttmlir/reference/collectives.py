"""Operations between the chips of a mesh: what each of them has of the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ttmlir.attributes.tt import DeviceAttr
from ttmlir.layouts.enums import ReduceOperation, ShardDirection, ShardType
from ttmlir.layouts.mesh import groups_along, part_of_chip, parts_of, rows_and_columns
from ttmlir.operations.operation import RowOperation
from ttmlir.reference.formats import Values

Between = Callable[[RowOperation, Sequence[Values]], Sequence[Values]]

_REDUCTIONS: Mapping[int, Callable[[Values, Values], Values]] = MappingProxyType(
    {ReduceOperation.Sum: np.add, ReduceOperation.Max: np.maximum, ReduceOperation.Min: np.minimum}
)


def _gather(op: RowOperation, parts: Sequence[Values]) -> Sequence[Values]:
    return [np.concatenate(list(parts), op.integer("dim"))] * len(parts)


def _combined(op: RowOperation, parts: Sequence[Values], attribute: str) -> Values:
    operation = op.integer(attribute)
    if operation not in _REDUCTIONS:
        raise ValueError(f"{attribute} is {operation}, which chips do not combine by")
    return reduce(_REDUCTIONS[operation], parts)


def _all_reduce(op: RowOperation, parts: Sequence[Values]) -> Sequence[Values]:
    return [_combined(op, parts, "reduce_type")] * len(parts)


def _scattered(dim: str, operation: str) -> Between:
    def between(op: RowOperation, parts: Sequence[Values]) -> Sequence[Values]:
        return np.split(_combined(op, parts, operation), len(parts), op.integer(dim))

    return between


_BETWEEN: Mapping[str, Between] = MappingProxyType(
    {
        "ttir.all_gather": _gather,
        "ttnn.all_gather": _gather,
        "ttir.all_reduce": _all_reduce,
        "ttir.reduce_scatter": _scattered("scatter_dim", "reduce_type"),
        "ttnn.reduce_scatter": _scattered("scatter_split_dim", "math_op"),
    }
)


def is_collective(op: Operation) -> bool:
    """Whether chips need what others have for it, or get parts of their own."""
    return op.name in _BETWEEN or op.name in _MESH_SHARD


_MESH_SHARD = ("ttir.mesh_shard", "ttnn.mesh_shard")


def _mesh_shard(op: RowOperation, parts: Sequence[Values], mesh: tuple[int, int]) -> list[Values]:
    kind, dims = op.value("shard_type"), op.integers("shard_dims")
    chips = range(mesh[0] * mesh[1])
    if kind is ShardType.Identity:
        return list(parts)
    if kind is not ShardType.Devices:
        return [parts[0] for _ in chips]
    if op.value("shard_direction") is ShardDirection.FullToShard:
        return [part[part_of_chip(chip, mesh, dims, part.shape)] for chip, part in zip(chips, parts)]
    counts = parts_of(mesh, dims, parts[0].ndim)
    whole = np.empty([extent * count for extent, count in zip(parts[0].shape, counts)], parts[0].dtype)
    # The first chip that has a part is the last to write it.
    for chip in reversed(chips):
        whole[part_of_chip(chip, mesh, dims, whole.shape)] = parts[chip]
    return [whole for _ in chips]


def mesh_of(module: ModuleOp, chips: int) -> tuple[int, int]:
    """Rows and columns of the chips: those of the module's device that has so many, or one row."""
    device = module.attributes.get("tt.device")
    if isinstance(device, DeviceAttr):
        mesh = rows_and_columns(device.data.mesh_shape)
        if mesh[0] * mesh[1] == chips:
            return mesh
    return 1, chips


def parts_chips(module: ModuleOp) -> bool:
    """Whether an operation of a module gives chips parts of their own, of what all may have."""
    names = ("ttir.reduce_scatter", "ttnn.reduce_scatter", *_MESH_SHARD)
    return any(op.name in names for op in module.walk())


def collective(op: RowOperation, parts: Sequence[Values], mesh: tuple[int, int]) -> list[Values]:
    """What each chip of a mesh has after an operation between them; ``parts`` is what each had. Raises ``ValueError``."""
    if op.name in _MESH_SHARD:
        return _mesh_shard(op, parts, mesh)
    results: list[Values] = list(parts)
    for group in groups_along(mesh, op.value("cluster_axis")):
        given = _BETWEEN[op.name](op, [parts[chip] for chip in group])
        for chip, result in zip(group, given, strict=True):
            results[chip] = result
    return results
