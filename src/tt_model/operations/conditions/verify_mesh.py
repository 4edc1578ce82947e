"""Conditions on the operations that distribute tensors over a mesh of chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import TensorType

from tt_model.layouts.enums import ShardDirection, ShardType
from tt_model.layouts.mesh import parts_of
from tt_model.layouts.values import LayoutError, dimensions_text
from tt_model.operations.conditions.verify_common import input_shape, output_shape

if TYPE_CHECKING:
    from tt_model.operations.shared import MeshShardOperation, TTIRMeshShardOp


def _element_stays(op: MeshShardOperation) -> str | None:
    given, result = op.input.type, op.result.type
    assert isinstance(given, TensorType)
    assert isinstance(result, TensorType)
    if given.element_type == result.element_type:
        return None
    return f"input is of {given.element_type} and the result of {result.element_type}: distributing a tensor must not change its values"


def _numbers_go_with_the_type(op: MeshShardOperation) -> str | None:
    """``shard_shape`` has an extent for each dimension, ``shard_dims`` a dimension for each axis of the mesh, or -1."""
    kind, rank = op.shard_type, len(input_shape(op))
    shape, dims = op.shard_shape, op.shard_dims
    if kind is not ShardType.Devices:
        if set(shape) <= {1} and set(dims) <= {-1}:
            return None
        return (
            f"shard_type is {kind.keyword}, which cuts nothing, and shard_shape is {list(shape)} with shard_dims {list(dims)}: "
            "write 1 and -1, or the type devices"
        )
    if len(shape) != rank:
        return f"shard_shape has {len(shape)} extents, and the input tensor has {rank} dimensions"
    if len(dims) != 2:
        return f"shard_dims has {len(dims)} entries: one for the rows of the mesh, one for its columns"
    if wrong := [dim for dim in dims if not -1 <= dim < rank]:
        return f"shard_dims names dimension {wrong[0]}, and the tensor has {rank}: name one from 0 to {rank - 1}, or -1 for none"
    if wrong := [extent for extent in shape if extent < 1]:
        return f"shard_shape is {list(shape)}: a dimension is in {wrong[0]} parts, and 1 is the least"
    cut = [dim for dim, extent in enumerate(shape) if extent > 1]
    if missing := [dim for dim in cut if dim not in dims]:
        return f"shard_shape cuts dimension {missing[0]} into {shape[missing[0]]} parts, and shard_dims does not name it: {list(dims)}"
    if not cut:
        return "shard_shape cuts nothing: use the type replicate"
    return None


def _shapes_are_whole_and_part(op: MeshShardOperation) -> str | None:
    given, result, parts = input_shape(op), output_shape(op), op.shard_shape
    if op.shard_type is not ShardType.Devices:
        if given == result:
            return None
        return (
            f"input is {dimensions_text(given)} and the result {dimensions_text(result)}: with shard_type "
            f"{op.shard_type.keyword} the shape stays"
        )
    to_parts = op.shard_direction is ShardDirection.FullToShard
    whole = given if to_parts else result
    if uneven := [dim for dim, count in enumerate(parts) if dim < len(whole) and whole[dim] % count]:
        dim = uneven[0]
        return f"dimension {dim} of {dimensions_text(whole)} does not divide into {parts[dim]} parts"
    wanted = tuple(
        extent // count if to_parts else extent * count for extent, count in zip(given, parts, strict=True)
    )
    if result == wanted:
        return None
    return (
        f"input {dimensions_text(given)} by shard_shape {list(parts)} makes {dimensions_text(wanted)}, and the result is "
        f"{dimensions_text(result)}"
    )


def _is_done_by_the_host(op: TTIRMeshShardOp) -> str | None:
    for one in op.operand_constraints:
        if not one.data.memory_space.is_host or one.data.is_tiled:
            return (
                f"an operand constraint is {one.data.keyword}: the host distributes tensors, in rows; write "
                "#tt.operand_constraint<system|scalar|none>"
            )
    return None


MESH_SHARD = (_element_stays, _numbers_go_with_the_type, _shapes_are_whole_and_part)
MESH_SHARD_OF_HOST = (*MESH_SHARD, _is_done_by_the_host)


def problem_with_mesh(
    mesh: tuple[int, int], shard_shape: Sequence[int], shard_dims: Sequence[int]
) -> str | None:
    """Return why a mesh of rows and columns cannot cut a tensor in this way; None if it can."""
    try:
        parts = parts_of(mesh, shard_dims, len(shard_shape))
    except LayoutError as problem:
        return str(problem)
    if parts == tuple(shard_shape):
        return None
    return (
        f"shard_shape is {list(shard_shape)}, and a mesh {dimensions_text(mesh)} whose axes cut the dimensions "
        f"{list(shard_dims)} makes {list(parts)} parts"
    )
