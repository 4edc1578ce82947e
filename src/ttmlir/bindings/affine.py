"""Affine expressions and maps, under the names of MLIR's Python bindings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir.affine import AffineExpr as XdslExpr
from xdsl.ir.affine import AffineMap as XdslMap

from ttmlir.bindings.scope import Context, context_or_current


class AffineExpr:
    """``d0 * 8 + s0``; sums, products, ``%`` and the two divisions make new ones."""

    def __init__(self, expression: XdslExpr, context: Context) -> None:
        self._expression = expression
        self.context = context

    @property
    def xdsl(self) -> XdslExpr:
        """The expression as xDSL has it."""
        return self._expression

    @staticmethod
    def get_dim(position: int, context: Context | None = None) -> AffineExpr:
        return AffineExpr(XdslExpr.dimension(position), context_or_current(context))

    @staticmethod
    def get_symbol(position: int, context: Context | None = None) -> AffineExpr:
        return AffineExpr(XdslExpr.symbol(position), context_or_current(context))

    @staticmethod
    def get_constant(value: int, context: Context | None = None) -> AffineExpr:
        return AffineExpr(XdslExpr.constant(value), context_or_current(context))

    @staticmethod
    def get_add(lhs: AffineExpr | int, rhs: AffineExpr | int) -> AffineExpr:
        return _both(lhs, rhs, lambda left, right: left + right)

    @staticmethod
    def get_mul(lhs: AffineExpr | int, rhs: AffineExpr | int) -> AffineExpr:
        return _both(lhs, rhs, lambda left, right: left * right)

    @staticmethod
    def get_mod(lhs: AffineExpr | int, rhs: AffineExpr | int) -> AffineExpr:
        return _both(lhs, rhs, lambda left, right: left % right)

    @staticmethod
    def get_floor_div(lhs: AffineExpr | int, rhs: AffineExpr | int) -> AffineExpr:
        return _both(lhs, rhs, lambda left, right: left // right)

    @staticmethod
    def get_ceil_div(lhs: AffineExpr | int, rhs: AffineExpr | int) -> AffineExpr:
        return _both(lhs, rhs, lambda left, right: left.ceil_div(right))

    def __add__(self, other: AffineExpr | int) -> AffineExpr:
        return AffineExpr.get_add(self, other)

    def __radd__(self, other: int) -> AffineExpr:
        return AffineExpr.get_add(self, other)

    def __sub__(self, other: AffineExpr | int) -> AffineExpr:
        return _both(self, other, lambda left, right: left + right * -1)

    def __mul__(self, other: AffineExpr | int) -> AffineExpr:
        return AffineExpr.get_mul(self, other)

    def __rmul__(self, other: int) -> AffineExpr:
        return AffineExpr.get_mul(self, other)

    def __mod__(self, other: AffineExpr | int) -> AffineExpr:
        return AffineExpr.get_mod(self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineExpr) and other._expression == self._expression

    def __hash__(self) -> int:
        return hash(self._expression)

    def __str__(self) -> str:
        return str(self._expression)

    def __repr__(self) -> str:
        return f"AffineExpr({self})"


def _both(lhs: AffineExpr | int, rhs: AffineExpr | int, combine: Any) -> AffineExpr:
    context = (
        lhs.context if isinstance(lhs, AffineExpr) else rhs.context if isinstance(rhs, AffineExpr) else None
    )
    left, right = (
        side._expression if isinstance(side, AffineExpr) else XdslExpr.constant(side) for side in (lhs, rhs)
    )
    return AffineExpr(combine(left, right), context_or_current(context))


class AffineDimExpr(AffineExpr):
    """``d0``."""

    @staticmethod
    def get(position: int, context: Context | None = None) -> AffineExpr:
        return AffineExpr.get_dim(position, context)


class AffineSymbolExpr(AffineExpr):
    """``s0``."""

    @staticmethod
    def get(position: int, context: Context | None = None) -> AffineExpr:
        return AffineExpr.get_symbol(position, context)


class AffineConstantExpr(AffineExpr):
    """A number."""

    @staticmethod
    def get(value: int, context: Context | None = None) -> AffineExpr:
        return AffineExpr.get_constant(value, context)


class AffineMap:
    """``(d0, d1)[s0] -> (d0, d1 + s0)``."""

    def __init__(self, map: XdslMap, context: Context) -> None:
        self._map = map
        self.context = context

    @property
    def xdsl(self) -> XdslMap:
        """The map as xDSL has it."""
        return self._map

    @staticmethod
    def get(
        dim_count: int, symbol_count: int, exprs: Sequence[AffineExpr], context: Context | None = None
    ) -> AffineMap:
        """A map of so many dimensions and symbols to the expressions."""
        results = tuple(expression.xdsl for expression in exprs)
        return AffineMap(XdslMap(dim_count, symbol_count, results), context_or_current(context))

    @staticmethod
    def get_identity(n_dims: int, context: Context | None = None) -> AffineMap:
        return AffineMap(XdslMap.identity(n_dims), context_or_current(context))

    @staticmethod
    def get_empty(context: Context | None = None) -> AffineMap:
        return AffineMap(XdslMap(0, 0, ()), context_or_current(context))

    @staticmethod
    def get_constant(value: int, context: Context | None = None) -> AffineMap:
        return AffineMap(XdslMap(0, 0, (XdslExpr.constant(value),)), context_or_current(context))

    @staticmethod
    def get_minor_identity(n_dims: int, n_results: int, context: Context | None = None) -> AffineMap:
        """The last dimensions as they are."""
        last = tuple(XdslExpr.dimension(index) for index in range(n_dims - n_results, n_dims))
        return AffineMap(XdslMap(n_dims, 0, last), context_or_current(context))

    @staticmethod
    def get_permutation(permutation: Sequence[int], context: Context | None = None) -> AffineMap:
        if sorted(permutation) != list(range(len(permutation))):
            raise ValueError(f"Invalid permutation: {list(permutation)}")
        results = tuple(XdslExpr.dimension(index) for index in permutation)
        return AffineMap(XdslMap(len(permutation), 0, results), context_or_current(context))

    @property
    def n_dims(self) -> int:
        return self._map.num_dims

    @property
    def n_symbols(self) -> int:
        return self._map.num_symbols

    @property
    def n_inputs(self) -> int:
        return self.n_dims + self.n_symbols

    @property
    def results(self) -> list[AffineExpr]:
        return [AffineExpr(expression, self.context) for expression in self._map.results]

    @property
    def is_permutation(self) -> bool:
        dims = [XdslExpr.dimension(index) for index in range(self.n_dims)]
        return len(self._map.results) == len(dims) and all(one in self._map.results for one in dims)

    def get_submap(self, result_positions: Sequence[int]) -> AffineMap:
        """The results at these positions."""
        results = tuple(self._map.results[position] for position in result_positions)
        return AffineMap(XdslMap(self.n_dims, self.n_symbols, results), self.context)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineMap) and other._map == self._map

    def __hash__(self) -> int:
        return hash(self._map)

    def __str__(self) -> str:
        return str(self._map)

    def __repr__(self) -> str:
        return f"AffineMap({self})"
