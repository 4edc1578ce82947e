"""Which operations of a block become one operation of TT-Lang.

Operations are visited from the last to the first: an operation joins the group of its users if all of them are in that
group, and if the group can still be computed block by block. So a group has one result, no operation outside of it uses
its intermediate values, and it can stand where its last operation stands. Operations that only move elements are in no
group: a group reads through them (``ttmlir.outlining.views``).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import BFloat16Type, Float32Type
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tt_model.operations.operation import TTIROperation
from tt_model.operations.result_shapes import exchanged
from tt_model.operations.shared import TTIRMatmulOp, TTIRReductionOp, TTIRSoftmaxOp, TTIRTransposeOp
from tt_model.operations.tensors import shape_of
from ttmlir.outlining.group import (
    Arrangement,
    OperationGroup,
    SeenValue,
    arrangement,
    element_of,
    inputs_of,
    read_through,
)
from ttmlir.outlining.region import Pattern, RegionTensor, has_whole_rows, is_in_tiles
from ttmlir.outlining.spelling import ELEMENTWISE
from ttmlir.outlining.tiles import TILE, is_product_for_rows, is_product_of_rows
from ttmlir.outlining.views import MOVEMENTS, ElementPlace, Shape, View, along, axes_of, is_plain, reshaped

_ELEMENTS: Mapping[type[Attribute], str] = MappingProxyType({Float32Type: "f32", BFloat16Type: "bf16"})
# The most inputs of a group: each takes a buffer of the node, and the compiler needs some for intermediate values.
_MOST_INPUTS = 10
_MOST_STEPS = 40
# The number of nodes with which it is decided whether a product is in one group with operations on its complete rows.
_NODES = 64
# The most operations in front of an operation that are examined to choose its axes.
_MOST_LOOKED_AT = 200


def groups_of(block: Block, *, fuse: bool = True) -> list[OperationGroup]:
    """The groups of a block that are worth an operation of their own, in the order of the model.

    Without ``fuse``, every operation that kernels can compute is a group by itself.
    """
    groups: dict[Operation, OperationGroup] = {}
    for op in reversed(list(block.ops)):
        if not isinstance(op, TTIROperation) or why_no_step(op):
            continue
        group = _group_of_users(op, groups) if fuse else None
        if group is None or not _joins(op, group):
            group = _new_group(op, groups)
        if group is not None:
            groups[op] = group
    different = dict.fromkeys(reversed(groups.values()))
    if fuse:
        for group in list(different):
            if _takes_second_product(group, different):
                groups.update(dict.fromkeys(group.operations, group))
    order = {op: place for place, op in enumerate(block.ops)}
    chosen = [group for group in different if not fuse or _is_worth_it(group)]
    inside = {op for group in chosen for op in group.operations}
    for op in block.ops:
        if isinstance(op, TTIRTransposeOp) and (turned := _turning(op, inside, fuse=fuse)) is not None:
            chosen.append(turned)
    return sorted(chosen, key=lambda group: order[group.root])


def _takes_second_product(first: OperationGroup, groups: dict[OperationGroup, None]) -> bool:
    """Add to a group the product whose left factor is the only use of the group's complete rows; whether there was one.

    ``groups`` loses the group of the product.
    """
    result = first.root.result
    if first.pattern is not Pattern.MATMUL or not any(has_whole_rows(type(op)) for op in first.operations):
        return False
    for second in groups:
        product = second.root
        if second.operations != [product] or not isinstance(product, TTIRMatmulOp):
            continue
        left, right = inputs_of(product)
        if left is not result or len(list(result.uses)) != 1 or not _has_second(first, product):
            continue
        rows = first.views[result]
        first.width = shape_of(right)[-1]
        across = along(first.output_columns, first.width)
        leading = _repeated(rows[:-2], shape_of(left)[:-2], shape_of(right)[:-2])
        whole = SeenValue(
            right,
            (*leading, along(first.columns, first.domain[-1]), across),
            first.columns,
            first.output_columns,
        )
        own = SeenValue(left, rows, first.rows, first.columns)
        is_shared = first.rows not in axes_of(whole.view)  # else each row would have a factor of its own
        if (
            is_shared
            and _is_readable(whole, first)
            and len(_external(first, product, (own, whole))) <= _MOST_INPUTS
        ):
            first.operations.insert(0, product)
            first.views[product.result] = (*rows[:-1], across)
            first.operands[product] = (own, whole)
            del groups[second]
            return True
        first.width = 0
    return False


def _has_second(first: OperationGroup, product: TTIRMatmulOp) -> bool:
    """Whether a product may end a group: its rows lie along the group's, and the busiest node moves no more tiles."""
    rows, right = first.views[first.root.result], shape_of(inputs_of(product)[1])
    columns = along(first.columns, first.domain[-1])
    if (
        len(right) < 2
        or len(right) > len(rows)
        or rows[-1] != columns
        or rows[-2].axis not in (first.rows, None)
    ):
        return False
    return is_product_of_rows(first.domain, right[-1], _NODES)


def is_elementwise(op: TTIROperation) -> bool:
    return type(op) in ELEMENTWISE


def _is_worth_it(group: OperationGroup) -> bool:
    """Whether a group is worth an operation of TT-Lang.

    A single elementwise operation is worth it only if it saves a movement: TTNN has the same operation.
    """
    if len(group.operations) > 1 or not is_elementwise(group.root):
        return True
    return any(
        isinstance(seen.value.owner, MOVEMENTS) and read_through(group, seen).value is not seen.value
        for seen in group.operands[group.root]
    )


def _turning(op: TTIRTransposeOp, inside: set[TTIROperation], *, fuse: bool) -> OperationGroup | None:
    """Return a group for a transpose of the last two dimensions.

    None for other transposes, if kernels cannot read the blocks of the operand, and if all users read through it.
    """
    shape = shape_of(op.result)
    rank = len(shape)
    if element_of(op.result) is None or rank < 2 or 0 in shape:
        return None
    if {op.dim0 % rank, op.dim1 % rank} != {rank - 2, rank - 1}:
        return None
    if _is_only_read(op, inside, fuse=fuse):
        return None
    group = OperationGroup(shape)
    view = tuple(along(axis, extent) for axis, extent in enumerate(shape))
    seen = SeenValue(op.result, view, group.rows, group.columns)
    source = SeenValue(op.operands[0], (*view[:-2], view[-1], view[-2]), group.rows, group.columns)
    group.operations.append(op)
    group.views[op.result] = seen.view
    group.operands[op] = (source,)
    return group if is_in_tiles(source.tensor(), group.extents, TILE) else None


def _is_only_read(op: Operation, inside: set[TTIROperation], *, fuse: bool) -> bool:
    """Whether every use is by an operation that is outlined, directly or (with ``fuse``) through movements."""
    users = [use.operation for use in op.results[0].uses]
    return bool(users) and all(
        (user in inside and (fuse or isinstance(user, TTIRMatmulOp)))
        or (fuse and isinstance(user, MOVEMENTS) and _is_only_read(user, inside, fuse=fuse))
        for user in users
    )


# Which operations can be steps.


def why_no_step(op: TTIROperation) -> str:
    """Return why kernels do not compute an operation, as a clause; empty if they do, where its blocks can be read."""
    values = [*inputs_of(op), *op.results]
    if isinstance(op, MOVEMENTS):
        return "kernels can read through it only if their blocks are whole tiles of its operand, and no reader of it has such blocks"
    if len(op.results) != 1 or any(element_of(value) is None for value in values):
        return "kernels compute tensors of f32 and bf16 whose shape is known"
    if any(0 in shape_of(value) or not shape_of(value) for value in values):
        return "kernels have no blocks of a tensor without dimensions or without elements"
    rank = len(shape_of(values[0]))
    match op:
        case TTIRSoftmaxOp() if op.dimension % rank != rank - 1:
            return f"it works along dimension {op.dimension % rank}, but kernels have complete rows along the last dimension only"
        case TTIRReductionOp() if rank == 1 or [dim % rank for dim in op.dim_arg or ()] != [rank - 1]:
            return "it does not reduce the last dimension only, but kernels have complete rows along the last dimension only"
        case TTIRMatmulOp() if any(len(shape_of(value)) == 1 for value in values):
            return "one of its factors is a vector: reshape it to a row or a column"
        case TTIRSoftmaxOp() | TTIRReductionOp() | TTIRMatmulOp():
            return ""
    return "" if is_elementwise(op) else "kernels have no step that computes it"


def _operands(op: TTIROperation, view: View, group: OperationGroup) -> tuple[SeenValue, ...] | None:
    """Return the operands of an operation, seen as its result in ``view`` requires; None if blocks are not enough."""
    values = inputs_of(op)
    column = along(group.columns, group.domain[-1])
    shape = shape_of(op.result)
    views: list[View]
    match op:
        case TTIRMatmulOp():
            return _factors(op, view, group)
        case TTIRReductionOp():
            if group.columns in axes_of(view) or shape_of(values[0])[-1] != group.domain[-1]:
                return None
            views = [(*(view[:-1] if op.keeps_rank else view), column)]
        case TTIRSoftmaxOp():
            if view[-1] != column or shape[-1] != group.domain[-1]:
                return None
            views = [view]
        case _:
            views = [_repeated(view, shape, shape_of(value)) for value in values]
    seen = tuple(
        SeenValue(value, one, group.rows, group.columns) for value, one in zip(values, views, strict=True)
    )
    return seen if all(_is_readable(one, group) for one in seen) else None


def _factors(op: TTIRMatmulOp, view: View, group: OperationGroup) -> tuple[SeenValue, ...] | None:
    left, right = inputs_of(op)
    shape, inner = shape_of(op.result), len(group.domain)
    batch, rows, columns = view[:-2], view[-2], view[-1]
    summed = along(inner, group.inner)
    seen = (
        SeenValue(
            left, (*_repeated(batch, shape[:-2], shape_of(left)[:-2]), rows, summed), group.rows, inner
        ),
        SeenValue(
            right,
            (*_repeated(batch, shape[:-2], shape_of(right)[:-2]), summed, columns),
            inner,
            group.columns,
        ),
    )
    if group.columns in axes_of(seen[0].view) or group.rows in axes_of(seen[1].view):
        return None
    return seen if all(_is_readable(one, group) for one in seen) else None


def _repeated(view: View, shape: Shape, operand: Shape) -> View:
    """Return the view of an operand that is repeated to the shape of the result."""
    missing = len(shape) - len(operand)
    return tuple(
        place if extent == whole else ElementPlace()
        for place, whole, extent in zip(view[missing:], shape[missing:], operand, strict=True)
    )


def _is_readable(seen: SeenValue, group: OperationGroup) -> bool:
    """Whether kernels can read the blocks of a value as it is, or arranged by the axes of the group."""
    return is_in_tiles(seen.tensor(), group.extents, TILE) or arrangement(seen, group) is not None


# Which groups they can join.


def _new_group(op: TTIROperation, groups: Mapping[Operation, OperationGroup]) -> OperationGroup | None:
    """Return a group of one operation, with the axes that leave the fewest movements; None if no blocks can be read."""
    matches = [axes for axes in _axes(op) if _group_by(op, axes) is not None]
    if not matches:
        return None
    costs = [0] if len(matches) == 1 else [_movements(op, axes, groups) for axes in matches]
    return _group_by(op, matches[costs.index(min(costs))])


def _wide(op: TTIROperation) -> Shape:
    """The shape over which an operation iterates: that of the input of a reduction, else that of the result."""
    return shape_of(inputs_of(op)[0] if isinstance(op, TTIRReductionOp) else op.result)


def _group_by(op: TTIROperation, axes: Sequence[int | None]) -> OperationGroup | None:
    """Return a group of one operation whose axes are the dimensions ``axes``; None if its blocks cannot be read."""
    wide = _wide(op)
    group = OperationGroup(tuple(1 if dim is None else wide[dim] for dim in axes))
    places = {dim: along(axis, wide[dim]) for axis, dim in enumerate(axes) if dim is not None}
    view = tuple(places.get(dim, ElementPlace()) for dim in range(len(wide)))
    match op:
        case TTIRMatmulOp():
            group.pattern, group.inner = Pattern.MATMUL, shape_of(inputs_of(op)[0])[-1]
        case TTIRSoftmaxOp():
            group.pattern = Pattern.ROWS
        case TTIRReductionOp():
            group.pattern = Pattern.ROWS
            view = (*view[:-1], *((ElementPlace(),) if op.keeps_rank else ()))
    operands = _operands(op, view, group)
    if operands is None:
        return None
    group.add(op, view, operands)
    return group


def _axes(op: TTIROperation) -> Iterator[list[int | None]]:
    """Yield the choices of dimensions as axes of an operation's group; None is an axis of one element.

    The last two axes are rows and columns. By default, the axes are the dimensions in their order; but if the operation
    has one row only, which would fill a tile each, the dimensions before it with more than one element are the axes,
    and the last of them the rows. If it has few rows, a longer dimension may be the rows as well: models have sequences
    before batches. A product with a batch of right factors keeps its rows: each factor has its own rows.
    """
    shape = _wide(op)
    rank = len(shape)
    if rank == 1:
        yield [None, 0]
        return
    longer = [dim for dim, extent in enumerate(shape[:-2]) if extent != 1]
    right = shape_of(inputs_of(op)[1])[:-2] if isinstance(op, TTIRMatmulOp) else ()
    if shape[-2] == 1 and longer and max(right, default=1) == 1:
        yield [*longer, rank - 1]
        return
    yield list(range(rank))
    longest = max(range(rank - 1), key=lambda dim: shape[dim])
    if shape[-2] < TILE and shape[longest] > shape[-2] and max(right, default=1) == 1:
        yield [*(dim for dim in range(rank - 1) if dim != longest), longest, rank - 1]


def _movements(
    root: TTIROperation, axes: Sequence[int | None], groups: Mapping[Operation, OperationGroup]
) -> int:
    """Return how many movements would be left around a group with these axes, after all possible operations joined."""
    group = _group_by(root, axes)
    assert group is not None
    inside: dict[Operation, OperationGroup] = {root: group}
    everything = ChainMap(inside, dict(groups))
    op = root.prev_op
    for _ in range(_MOST_LOOKED_AT):
        if op is None:
            break
        if (
            isinstance(op, TTIROperation)
            and op.results
            and op.result in group.demanded
            and not why_no_step(op)
            and _group_of_users(op, everything) is group
            and _joins(op, group)
        ):
            inside[op] = group
        op = op.prev_op
    count = 0
    for seen in (seen for some in group.operands.values() for seen in some):
        if any(one is not None and one.value in group.views for one in group.through(seen)):
            continue
        read = read_through(group, seen)
        count += not is_in_tiles(read.tensor(), group.extents, TILE)
        count += sum(1 for one in group.through(read)) - 1
    result = group.root.result
    given = SeenValue(result, group.views[result], group.rows, group.columns)
    arranged = None if is_in_tiles(given.tensor(), group.extents, TILE) else arrangement(given, group)
    for other in dict.fromkeys(groups.values()):
        for reader in other.demanded.get(result, ()):
            count += reader is None or not _reads_arranged(reader, arranged, other)
    return count


def _reads_arranged(reader: SeenValue, arranged: Arrangement | None, group: OperationGroup) -> bool:
    """Whether another group can read a result that is arranged by the axes of the group that computes it."""
    view, shape = reader.view, shape_of(reader.value)
    if arranged is not None:
        view, shape = exchanged(view, *arranged.exchanges), exchanged(shape, *arranged.exchanges)
        flat = reshaped(view, shape, arranged.shape, group.extents)
        if flat is None:
            return False
        view, shape = flat, arranged.shape
    element = element_of(reader.value) or "f32"
    return is_in_tiles(RegionTensor(shape, element, view, reader.rows, reader.columns), group.extents, TILE)


def _group_of_users(op: TTIROperation, groups: Mapping[Operation, OperationGroup]) -> OperationGroup | None:
    """The group that all users of the result are in, directly or through movements."""
    matches: set[OperationGroup | None] = set()
    values = [op.result]
    while values:
        uses = list(values.pop().uses)
        if not uses:
            return None
        for use in uses:
            user = use.operation
            if not isinstance(user, TTIROperation) or use.index >= len(inputs_of(user)):
                return None
            if isinstance(user, MOVEMENTS):
                values.append(user.result)
            else:
                matches.add(groups.get(user))
    return matches.pop() if len(matches) == 1 else None


def _joins(op: TTIROperation, group: OperationGroup) -> bool:
    """Add an operation to the group of its users if the group can compute it; return whether it was added."""
    seen = group.demanded[op.result]
    if len(seen) != 1 or (one := next(iter(seen))) is None or len(group.operations) >= _MOST_STEPS:
        return False
    is_factor = (one.rows, one.columns) != (group.rows, group.columns)
    if is_factor or not is_plain(one.view, shape_of(op.result), group.extents):
        return False  # a factor comes from memory, in the order of its own blocks
    old = (group.domain, group.inner, group.pattern)
    if isinstance(op, TTIRMatmulOp):
        axes = {axis for axis, extent in enumerate(group.domain) if extent != 1}
        inner = shape_of(inputs_of(op)[0])[-1]
        if group.pattern is Pattern.MATMUL or axes_of(one.view) != axes:
            return False
        if group.pattern is Pattern.ROWS and not is_product_for_rows(group.domain, inner, _NODES):
            return False
        group.pattern, group.inner = Pattern.MATMUL, inner
    elif isinstance(op, TTIRReductionOp | TTIRSoftmaxOp):
        extent = shape_of(inputs_of(op)[0])[-1]
        if group.pattern is Pattern.MATMUL or group.domain[-1] not in (1, extent):
            return False
        group.domain, group.pattern = (*group.domain[:-1], extent), Pattern.ROWS
    operands = _operands(op, one.view, group)
    if operands is None or len(_external(group, op, operands)) > _MOST_INPUTS:
        group.domain, group.inner, group.pattern = old
        return False
    group.add(op, one.view, operands)
    return True


def _external(group: OperationGroup, op: TTIROperation, operands: tuple[SeenValue, ...]) -> set[SSAValue]:
    """Return the values that a group would read if ``op`` joined it."""
    results = {op.result, *group.views}
    every = [*operands, *(seen for some in group.operands.values() for seen in some)]
    return {seen.value for seen in every if seen.value not in results}
