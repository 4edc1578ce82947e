"""Which operations of a block become one operation of TT-Lang.

From the last operation to the first: one joins the group of its users if all of them are in that group, and if the group can
still be computed block by block. So a group has one result, nothing outside needs what is inside, and it can stand where its last
operation stands. Operations that only move elements are in no group: a group reads through them (``ttmlir.outlining.views``).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import BFloat16Type, Float32Type, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ttmlir.operations.operation import TTIROperation
from ttmlir.operations.ttir import (
    TTIRMatmulOp,
    TTIRReductionOp,
    TTIRSoftmaxOp,
    TTIRTransposeOp,
)
from ttmlir.outlining.region import Pattern, RegionTensor, is_in_tiles
from ttmlir.outlining.spelling import ELEMENTWISE
from ttmlir.outlining.tiles import TILE
from ttmlir.outlining.views import MOVEMENTS, Place, Shape, View, along, axes_of, before, is_plain, reshaped
from ttmlir.transforms.emission import shape_of

_ELEMENTS: Mapping[type[Attribute], str] = MappingProxyType({Float32Type: "f32", BFloat16Type: "bf16"})
# Buffers of a node: each input has one, and the compiler needs some for values in between.
_MOST_INPUTS = 10
_MOST_STEPS = 40


@dataclass(frozen=True, slots=True)
class Seen:
    """A value as an operation of a group sees it, with the axes along which its blocks have rows and columns."""

    value: SSAValue
    view: View
    rows: int
    columns: int

    def tensor(self) -> RegionTensor:
        return RegionTensor(
            shape_of(self.value), element_of(self.value) or "f32", self.view, self.rows, self.columns
        )


@dataclass(eq=False, slots=True)
class OperationGroup:
    """Operations that belong together, the last one first.

    ``domain`` and ``inner`` are as in a region. ``views``: of the results; ``operands``: what each operation reads, as it sees it.
    ``demanded``: how every value that is read, directly or through movements, is seen; None where that is no view of it.
    """

    domain: Shape
    inner: int = 0
    pattern: Pattern = Pattern.POINTWISE
    operations: list[TTIROperation] = field(default_factory=list)
    views: dict[SSAValue, View] = field(default_factory=dict)
    operands: dict[Operation, tuple[Seen, ...]] = field(default_factory=dict)
    demanded: dict[SSAValue, set[Seen | None]] = field(default_factory=dict)

    @property
    def root(self) -> TTIROperation:
        return self.operations[0]

    @property
    def extents(self) -> Shape:
        return (*self.domain, self.inner)

    @property
    def rows(self) -> int:
        return len(self.domain) - 2

    @property
    def columns(self) -> int:
        return len(self.domain) - 1

    def step_shape(self, op: TTIROperation) -> Shape:
        """The extents of a result along the axes of the domain."""
        axes = axes_of(self.views[op.result])
        return tuple(extent if axis in axes else 1 for axis, extent in enumerate(self.domain))

    def through(self, seen: Seen, *, movements: bool = True) -> Iterator[Seen | None]:
        """A value, then what it is moved from, and so on; None once that has no view. Stops at operations of the group."""
        yield seen
        while movements and isinstance(op := seen.value.owner, MOVEMENTS) and op not in self.operations:
            source = op.operands[0]
            view = before(op, seen.view, shape_of(source), shape_of(seen.value), self.extents)
            if view is None:
                yield None
                return
            seen = Seen(source, view, seen.rows, seen.columns)
            yield seen

    def add(self, op: TTIROperation, view: View, operands: tuple[Seen, ...]) -> None:
        """Take an operation in, whose result is seen so."""
        self.operations.append(op)
        self.views[op.result] = view
        self.operands[op] = operands
        for operand in operands:
            for seen in self.through(operand):
                if seen is not None:
                    last = seen.value
                    self.demanded.setdefault(last, set()).add(seen)
                    continue
                while isinstance(mover := last.owner, MOVEMENTS):
                    last = mover.operands[0]
                    self.demanded.setdefault(last, set()).add(None)


def groups_of(block: Block, *, fuse: bool = True) -> list[OperationGroup]:
    """The groups of a block that are worth an operation of their own, in the order of the model.

    Without ``fuse``, every operation that can be one is a group by itself.
    """
    groups: dict[Operation, OperationGroup] = {}
    for op in reversed(list(block.ops)):
        if not isinstance(op, TTIROperation) or why_no_step(op):
            continue
        group = _group_of_users(op, groups) if fuse else None
        if group is None or not _joins(op, group):
            group = _new_group(op)
        if group is not None:
            groups[op] = group
    different = dict.fromkeys(reversed(groups.values()))
    order = {op: place for place, op in enumerate(block.ops)}
    chosen = [group for group in different if not fuse or _is_worth_it(group)]
    inside = {op for group in chosen for op in group.operations}
    for op in block.ops:
        if isinstance(op, TTIRTransposeOp) and (turned := _turning(op, inside, fuse=fuse)) is not None:
            chosen.append(turned)
    return sorted(chosen, key=lambda group: order[group.root])


def element_of(value: SSAValue) -> str | None:
    """``f32`` or ``bf16``; None for a value of another type, or of an unknown shape."""
    type = value.type
    if not isinstance(type, TensorType) or -1 in type.get_shape():
        return None
    return _ELEMENTS.get(type.element_type.__class__)


def inputs_of(op: TTIROperation) -> tuple[SSAValue, ...]:
    """The operands that it computes with."""
    return tuple(op.operands[: len(op.operands) - len(op.inits)])


def is_elementwise(op: TTIROperation) -> bool:
    return type(op) in ELEMENTWISE


def _is_worth_it(group: OperationGroup) -> bool:
    """A single elementwise operation is as well where it is, unless it saves a movement: TTNN has the same."""
    if len(group.operations) > 1 or not is_elementwise(group.root):
        return True
    return any(
        isinstance(seen.value.owner, MOVEMENTS) and read_through(group, seen).value is not seen.value
        for seen in group.operands[group.root]
    )


def _turning(op: TTIRTransposeOp, inside: set[TTIROperation], *, fuse: bool) -> OperationGroup | None:
    """The group of a transpose of the last two dimensions that somebody needs as it is, and not only through it."""
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
    seen = Seen(op.result, view, group.rows, group.columns)
    source = Seen(op.operands[0], (*view[:-2], view[-1], view[-2]), group.rows, group.columns)
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


def read_through(
    group: OperationGroup, seen: Seen, given: Container[SSAValue] = (), *, fuse: bool = True
) -> Seen:
    """What a kernel reads for an operand: the source of as many movements as its blocks can be read through.

    ``given``: what is there in any case, and not looked behind.
    """
    best = seen
    for candidate in group.through(seen):
        if candidate is None:
            break
        if not fuse and not _is_turned_factor(group, seen, candidate):
            break
        if is_in_tiles(candidate.tensor(), group.extents, TILE):
            best = candidate
        if candidate.value in given:
            break
    return best


def _is_turned_factor(group: OperationGroup, seen: Seen, candidate: Seen) -> bool:
    """Whether a candidate is what a product reads without fusing: its factor, or that transposed."""
    if candidate is seen:
        return True
    return isinstance(group.root, TTIRMatmulOp) and candidate.value in (
        seen.value.owner.operands if isinstance(seen.value.owner, TTIRTransposeOp) else ()
    )


# Which operations can be steps.


def why_no_step(op: TTIROperation) -> str:
    """Why kernels do not compute an operation, as a clause; empty if they do, where its blocks can be read."""
    values = [*inputs_of(op), *op.results]
    if isinstance(op, MOVEMENTS):
        return "kernels read through it where their blocks are whole tiles of its operand, and nothing that does so reads it"
    if len(op.results) != 1 or any(element_of(value) is None for value in values):
        return "kernels compute tensors of f32 and bf16 whose shape is known"
    if any(0 in shape_of(value) or not shape_of(value) for value in values):
        return "kernels have no blocks of a tensor without dimensions or without elements"
    rank = len(shape_of(values[0]))
    match op:
        case TTIRSoftmaxOp() if op.dimension % rank != rank - 1:
            return f"it goes along dimension {op.dimension % rank}, kernels have complete rows along the last"
        case TTIRReductionOp() if rank == 1 or [dim % rank for dim in op.dim_arg or ()] != [rank - 1]:
            return (
                "it reduces other dimensions than the last alone, kernels have complete rows along the last"
            )
        case TTIRMatmulOp() if any(len(shape_of(value)) == 1 for value in values):
            return "one of its factors is a vector: reshape it to a row or a column"
        case TTIRSoftmaxOp() | TTIRReductionOp() | TTIRMatmulOp():
            return ""
    return "" if is_elementwise(op) else "no step of kernels computes it"


def _operands(op: TTIROperation, view: View, group: OperationGroup) -> tuple[Seen, ...] | None:
    """How an operation sees its operands that gives its result in this view; None where blocks do not suffice."""
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
            views = [(*(view[:-1] if op.keep_dim else view), column)]
        case TTIRSoftmaxOp():
            if view[-1] != column or shape[-1] != group.domain[-1]:
                return None
            views = [view]
        case _:
            views = [_repeated(view, shape, shape_of(value)) for value in values]
    seen = tuple(
        Seen(value, one, group.rows, group.columns) for value, one in zip(values, views, strict=True)
    )
    return seen if all(_is_readable(one, group) for one in seen) else None


def _factors(op: TTIRMatmulOp, view: View, group: OperationGroup) -> tuple[Seen, ...] | None:
    left, right = inputs_of(op)
    shape, inner = shape_of(op.result), len(group.domain)
    batch, rows, columns = view[:-2], view[-2], view[-1]
    summed = along(inner, group.inner)
    seen = (
        Seen(left, (*_repeated(batch, shape[:-2], shape_of(left)[:-2]), rows, summed), group.rows, inner),
        Seen(
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
    """Of an operand that is repeated to the shape of the result."""
    missing = len(shape) - len(operand)
    return tuple(
        place if extent == whole else Place()
        for place, whole, extent in zip(view[missing:], shape[missing:], operand, strict=True)
    )


def flat_shape(seen: Seen, group: OperationGroup) -> Shape:
    """The shape of a value with a dimension for each axis that its blocks are numbered along."""
    axes = (*range(len(group.domain) - 2), seen.rows, seen.columns)
    used = axes_of(seen.view)
    return tuple(group.extents[axis] if axis in used else 1 for axis in axes)


def _is_readable(seen: Seen, group: OperationGroup) -> bool:
    """Whether kernels can read the blocks of a value as it is, or reshaped to the axes of the group."""
    return is_in_tiles(seen.tensor(), group.extents, TILE) or is_flattened(seen, group)


def is_flattened(seen: Seen, group: OperationGroup) -> bool:
    """Whether a value has its elements in the order of the axes of the group."""
    flat = flat_shape(seen, group)
    axes = (*range(len(group.domain) - 2), seen.rows, seen.columns)
    view = reshaped(seen.view, shape_of(seen.value), flat, group.extents)
    return view == tuple(along(axis, extent) for axis, extent in zip(axes, flat, strict=True))


# Which groups they can join.


def _new_group(op: TTIROperation) -> OperationGroup | None:
    """A group of one operation; None where its blocks cannot be read."""
    shape = shape_of(op.result)
    wide = shape_of(inputs_of(op)[0]) if isinstance(op, TTIRReductionOp) else shape
    axes = _axes(op, wide)
    group = OperationGroup(tuple(1 if dim is None else wide[dim] for dim in axes))
    places = {dim: along(axis, wide[dim]) for axis, dim in enumerate(axes) if dim is not None}
    view = tuple(places.get(dim, Place()) for dim in range(len(wide)))
    match op:
        case TTIRMatmulOp():
            group.pattern, group.inner = Pattern.MATMUL, shape_of(inputs_of(op)[0])[-1]
        case TTIRSoftmaxOp():
            group.pattern = Pattern.ROWS
        case TTIRReductionOp():
            group.pattern = Pattern.ROWS
            view = (*view[:-1], *((Place(),) if op.keep_dim else ()))
    operands = _operands(op, view, group)
    if operands is None:
        return None
    group.add(op, view, operands)
    return group


def _axes(op: TTIROperation, shape: Shape) -> list[int | None]:
    """The dimensions of a shape that are axes of its group; None is an axis of one element.

    Those that it has; but if it has one row only, which would be a tile for each, then the dimensions before that have more elements
    become the rows. A product with a batch of right factors keeps its rows: each factor has its own.
    """
    rank = len(shape)
    if rank == 1:
        return [None, 0]
    longer = [dim for dim, extent in enumerate(shape[:-2]) if extent != 1]
    if (
        shape[-2] != 1
        or not longer
        or (isinstance(op, TTIRMatmulOp) and max(shape_of(inputs_of(op)[1])[:-2], default=1) > 1)
    ):
        return list(range(rank))
    return [*longer, rank - 1]


def _group_of_users(op: TTIROperation, groups: Mapping[Operation, OperationGroup]) -> OperationGroup | None:
    """The group that all users of the result are in, directly or through movements."""
    found: set[OperationGroup | None] = set()
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
                found.add(groups.get(user))
    return found.pop() if len(found) == 1 else None


def _joins(op: TTIROperation, group: OperationGroup) -> bool:
    """Take an operation into the group of its users if it can be computed with it; whether it was."""
    seen = group.demanded[op.result]
    if len(seen) != 1 or (one := next(iter(seen))) is None or len(group.operations) >= _MOST_STEPS:
        return False
    is_factor = (one.rows, one.columns) != (group.rows, group.columns)
    if is_factor or not is_plain(one.view, shape_of(op.result), group.extents):
        return False  # a factor comes from memory, in the order of its own blocks
    old = (group.domain, group.inner, group.pattern)
    if isinstance(op, TTIRMatmulOp):
        axes = {axis for axis, extent in enumerate(group.domain) if extent != 1}
        if group.pattern is not Pattern.POINTWISE or axes_of(one.view) != axes:
            return False
        group.pattern, group.inner = Pattern.MATMUL, shape_of(inputs_of(op)[0])[-1]
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


def _external(group: OperationGroup, op: TTIROperation, operands: tuple[Seen, ...]) -> set[SSAValue]:
    """What a group would read with one operation more."""
    results = {op.result, *group.views}
    every = [*operands, *(seen for some in group.operands.values() for seen in some)]
    return {seen.value for seen in every if seen.value not in results}
