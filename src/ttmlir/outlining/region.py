"""A region of a model that becomes one operation of TT-Lang, by its structure: equal regions share an operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tt_model.operations.operation import TTIROperation
from tt_model.operations.shared import TTIRReductionOp, TTIRSoftmaxOp
from ttmlir.outlining.views import ElementPlace, Shape, View, axes_of


class Pattern(Enum):
    """The way the nodes go through the tensors of a region."""

    POINTWISE = "pointwise"
    """Any blocks, each by itself."""
    ROWS = "rows"
    """Blocks of complete rows: something is reduced along the last dimension."""
    MATMUL = "matmul"
    """Blocks of a product, over the blocks of its inner dimension; complete rows if a reduction along them follows."""


def has_whole_rows(kind: type[TTIROperation]) -> bool:
    """Whether an operation needs complete rows in a block."""
    return issubclass(kind, TTIRReductionOp | TTIRSoftmaxOp)


@dataclass(frozen=True, slots=True)
class RegionTensor:
    """A tensor that a region reads or writes.

    ``view`` says where in it the region's blocks lie. Its blocks extend along ``rows`` and ``columns``, two axes of the
    region: the last two of the domain, except for a factor of a product, where one of the two is the inner axis.
    """

    shape: Shape
    element: str
    view: View
    rows: int
    columns: int

    @property
    def transposed(self) -> bool:
        """Whether its blocks lie in memory with rows and columns exchanged."""
        return any(axis == self.rows for axis, _ in self.view[-1].terms) or any(
            axis == self.columns for axis, _ in self.view[-2].terms
        )

    @property
    def tile_axes(self) -> tuple[int, int]:
        """The axes of the region that its last two dimensions follow within a block."""
        return (self.columns, self.rows) if self.transposed else (self.rows, self.columns)

    def has(self, axis: int) -> bool:
        """Whether elements differ along an axis; else its blocks are repeated along it."""
        return axis in axes_of(self.view)


@dataclass(frozen=True, slots=True)
class RegionRead:
    """An operand that is an input, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class Result:
    """An operand that is the result of an earlier step, by its number."""

    number: int


@dataclass(frozen=True, slots=True)
class RegionNumber:
    """An operand that is one number."""

    value: float


Operand = RegionRead | Result | RegionNumber


@dataclass(frozen=True, slots=True)
class RegionStep:
    """One operation of TTIR, by its class. ``params`` are its numbers.

    ``shape`` is that of its result in elements, an extent for each axis of the domain: 1 along those it does not depend on.
    """

    kind: type[TTIROperation]
    operands: tuple[Operand, ...]
    params: tuple[float, ...]
    shape: Shape

    @property
    def mnemonic(self) -> str:
        """The name of the operation, without that of the dialect."""
        return self.kind.ROW.mnemonic


@dataclass(frozen=True, slots=True)
class OutlinedRegion:
    """Steps, each behind the steps whose results it uses; the result of the last step is that of the region.

    ``domain``: the extents in elements of the axes along which blocks are numbered. ``inner``: the extent of the axis
    over which a product sums; 0 without a product. ``width``: the columns of a second product, whose left factor is the
    complete rows that the other steps compute; 0 without a second product.
    """

    pattern: Pattern
    domain: Shape
    inner: int
    inputs: tuple[RegionTensor, ...]
    steps: tuple[RegionStep, ...]
    output: RegionTensor
    width: int = 0

    @property
    def extents(self) -> Shape:
        """The extents of all axes: those of the domain, then the inner one, then the columns of a second product."""
        return extents_of(self.domain, self.inner, self.width)

    def seen(self, tensor: RegionTensor) -> Shape:
        """The shape in which steps see a tensor: the axes before the last two, then its rows and columns."""
        axes = (*range(len(self.domain) - 2), tensor.rows, tensor.columns)
        return tuple(self.extents[axis] if tensor.has(axis) else 1 for axis in axes)

    def shape_of(self, operand: Operand) -> Shape:
        """Return the shape that a step reads of an operand; empty for a number."""
        match operand:
            case RegionRead(number):
                return self.seen(self.inputs[number])
            case Result(number):
                return self.steps[number].shape
            case RegionNumber():
                return ()


def extents_of(domain: Shape, inner: int, width: int) -> Shape:
    """The extents of all axes of a region."""
    return (*domain, inner, width) if width else (*domain, inner)


@dataclass(frozen=True, kw_only=True, slots=True)
class RegionNames:
    """The model's names of a region's values: of its inputs and its steps, in their order."""

    inputs: tuple[str, ...]
    steps: tuple[str, ...]


def broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """Return the shape to which shapes of equal rank can all be repeated; None if there is no such shape."""
    ranks = {len(shape) for shape in shapes}
    if len(ranks) != 1:
        return None
    result = []
    for extents in zip(*shapes, strict=True):
        larger = {extent for extent in extents if extent != 1}
        if len(larger) > 1:
            return None
        result.append(larger.pop() if larger else 1)
    return tuple(result)


def is_in_tiles(tensor: RegionTensor, extents: Sequence[int], tile: int) -> bool:
    """Whether blocks of a region are blocks of tiles of a tensor: then kernels can transfer them.

    The rows and columns of blocks must lie along the last two dimensions of the tensor, one along each and with stride
    1; offsets and strides of other axes along these dimensions must be whole tiles. Where rows or columns end within a
    tile, the tensor must end there, too: elements behind that end would be taken for zeros.
    """
    if len(tensor.shape) < 2:
        return False
    if any(axis in (tensor.rows, tensor.columns) for place in tensor.view[:-2] for axis, _ in place.terms):
        return False
    return all(
        _is_in_tiles(place, axis, extent, extents, tile)
        for place, axis, extent in zip(tensor.view[-2:], tensor.tile_axes, tensor.shape[-2:], strict=True)
    )


def _is_in_tiles(place: ElementPlace, own: int, extent: int, extents: Sequence[int], tile: int) -> bool:
    others = [(axis, stride) for axis, stride in place.terms if axis != own]
    strides = [stride for axis, stride in place.terms if axis == own]
    if strides not in ([], [1]) or any(stride % tile for _, stride in others) or place.offset % tile:
        return False
    length = extents[own] if strides else 1
    return length % tile == 0 or (length == extent and place.offset == 0 and not others)
