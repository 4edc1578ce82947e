"""Who writes compositions: arithmetic of elements, as ``tt_model.integers`` has it, and what moves and joins elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from xdsl.dialects.builtin import Float32Type, i32
from xdsl.ir import Attribute

from tt_model.integers.arithmetic import ArithmeticWriter

# A value of TTIR, as who writes has it.
Value = Any
Combine = Callable[[Value, Value], Value]
SINGLE = Float32Type()
WHOLE = i32


class TensorEmitter(ArithmeticWriter, Protocol):
    """``Writer`` for StableHLO, and ``GraphEmitter`` for PyTorch. What changes nothing is left out."""

    def shape(self, value: Value) -> tuple[int, ...]:
        """The extents of a value."""

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """Give the same elements another shape."""

    def rearrange(self, value: Value, permutation: Sequence[int]) -> Value:
        """Dimensions in another order: dimension ``i`` of the result is ``permutation[i]`` of the value."""

    def broadcast(self, value: Value, shape: Sequence[int]) -> Value:
        """Repeated to a shape of as many dimensions."""

    def concat(self, values: Sequence[Value], dim: int) -> Value:
        """Joined along a dimension."""

    def range(self, value: Value, dim: int, begin: int, end: int, step: int = 1) -> Value:
        """A range of one dimension."""

    def product(self, left: Value, right: Value) -> Value:
        """A product of matrices, or of as many batches of them."""

    def reduce(self, kind: str, value: Value, dims: Sequence[int], *, keep: bool = False) -> Value:
        """``sum``, ``max`` or ``mean`` over dimensions."""

    def rows(self, table: Value, numbers: Value) -> Value:
        """Rows of a table of two dimensions by their numbers, in one dimension."""

    def count(self, extent: int, element: Attribute) -> Value:
        """0, 1, 2, ... up to ``extent``, in one dimension."""


def halved(value: Value, dim: int, combine: Combine, w: TensorEmitter) -> Value:
    """One element of a dimension from all of it, by halves: what has no reduction of its own. The dimension stays."""
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
    """Combine each element with all before it along a dimension: with the elements 1, 2, 4, ... before it, step by step."""
    step, extent = 1, w.shape(value)[dim]
    while step < extent:
        own, before = w.range(value, dim, step, extent), w.range(value, dim, 0, extent - step)
        value = w.concat([w.range(value, dim, 0, step), combine(before, own)], dim)
        step *= 2
    return value
