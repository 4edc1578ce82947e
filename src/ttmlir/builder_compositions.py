"""Functions of models that TTIR has no operation for, as methods of ``TTIRBuilder``, composed of operations that it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tt_model.operations.result_shapes import exchanges_of
from ttmlir.builder_operations import BuilderOperations, Operand


class BuilderCompositions(BuilderOperations):
    """One method for each function that several operations make together."""

    def number_like(self, value: float, like: Operand) -> Any:
        """A number in the element type of a tensor, with as many dimensions, each of extent one."""
        type_ = self._tensor_type(like)
        return self.constant(value, [1] * len(type_.shape), type_.element_type)

    def permute(self, in0: Operand, dims: Sequence[int]) -> Any:
        """The dimensions in another order: the one that comes first is ``dims[0]``. Made by transpositions, none for none."""
        for exchange in exchanges_of(range(len(dims)), [dim % len(dims) for dim in dims]):
            in0 = self.transpose(in0, *exchange)
        return in0

    def linear(self, in0: Operand, weight: Operand, bias: Operand | None = None) -> Any:
        """Products of (..., K) and a weight (N, K), with a bias (N), to (..., N)."""
        product = self.matmul(in0, self.transpose(weight, -2, -1))
        return product if bias is None else self.add(product, bias)

    def layer_norm(
        self,
        in0: Operand,
        dims: int,
        weight: Operand | None = None,
        bias: Operand | None = None,
        epsilon: float = 1e-5,
    ) -> Any:
        """Centred and scaled to a variance of one over the last ``dims`` dimensions, then by ``weight`` and ``bias``."""
        along = self._last(in0, dims)
        centred = self.subtract(in0, self.mean(in0, along, True))
        variance = self.mean(self.multiply(centred, centred), along, True)
        result = self.multiply(centred, self._scale(variance, epsilon))
        return self._weighted(result, weight, bias)

    def rms_norm(self, in0: Operand, dims: int, weight: Operand | None = None, epsilon: float = 1e-5) -> Any:
        """Scaled to a mean square of one over the last ``dims`` dimensions, then by ``weight``."""
        square = self.mean(self.multiply(in0, in0), self._last(in0, dims), True)
        return self._weighted(self.multiply(in0, self._scale(square, epsilon)), weight, None)

    def silu(self, in0: Operand) -> Any:
        """Numbers by their logistic function."""
        return self.multiply(in0, self.sigmoid(in0))

    def tanh(self, in0: Operand) -> Any:
        """Hyperbolic tangents, as ``2 * sigmoid(2 * x) - 1``."""
        double = self.multiply(in0, self.number_like(2.0, in0))
        twice = self.multiply(self.sigmoid(double), self.number_like(2.0, in0))
        return self.subtract(twice, self.number_like(1.0, in0))

    def _last(self, in0: Operand, dims: int) -> list[int]:
        rank = len(list(self.get_shape(in0)))
        return list(range(rank - dims, rank))

    def _scale(self, square: Operand, epsilon: float) -> Any:
        return self.rsqrt(self.add(square, self.number_like(epsilon, square)))

    def _weighted(self, value: Operand, weight: Operand | None, bias: Operand | None) -> Any:
        if weight is not None:
            value = self.multiply(value, weight)
        return value if bias is None else self.add(value, bias)
