"""Groups of operations that become one operation of TT-Lang, and the views in which their blocks see operands."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import BFloat16Type, Float32Type, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tt_model.operations.operation import TTIROperation
from tt_model.operations.result_shapes import exchanged
from tt_model.operations.shared import TTIRMatmulOp, TTIRTransposeOp
from tt_model.operations.tensors import shape_of
from ttmlir.outlining.region import Pattern, RegionTensor, extents_of, is_in_tiles
from ttmlir.outlining.tiles import TILE
from ttmlir.outlining.views import MOVEMENTS, Shape, View, along, axes_of, before, is_plain, reshaped

_ELEMENTS: Mapping[type[Attribute], str] = MappingProxyType({Float32Type: "f32", BFloat16Type: "bf16"})


@dataclass(frozen=True, slots=True)
class SeenValue:
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

    ``domain``, ``inner`` and ``width`` are as in a region. ``views``: the views of the results; ``operands``: the
    operands of each operation, as it sees them. ``demanded``: for every value that is read, directly or through
    movements, the ways in which it is seen; None stands for a way that is not a view of the value.
    """

    domain: Shape
    inner: int = 0
    width: int = 0
    pattern: Pattern = Pattern.POINTWISE
    operations: list[TTIROperation] = field(default_factory=list)
    views: dict[SSAValue, View] = field(default_factory=dict)
    operands: dict[Operation, tuple[SeenValue, ...]] = field(default_factory=dict)
    demanded: dict[SSAValue, set[SeenValue | None]] = field(default_factory=dict)

    @property
    def root(self) -> TTIROperation:
        return self.operations[0]

    @property
    def extents(self) -> Shape:
        return extents_of(self.domain, self.inner, self.width)

    @property
    def rows(self) -> int:
        return len(self.domain) - 2

    @property
    def columns(self) -> int:
        return len(self.domain) - 1

    @property
    def output_columns(self) -> int:
        """The axis along which the blocks of the result have columns: that of the second product, if there is one."""
        return len(self.domain) + 1 if self.width else self.columns

    def step_shape(self, op: TTIROperation) -> Shape:
        """The extents of a result along the axes of the domain."""
        axes = axes_of(self.views[op.result])
        return tuple(extent if axis in axes else 1 for axis, extent in enumerate(self.domain))

    def through(self, seen: SeenValue) -> Iterator[SeenValue | None]:
        """Yield a value, then the source of the movement that produced it, and so on, up to operations of the group.

        The last item is None if a source has no view.
        """
        yield seen
        while isinstance(op := seen.value.owner, MOVEMENTS) and op not in self.operations:
            source = op.operands[0]
            view = before(op, seen.view, shape_of(source), shape_of(seen.value), self.extents)
            if view is None:
                yield None
                return
            seen = SeenValue(source, view, seen.rows, seen.columns)
            yield seen

    def add(self, op: TTIROperation, view: View, operands: tuple[SeenValue, ...]) -> None:
        """Add an operation whose result is seen as ``view``."""
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


def read_through(
    group: OperationGroup, seen: SeenValue, given: Container[SSAValue] = (), *, fuse: bool = True
) -> SeenValue:
    """Return the value that a kernel reads for an operand: the source of as many movements as it can read through.

    ``given`` are values that exist in any case; the search ends at them.
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


def _is_turned_factor(group: OperationGroup, seen: SeenValue, candidate: SeenValue) -> bool:
    """Whether a kernel may read a candidate without fusing: the operand, or the source of a transposed factor."""
    if candidate is seen:
        return True
    return isinstance(group.root, TTIRMatmulOp) and candidate.value in (
        seen.value.owner.operands if isinstance(seen.value.owner, TTIRTransposeOp) else ()
    )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Movements that give a tensor a dimension for each axis of blocks: exchanges of two dimensions, then a reshape."""

    exchanges: tuple[tuple[int, int], ...]
    shape: Shape


def arrangement(seen: SeenValue, group: OperationGroup) -> Arrangement | None:
    """Return the arrangement that gives a value a dimension for each axis of a group's blocks; None if impossible."""
    axes = (*range(len(group.domain) - 2), seen.rows, seen.columns)
    used = axes_of(seen.view)
    flat = tuple(group.extents[axis] if axis in used else 1 for axis in axes)
    view, exchanges = seen.view, list[tuple[int, int]]()
    if is_plain(seen.view, shape_of(seen.value), group.extents):
        holders = [dim for dim, place in enumerate(view) if place.axis is not None]
        for dim, axis in zip(holders, (axis for axis in axes if axis in used), strict=True):
            other = next(place for place in holders if view[place].axis == axis)
            if other != dim:
                view = exchanged(view, (dim, other))
                exchanges.append((dim, other))
    shape = exchanged(shape_of(seen.value), *exchanges)
    if reshaped(view, shape, flat, group.extents) != plain_view(axes, flat):
        return None
    return Arrangement(tuple(exchanges), flat)


def plain_view(axes: Sequence[int], shape: Shape) -> View:
    """Return the view of a tensor whose dimensions are these axes."""
    return tuple(along(axis, extent) for axis, extent in zip(axes, shape, strict=True))


def element_of(value: SSAValue) -> str | None:
    """``f32`` or ``bf16``; None for a value of another type, or of an unknown shape."""
    type = value.type
    if not isinstance(type, TensorType) or -1 in type.get_shape():
        return None
    return _ELEMENTS.get(type.element_type.__class__)


def inputs_of(op: TTIROperation) -> tuple[SSAValue, ...]:
    """The operands of an operation without its destinations (``inits``)."""
    return tuple(op.operands[: len(op.operands) - len(op.inits)])
