"""Random statements that change shapes."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from support.random_programs.language.choices import LARGEST_EXACT, LARGEST_INEXACT, Choices, Value
from support.random_programs.language.spec import Shape


class Shapes(Choices):
    """Reductions, broadcasts, transposes, products of matrices, and dimensions that come and go."""

    def _shape(self, value: Value) -> None:
        options = (
            ("reduce",) * 3 + ("transpose", "unsqueeze", "squeeze") + ("broadcast",) * 2 + ("matmul",) * 2
        )
        match self.random.choice(options):
            case "reduce":
                self._reduce(value)
            case "transpose" if len(value.shape) == 2:
                self._moved(
                    value, "transpose", value.shape[::-1], inner=frozenset(-3 - dim for dim in value.inner)
                )
            case "unsqueeze" if len(value.shape) < 4:
                self._unsqueeze(value)
            case "squeeze":
                self._squeeze(value)
            case "matmul":
                self._matmul(value)
            case _:
                self._broadcast(value)

    def _moved(
        self, value: Value, op: str, to: Shape, /, *, inner: frozenset[int] | None = None, **params: Any
    ) -> Value:
        inner = value.inner if inner is None else inner
        result = replace(value, name=self.name("t"), shape=to, inner=inner)
        return self._emit(result, op, value.name, **params)

    def _given(self, dim: int, rank: int) -> int:
        """A dimension, counted from the first or the last."""
        return dim % rank if self.chance(0.5) else dim % rank - rank

    def _reduce(self, value: Value) -> None:
        if value.inner:
            self._broadcast(value)
            return
        if self.padded and value.bound < 1e6 and self.chance(0.5):  # something other than zero in the padding
            lower = replace(value, name=self.name("t"), bound=value.bound + 5)
            value = self._emit(lower, "sub", value.name, 5)
        rank = len(value.shape)
        dims = self.random.sample(range(-rank, 0), self.random.randint(1, 2))
        shape = tuple(1 if axis - rank in dims else extent for axis, extent in enumerate(value.shape))
        op = self.pick("reduce_sum", "reduce_max")
        count = prod(value.shape[dim] * (32 if dim >= -2 else 1) for dim in dims)
        result = replace(value, name=self.name("t"), shape=shape, inner=frozenset(dims) & {-1, -2})
        if op == "reduce_sum":
            bound = value.bound * count
            small = value.integer or (value.whole and bound < LARGEST_EXACT)
            result = replace(result, bound=bound, exact=value.exact and small)
            if not result.exact and bound > LARGEST_INEXACT:
                return
            if (value.integer and bound > 2.0**62) or not value.finite:
                return
        given = [dim if self.chance(0.5) else dim + rank for dim in dims]
        params = {"shape": shape} if self.chance(0.5) else {}
        self._emit(result, op, value.name, dims=given, **params)

    def _broadcast(self, value: Value) -> None:
        rank = len(value.shape)
        ones = [dim for dim in range(-rank, 0) if value.shape[dim] == 1]
        dims = [dim for dim in ones if dim in value.inner or self.chance(0.7)]
        if not dims or value.inner - set(dims):
            return
        # Mostly to a shape that something else has.
        fits = [
            each.shape
            for each in self.values
            if len(each.shape) == rank
            and all(each.shape[dim] == value.shape[dim] for dim in range(-rank, 0) if dim not in dims)
        ]
        shape = self.random.choice(fits) if fits else value.shape
        given = [dim if self.chance(0.5) else dim + rank for dim in dims]
        self._moved(value, "broadcast", shape, inner=frozenset(), dims=given, shape=shape)

    def _unsqueeze(self, value: Value) -> None:
        rank = len(value.shape) + 1
        moves_tiles = not self.padded and not value.inner and self.chance(0.3)
        position = self.random.randint(0, rank - 1) if moves_tiles else self.random.randint(0, rank - 3)
        shape = (*value.shape[:position], 1, *value.shape[position:])
        self._moved(value, "unsqueeze", shape, dims=[self._given(position, rank)])

    def _squeeze(self, value: Value) -> None:
        rank = len(value.shape)
        last = rank if not self.padded and not value.inner else rank - 2
        ones = [axis for axis in range(last) if value.shape[axis] == 1]
        if rank < 3 or not ones:
            return
        axis = self.random.choice(ones)
        shape = (*value.shape[:axis], *value.shape[axis + 1 :])
        self._moved(value, "squeeze", shape, dims=[self._given(axis, rank)])

    def _matmul(self, value: Value) -> None:
        # The error of one product is enough.
        if value.integer or value.inner or not value.finite or not value.exact:
            return
        fits = [
            each
            for each in self.values
            if not each.integer and not each.inner and each.finite and each.exact
            and each.shape[:-2] == value.shape[:-2] and each.shape[-2:-1] == value.shape[-1:]
        ]  # fmt: skip
        if not fits and len(value.shape) == 2:
            fits = [self._moved(value, "transpose", value.shape[::-1])]
        if not fits:
            return
        other = self.random.choice(fits)
        bound = value.bound * other.bound * 32 * value.shape[-1]
        whole = value.whole and other.whole
        exact = value.exact and other.exact and whole and bound < LARGEST_EXACT
        result = self._joined(value, other, bound, exact=exact, shape=(*value.shape[:-1], other.shape[-1]))
        if not exact and bound > LARGEST_INEXACT:
            return
        product = self._emit(result, "matmul", value.name, other.name)
        if self.chance(0.5):  # more of the chain
            total = self._joined(product, product, 2 * product.bound)
            self._emit(total, "add", product.name, product.name)
