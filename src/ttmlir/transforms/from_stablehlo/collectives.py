"""Operations between the chips of a mesh, and the parts of a tensor on chips.

Collectives without an operation in TTIR are composed of others: chips exchange parts by gathering all and keeping their
own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp
from xdsl.ir import Operation, SSAValue

from tt_model.attributes.tt import OperandConstraintAttr, ShardDirectionAttr, ShardTypeAttr
from tt_model.layouts.enums import OperandConstraint, ReduceOperation, ShardDirection, ShardType
from tt_model.layouts.mesh import groups_along, parts_of
from tt_model.stablehlo.dialect import HLOPartitionId
from tt_model.stablehlo.known import Known
from tt_model.stablehlo.numbers import array_of, shape_of
from tt_model.stablehlo.reading import attribute, integer, integers
from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.distribution import MESH_SHAPE, groups_of
from ttmlir.transforms.from_stablehlo.shardings import ALONE, Along, ChipMesh, axis_of_groups
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, tensor

_ON_HOST = OperandConstraintAttr(
    OperandConstraint.System | OperandConstraint.Scalar | OperandConstraint.None_
)
_COMBINED: Mapping[str, ReduceOperation] = MappingProxyType(
    {
        "stablehlo.add": ReduceOperation.Sum,
        "stablehlo.maximum": ReduceOperation.Max,
        "stablehlo.minimum": ReduceOperation.Min,
        "stablehlo.or": ReduceOperation.Max,
        "stablehlo.and": ReduceOperation.Min,
    }
)


def mesh_of(op: Operation) -> ChipMesh:
    """The mesh for which the module of an operation is written: one chip if the module has no ``tt.mesh_shape``."""
    module = op
    while (parent := module.parent_op()) is not None:
        module = parent
    shape = module.attributes.get(MESH_SHAPE) if isinstance(module, ModuleOp) else None
    extents = tuple(shape.get_values()) if isinstance(shape, DenseArrayBase) else ()
    rows, columns = extents if len(extents) == 2 else (1, 1)
    return ChipMesh((int(rows), int(columns)), {})


def mesh_shard(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert a custom call ``@tt.mesh_shard``, whose attributes are those of ``ttir.mesh_shard``."""
    kind, direction = attribute(op, "shard_type"), attribute(op, "shard_direction")
    if not isinstance(kind, ShardTypeAttr) or not isinstance(direction, ShardDirectionAttr):
        raise Refused(
            "it lacks shard_type and shard_direction",
            "what works: shard_type = #tt.shard_type<devices>, shard_direction = #tt.shard_direction<full_to_shard>, "
            "shard_shape and shard_dims as array<i64: ...>",
        )
    (value,) = w.operands(op)
    shape, dims = integers(op, "shard_shape"), integers(op, "shard_dims")
    return [_shard(value, w.result(op).get_shape(), kind.data, direction.data, shape, dims, w)]


def _shard(
    value: SSAValue,
    result: Sequence[int],
    kind: ShardType,
    direction: ShardDirection,
    shape: Sequence[int],
    dims: Sequence[int],
    w: Writer,
) -> SSAValue:
    type = tensor(tuple(result), w.element(value))
    (part,) = w.make(
        "ttir.mesh_shard",
        [value, w.empty(type)],
        [type],
        shard_type=ShardTypeAttr(kind),
        shard_direction=ShardDirectionAttr(direction),
        shard_shape=tuple(shape),
        shard_dims=tuple(dims),
        operand_constraints=[_ON_HOST, _ON_HOST],
    )
    return part


def own_part(value: SSAValue, dims: Sequence[int], mesh: ChipMesh, w: Writer) -> SSAValue:
    """The part of a tensor on a chip if the axes of the mesh cut the dimensions ``dims``."""
    parts = parts_of(mesh.extents, dims, len(w.shape(value)))
    if set(parts) == {1}:
        return value
    shape = [extent // count for extent, count in zip(w.shape(value), parts, strict=True)]
    return _shard(value, shape, ShardType.Devices, ShardDirection.FullToShard, parts, dims, w)


def partition_id(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert the number of a chip to the chip's part of a tensor 0, 1, 2, ..."""
    mesh, element = mesh_of(op), w.result(op).element_type
    if mesh.chips == 1:
        return [w.filled(0, (1,), element)]
    return [own_part(w.count(mesh.chips, element), (0, 0), mesh, w)]


def _axis(op: Operation, *, in_order: bool = True) -> tuple[ChipMesh, Along]:
    mesh, groups = mesh_of(op), groups_of(op)
    if groups is None:
        raise Refused(
            f"its replica_groups are {attribute(op, 'replica_groups')}",
            "what works: a table of device numbers",
        )
    if not groups or (mesh.chips == 1 and all(len(group) == 1 for group in groups)):
        return mesh, ALONE if mesh.chips == 1 else None
    return mesh, axis_of_groups(groups, mesh, in_order=in_order)


def _reduction(op: Operation) -> ReduceOperation:
    body = list(op.regions[0].block.ops)
    kind = _COMBINED.get(body[0].name) if len(body) == 2 else None
    if kind is None:
        raise Refused(
            f"its body combines values by {' and '.join(inner.name for inner in body[:-1]) or 'nothing'}",
            "what works: sums, maxima and minima: lax.psum, lax.pmean, lax.pmax, lax.pmin",
        )
    return kind


def _cluster_axis(axis: int | None) -> dict[str, int]:
    return {} if axis is None else {"cluster_axis": axis}


def all_reduce(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert ``lax.psum``, ``lax.pmax`` and ``lax.pmin``, each operand by itself."""
    kind = _reduction(op)
    _, axis = _axis(op, in_order=False)
    if axis is ALONE:
        return w.operands(op)
    return [
        w.into_empty("ttir.all_reduce", [value], w.type(value), reduce_type=int(kind), **_cluster_axis(axis))
        for value in w.operands(op)
    ]


def all_gather(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert ``lax.all_gather``, each operand by itself."""
    dim = integer(op, "all_gather_dim")
    mesh, axis = _axis(op)
    return [_gathered(value, dim, mesh, axis, w) for value in w.operands(op)]


def _gathered(value: SSAValue, dim: int, mesh: ChipMesh, axis: Along, w: Writer) -> SSAValue:
    if axis is ALONE:
        return value
    shape = list(w.shape(value))
    shape[dim] *= _together(mesh, axis)
    type = tensor(tuple(shape), w.element(value))
    return w.into_empty("ttir.all_gather", [value], type, dim=dim, **_cluster_axis(axis))


def _together(mesh: ChipMesh, axis: int | None) -> int:
    return len(groups_along(mesh.extents, axis)[0])


def reduce_scatter(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert ``lax.psum_scatter``."""
    kind, dim = _reduction(op), integer(op, "scatter_dimension")
    _, axis = _axis(op)
    if axis is ALONE:
        return w.operands(op)
    return [
        w.into_empty(
            "ttir.reduce_scatter",
            [value],
            w.result(op, index),
            scatter_dim=dim,
            reduce_type=int(kind),
            **_cluster_axis(axis),
        )
        for index, value in enumerate(w.operands(op))
    ]


def _dims_along(axis: int | None, dim: int) -> tuple[int, int]:
    """Return the dimension that each axis of a mesh cuts if chips along ``axis``, or all, get parts of ``dim``."""
    return (dim, dim) if axis is None else (dim, -1) if axis == 0 else (-1, dim)


def all_to_all(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert ``lax.all_to_all``: chips gather all parts, and each keeps its part along the other dimension."""
    split, joined = integer(op, "split_dimension"), integer(op, "concat_dimension")
    mesh, axis = _axis(op)
    if axis is ALONE:
        return w.operands(op)
    if split == joined:
        raise Refused(
            f"it splits and joins dimension {split}",
            "what works: lax.all_to_all with two different dimensions",
        )
    return [
        own_part(_gathered(value, joined, mesh, axis, w), _dims_along(axis, split), mesh, w)
        for value in w.operands(op)
    ]


def collective_permute(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert ``lax.ppermute``: chips gather all parts, order them by receivers, and each keeps its own."""
    mesh = mesh_of(op)
    table = array_of(attribute(op, "source_target_pairs"))
    assert table is not None
    pairs = {int(target): int(source) for source, target in table}
    for axis in (1, 0, None):
        sources = _same_in_all_groups(pairs, groups_along(mesh.extents, axis))
        if sources is not None:
            break
    else:
        raise AssertionError("all chips must be in one group")
    (value,) = w.operands(op)
    shape = w.shape(value)
    stacked = w.reshape(value, (1, *shape))
    everything = _gathered(stacked, 0, mesh, axis, w)
    none = w.filled(0, (1, *shape), w.element(value))
    ordered = w.concat([none if at is None else w.range(everything, 0, at, at + 1) for at in sources], 0)
    return [w.reshape(own_part(ordered, _dims_along(axis, 0), mesh, w), shape)]


def _same_in_all_groups(pairs: Mapping[int, int], groups: Sequence[Sequence[int]]) -> list[int | None] | None:
    """Return the place in its group that each place receives from, None for no sender.

    None if groups differ, or if chips send to other groups.
    """
    seen: list[int | None] | None = None
    for group in groups:
        sources = [pairs.get(chip) for chip in group]
        if any(source is not None and source not in group for source in sources):
            return None
        places = [None if source is None else group.index(source) for source in sources]
        if seen is not None and places != seen:
            return None
        seen = places
    return seen


def part_by_number(op: Operation, w: Writer) -> SSAValue | None:
    """Convert a ``dynamic_slice`` whose start depends on the number of the chip to the chip's part of the operand.

    None for other starts, and if the slices are not the parts that axes of the mesh cut.
    """
    mesh = mesh_of(op)
    if mesh.chips == 1:
        return None
    numbers = [
        inner.results[0]
        for inner in (op.parent.ops if op.parent is not None else ())
        if isinstance(inner, HLOPartitionId)
    ]
    if not numbers:
        return None
    starts = np.empty((mesh.chips, len(op.operands) - 1), np.int64)
    for chip in range(mesh.chips):
        known = Known({number: np.asarray(chip, np.uint32) for number in numbers})
        for dim, start in enumerate(op.operands[1:]):
            number = known.number(start)
            if number is None:
                return None
            starts[chip, dim] = int(number)
    shape, sizes = shape_of(op.operands[0]), integers(op, "slice_sizes")
    starts = np.clip(starts, 0, np.array(shape) - np.array(sizes))
    rows, columns = np.divmod(np.arange(mesh.chips), mesh.extents[1])
    value, dims = w[op.operands[0]], [-1, -1]
    for dim, (extent, size) in enumerate(zip(shape, sizes, strict=True)):
        begins = starts[:, dim]
        if (begins == begins[0]).all():
            value = w.range(value, dim, int(begins[0]), int(begins[0]) + size)
            continue
        for used, at in (((0,), rows), ((1,), columns), ((0, 1), np.arange(mesh.chips))):
            count = int(np.prod([mesh.extents[axis] for axis in used]))
            if count * size == extent and np.array_equal(begins, at * size):
                for axis in used:
                    if dims[axis] != -1:
                        return None
                    dims[axis] = dim
                break
        else:
            return None
    return own_part(value, dims, mesh, w)


COLLECTIVE_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        f"stablehlo.{rule.__name__}": rule
        for rule in (all_gather, all_reduce, all_to_all, collective_permute, partition_id, reduce_scatter)
    }
)
