"""Tiling of structured operations (``linalg.generic`` over memory) into loops, and splitting into two operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ttl.ir.refusals import Refused
from ttl.passes.building import detach

_WAY_OUT = "take what ttl-to-linalg makes, or lower other forms to it first"


def extents_of(op: GenericOp) -> tuple[int, ...]:
    """Return the extent of each dimension of a structured operation. Raises ``Refused`` where it is not known."""
    extents: dict[int, int] = {}
    for value, map_ in zip(op.operands, op.indexing_maps, strict=True):
        type_ = value.type
        if not isinstance(type_, MemRefType):
            raise Refused(f"an operand is {type_}, not memory", _WAY_OUT, op)
        for extent, dimension in zip(type_.get_shape(), _dimensions(op, map_), strict=True):
            extents[dimension] = extent
    count = op.indexing_maps.data[0].data.num_dims
    if set(extents) != set(range(count)) or min(extents.values(), default=0) < 0:
        raise Refused("the extent of a dimension is not known", "give memory of known shapes", op)
    return tuple(extents[dimension] for dimension in range(count))


def _dimensions(op: GenericOp, map_: AffineMapAttr) -> list[int]:
    """The dimension of the operation for each dimension of an operand."""
    extents = []
    for expression in map_.data.results:
        if not isinstance(expression, AffineDimExpr):
            raise Refused(f"the map {map_.data} is not a choice of dimensions", _WAY_OUT, op)
        extents.append(expression.position)
    return extents


def tile(
    op: GenericOp, sizes: Sequence[int], interchange: Sequence[int] = ()
) -> tuple[GenericOp, list[scf.ForOp]]:
    """Tile an operation into loops over parts; return the operation on a part, and the loops.

    ``sizes`` are the extents of a part, 0 for a whole dimension; ``interchange`` is the order of the dimensions from
    the outermost loop in. Raises ``Refused``.
    """
    extents = extents_of(op)
    _require_plain(op)
    sizes = [*sizes, *(0 for _ in extents[len(sizes) :])]
    if len(sizes) > len(extents):
        raise Refused(
            f"there are {len(sizes)} sizes and {len(extents)} dimensions", "give a size for each", op
        )
    for dimension, (size, extent) in enumerate(zip(sizes, extents, strict=True)):
        if size < 0 or (size and extent % size):
            raise Refused(
                f"{size} does not divide {extent}, the extent of dimension {dimension}",
                "split the operation first: structured.multitile_sizes says where",
                op,
            )
    order = list(interchange) or list(range(len(sizes)))
    if sorted(order) != list(range(len(order))):
        raise Refused(f"interchange is not an order of dimensions: {order}", "name each dimension once", op)
    block = op.parent
    assert block is not None
    at: Operation = op
    offsets: list[SSAValue | int] = [0] * len(extents)
    loops: list[scf.ForOp] = []
    for dimension in order:
        if not sizes[dimension]:
            continue
        bounds = [
            arith.ConstantOp.from_int_and_width(number, IndexType())
            for number in (0, extents[dimension], sizes[dimension])
        ]
        body = Block([*_placed(op, [scf.YieldOp()])], arg_types=[IndexType()])
        first, end, step = bounds
        loop = scf.ForOp(first, end, step, [], Region(body))
        parent = at.parent
        assert parent is not None
        parent.insert_ops_before(_placed(op, [*bounds, loop]), at)
        assert body.last_op is not None
        at, offsets[dimension] = body.last_op, body.args[0]
        loops.append(loop)
    inner = _part(op, offsets, [size or extent for size, extent in zip(sizes, extents, strict=True)], at)
    detach(op)
    op.erase()
    return inner, loops


def split(op: GenericOp, dimension: int, point: int) -> tuple[GenericOp, GenericOp | None]:
    """Split an operation into two: up to an index of a dimension, and from that index on. Raises ``Refused``.

    The second one is None if the index is the extent of the dimension.
    """
    extents = extents_of(op)
    _require_plain(op)
    if not 0 <= dimension < len(extents):
        raise Refused(f"there is no dimension {dimension}: there are {len(extents)}", "count from 0", op)
    if not 0 < point <= extents[dimension]:
        raise Refused(f"{point} is not within the extent {extents[dimension]}", "split inside of it", op)
    if point == extents[dimension]:
        return op, None
    parts = []
    for begin, size in ((0, point), (point, extents[dimension] - point)):
        offsets: list[SSAValue | int] = [0] * len(extents)
        offsets[dimension] = begin
        parts.append(_part(op, offsets, [*extents[:dimension], size, *extents[dimension + 1 :]], op))
    detach(op)
    op.erase()
    return parts[0], parts[1]


def _require_plain(op: GenericOp) -> None:
    if op.results:
        raise Refused("it gives tensors", _WAY_OUT, op)
    if any(isinstance(inner, IndexOp) for inner in op.walk()):
        raise Refused("it asks for its index, which parts count from 0", "leave linalg.index out", op)


def _part(op: GenericOp, offsets: Sequence[SSAValue | int], sizes: Sequence[int], at: Operation) -> GenericOp:
    """Insert the operation on a part of its operands before ``at``, and return it."""
    block = at.parent
    assert block is not None
    views: list[SSAValue] = []
    for value, map_ in zip(op.operands, op.indexing_maps, strict=True):
        dimensions = _dimensions(op, map_)
        if not dimensions:
            views.append(value)
            continue
        view = _subview(value, [offsets[one] for one in dimensions], [sizes[one] for one in dimensions])
        block.insert_ops_before(_placed(op, [view]), at)
        views.append(view.result)
    inputs, outputs = views[: len(op.inputs)], views[len(op.inputs) :]
    inner = GenericOp(inputs, outputs, op.body.clone(), op.indexing_maps, op.iterator_types)
    inner.attributes |= op.attributes
    block.insert_ops_before(_placed(op, [inner]), at)
    return inner


def _subview(value: SSAValue, offsets: Sequence[SSAValue | int], sizes: Sequence[int]) -> memref.SubviewOp:
    type_ = value.type
    assert isinstance(type_, MemRefType)
    strides = type_.get_strides()
    begin: int | None = 0
    if isinstance(type_.layout, StridedLayoutAttr):
        begin = None if isinstance(type_.layout.offset, NoneAttr) else type_.layout.offset.data
    if strides is None or any(stride is None for stride in strides):
        raise Refused(f"the strides of {type_} are not known", "give memory with known strides", None)
    offset: int | None = begin
    for one, stride in zip(offsets, strides, strict=True):
        offset = (
            None if offset is None or not isinstance(one, int) or stride is None else offset + one * stride
        )
    layout = StridedLayoutAttr([*strides], offset)
    result = MemRefType(type_.element_type, sizes, layout, type_.memory_space)
    static = [one if isinstance(one, int) else DYNAMIC_INDEX for one in offsets]
    dynamic = [one for one in offsets if not isinstance(one, int)]
    return memref.SubviewOp(value, dynamic, [], [], static, sizes, [1] * len(sizes), result)


def _placed(like: Operation, ops: list[Operation]) -> list[Operation]:
    for op in ops:
        op.location = like.location
    return ops
