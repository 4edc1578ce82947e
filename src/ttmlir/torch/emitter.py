"""The emitter of ``tt_model.integers`` and ``ttmlir.compositions`` for a node of an ATen graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Attribute

from ttmlir.compositions.emitter import SINGLE
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.node_builder import NodeEmitter
from ttmlir.torch.row import AtenValue
from ttmlir.ttir_builder import Operand


class GraphEmitter(NodeEmitter):
    """Emits operations for the current node, with the builder."""

    def __init__(self, at: GraphLowering) -> None:
        super().__init__(at.builder)
        self._at = at

    def shape(self, value: Operand) -> tuple[int, ...]:
        """The extents of a value."""
        return tuple(self._builder.get_shape(value))

    def reshape(self, value: Operand, shape: Sequence[int]) -> Operand:
        """Give the same elements another shape."""
        wanted = list(shape) or [1]
        return value if list(self.shape(value)) == wanted else self._made("reshape", value, wanted)

    def rearrange(self, value: Operand, permutation: Sequence[int]) -> Operand:
        """Permute the dimensions; if only dimensions of extent one move, a reshape does it."""
        shape = self.shape(value)
        moved = [dim for dim in permutation if shape[dim] != 1]
        if moved == sorted(moved):
            return self.reshape(value, [shape[dim] for dim in permutation])
        return self._made("permute", value, list(permutation))

    def broadcast(self, value: Operand, shape: Sequence[int]) -> Operand:
        """Broadcast a value to a shape of the same rank."""
        return value if self.shape(value) == tuple(shape) else self._made("broadcast", value, list(shape))

    def concat(self, values: Sequence[Operand], dim: int) -> Operand:
        """Concatenate values along a dimension."""
        return values[0] if len(values) == 1 else self._made("concat", list(values), dim)

    def range(self, value: Operand, dim: int, begin: int, end: int, step: int = 1) -> Operand:
        """Slice one dimension."""
        shape = self.shape(value)
        if (begin, end, step) == (0, shape[dim], 1):
            return value
        begins, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
        begins[dim], ends[dim], steps[dim] = begin, end, step
        return self._made("slice", value, begins, ends, steps)

    def product(self, left: Operand, right: Operand) -> Operand:
        """Multiply matrices, or batches of matrices."""
        return self._made("matmul", left, right)

    def reduce(self, kind: str, value: Operand, dims: Sequence[int], *, keep: bool = False) -> Operand:
        """``sum``, ``max`` or ``mean`` over dimensions."""
        return self._made(kind, value, list(dims), keep) if dims else value

    def rows(self, table: Operand, numbers: Operand) -> Operand:
        """Gather rows of a two-dimensional table by their numbers, a one-dimensional tensor."""
        count = self.shape(numbers)[0]
        taken = self._made("embedding", self.reshape(numbers, [1, count]), table)
        return self.reshape(taken, [count, self.shape(table)[1]])

    def count(self, extent: int, element: Attribute) -> Operand:
        """Return the numbers 0, 1, 2, ... below ``extent``, in one dimension."""
        import torch

        dtype = torch.float32 if element == SINGLE else torch.int32
        return self._at.operand(AtenValue.of(torch.arange(extent, dtype=dtype)))

    def _made(self, name: str, *given: Any) -> Operand:
        created: Operand = getattr(self._builder, name)(*given)
        return created
