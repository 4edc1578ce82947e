"""The interface of emitters for compositions: arithmetic as in ``tt_model.integers``, moving and joining elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from xdsl.dialects.builtin import Float32Type, i32
from xdsl.ir import Attribute

from tt_model.integers.arithmetic import ArithmeticWriter

# A value of TTIR, in the emitter's own representation.
Value = Any
Combine = Callable[[Value, Value], Value]
SINGLE = Float32Type()
WHOLE = i32


class TensorEmitter(ArithmeticWriter, Protocol):
    """The operations that compositions use, emitted by ``Writer`` for StableHLO and by ``GraphEmitter`` for PyTorch.

    Operations without an effect are left out.
    """

    def shape(self, value: Value) -> tuple[int, ...]:
        """The extents of a value."""

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """Give the same elements another shape."""

    def rearrange(self, value: Value, permutation: Sequence[int]) -> Value:
        """Permute the dimensions: dimension ``i`` of the result is ``permutation[i]`` of the value."""

    def broadcast(self, value: Value, shape: Sequence[int]) -> Value:
        """Broadcast a value to a shape of the same rank."""

    def concat(self, values: Sequence[Value], dim: int) -> Value:
        """Concatenate values along a dimension."""

    def range(self, value: Value, dim: int, begin: int, end: int, step: int = 1) -> Value:
        """Slice one dimension."""

    def product(self, left: Value, right: Value) -> Value:
        """Multiply matrices, or batches of matrices."""

    def reduce(self, kind: str, value: Value, dims: Sequence[int], *, keep: bool = False) -> Value:
        """``sum``, ``max`` or ``mean`` over dimensions."""

    def rows(self, table: Value, numbers: Value) -> Value:
        """Gather rows of a two-dimensional table by their numbers, a one-dimensional tensor."""

    def count(self, extent: int, element: Attribute) -> Value:
        """Return the numbers 0, 1, 2, ... below ``extent``, in one dimension."""


def halved(value: Value, dim: int, combine: Combine, w: TensorEmitter) -> Value:
    """Reduce a dimension to extent one by combining its halves, for combinations that have no reduction operation."""
    rest: list[Value] = []
    while (extent := w.shape(value)[dim]) > 1:
        half = extent // 2
        if extent % 2:
            rest.append(w.range(value, dim, extent - 1, extent))
        value = combine(w.range(value, dim, 0, half), w.range(value, dim, half, 2 * half))
    for one in rest:
        value = combine(value, one)
    return value


def running(value: Value, dim: int, combine: Combine, w: TensorEmitter) -> Value:
    """Scan a dimension: combine each element with all before it, in steps of distance 1, 2, 4, ..."""
    step, extent = 1, w.shape(value)[dim]
    while step < extent:
        own, before = w.range(value, dim, step, extent), w.range(value, dim, 0, extent - step)
        value = w.concat([w.range(value, dim, 0, step), combine(before, own)], dim)
        step *= 2
    return value
