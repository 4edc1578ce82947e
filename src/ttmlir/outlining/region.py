"""A region of a model that is to be one operation of TT-Lang, by its structure: two that are equal share an operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ttmlir.operations.operation import TTIROperation

Shape = tuple[int, ...]


class Pattern(Enum):
    """How the nodes go through the tensors of a region."""

    POINTWISE = "pointwise"
    """Any blocks, each by itself."""
    ROWS = "rows"
    """Blocks of complete rows: something is reduced along the last dimension."""
    MATMUL = "matmul"
    """Blocks of a product, over the blocks of its inner dimension."""


@dataclass(frozen=True, slots=True)
class Input:
    """A tensor that a region reads.

    ``transposed``: with its last two dimensions exchanged. ``factor``: 0 or 1 where it is the left or right factor of the product,
    whose blocks are not those of the domain.
    """

    shape: Shape
    element: str
    transposed: bool = False
    factor: int | None = None

    @property
    def seen(self) -> Shape:
        """The shape that the steps see."""
        return (*self.shape[:-2], self.shape[-1], self.shape[-2]) if self.transposed else self.shape


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
    """One operation of TTIR, by its class. ``params`` are its numbers, ``shape`` is that of its result in elements."""

    kind: type[TTIROperation]
    operands: tuple[Operand, ...]
    params: tuple[float, ...]
    shape: Shape

    @property
    def mnemonic(self) -> str:
        """Its name, without that of the dialect."""
        return self.kind.ROW.mnemonic


@dataclass(frozen=True, slots=True)
class OutlinedRegion:
    """Steps in an order in which each comes after those that it uses; the last one's result is that of the region.

    ``domain`` is the shape in elements that the blocks of all tensors are blocks of: extents of one are repeated over it.
    """

    pattern: Pattern
    domain: Shape
    inputs: tuple[Input, ...]
    steps: tuple[RegionStep, ...]
    element: str
    """Of the result: ``f32`` or ``bf16``."""

    @property
    def shape(self) -> Shape:
        """Of the result."""
        return self.steps[-1].shape

    def shape_of(self, operand: Operand) -> Shape:
        """What a step sees; a number has none."""
        match operand:
            case RegionRead(number):
                return self.inputs[number].seen
            case Result(number):
                return self.steps[number].shape
            case RegionNumber():
                return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RegionNames:
    """What the model calls the values of a region: its inputs and its steps, in their order."""

    inputs: tuple[str, ...]
    steps: tuple[str, ...]


def broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """The shape that all can be repeated to where they have equally many dimensions; None where there is none."""
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
