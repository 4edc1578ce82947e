"""Affine expressions and maps, under the names of MLIR's Python bindings.

They are made, simplified and printed as MLIR's are: ``ttl.ir.affine``. An operator gives an expression of its kind,
``AffineAddExpr`` for ``+`` and so on, unless it simplifies to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

from xdsl.ir.affine import AffineConstantExpr as XdslConstant
from xdsl.ir.affine import AffineDimExpr as XdslDim
from xdsl.ir.affine import AffineExpr as XdslExpr
from xdsl.ir.affine import AffineMap as XdslMap
from xdsl.ir.affine import AffineSymExpr as XdslSymbol
from xdsl.ir.affine.affine_expr import AffineBinaryOpExpr as XdslBinary

from ttl.ir.affine import (
    ADD,
    CEIL_DIV,
    FLOOR_DIV,
    MOD,
    MUL,
    add,
    ceildiv,
    constant,
    dims,
    floordiv,
    map_expr_text,
    map_text,
    mod,
    mul,
    substitute,
    symbols,
)
from ttmlir.bindings.scope import Context, context_or_current


class AffineExpr:
    """``d0 * 8 + s0``; sums, products, ``%`` and the two divisions make new ones. Raises ``ValueError`` where one is not affine."""

    # The class of xDSL whose expressions a class of ours wraps, and for binary expressions their operator.
    XDSL: ClassVar[Any] = XdslExpr
    KIND: ClassVar[Any] = None

    context: Context

    def __init__(self, expression: XdslExpr | AffineExpr, context: Context | None = None) -> None:
        if isinstance(expression, AffineExpr):  # a downcast, as ``AffineAddExpr(expression)``
            given: AffineExpr = expression
            if not type(self)._holds(given._expression):
                raise ValueError(f"Cannot cast affine expression to {type(self).__name__} (from {given!r})")
            self._expression: Any = given._expression
            self.context = given.context
        else:
            self._expression = expression
            self.context = context_or_current(context)

    @classmethod
    def _holds(cls, expression: XdslExpr) -> bool:
        return isinstance(expression, cls.XDSL) and cls.KIND in (None, getattr(expression, "kind", None))

    @classmethod
    def isinstance(cls, expression: AffineExpr) -> bool:
        """Whether an expression is one of this kind."""
        return cls._holds(expression._expression)

    @property
    def xdsl(self) -> XdslExpr:
        """The expression as xDSL has it."""
        return self._expression  # type: ignore[no-any-return]

    @staticmethod
    def get_dim(position: int, context: Context | None = None) -> AffineDimExpr:
        """``d`` with a number."""
        return AffineDimExpr(XdslExpr.dimension(position), context)

    @staticmethod
    def get_symbol(position: int, context: Context | None = None) -> AffineSymbolExpr:
        """``s`` with a number."""
        return AffineSymbolExpr(XdslExpr.symbol(position), context)

    @staticmethod
    def get_constant(value: int, context: Context | None = None) -> AffineConstantExpr:
        """A number."""
        return AffineConstantExpr(XdslExpr.constant(value), context)

    @staticmethod
    def get_add(lhs: Side, rhs: Side) -> AffineExpr:
        """``lhs + rhs``."""
        return _both(lhs, rhs, add)

    @staticmethod
    def get_mul(lhs: Side, rhs: Side) -> AffineExpr:
        """``lhs * rhs``; one of them has no dimensions."""
        return _both(lhs, rhs, mul)

    @staticmethod
    def get_mod(lhs: Side, rhs: Side) -> AffineExpr:
        """``lhs mod rhs``; the modulus has no dimensions."""
        return _both(lhs, rhs, mod)

    @staticmethod
    def get_floor_div(lhs: Side, rhs: Side) -> AffineExpr:
        """``lhs floordiv rhs``; the divisor has no dimensions."""
        return _both(lhs, rhs, floordiv)

    @staticmethod
    def get_ceil_div(lhs: Side, rhs: Side) -> AffineExpr:
        """``lhs ceildiv rhs``; the divisor has no dimensions."""
        return _both(lhs, rhs, ceildiv)

    def __add__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_add(self, other)

    def __radd__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_add(other, self)

    def __sub__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_add(self, AffineExpr.get_mul(other, -1))

    def __rsub__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_add(other, AffineExpr.get_mul(self, -1))

    def __mul__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_mul(self, other)

    def __rmul__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_mul(other, self)

    def __mod__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_mod(self, other)

    def __rmod__(self, other: Side) -> AffineExpr:
        return AffineExpr.get_mod(other, self)

    def compose(self, map: AffineMap) -> AffineExpr:
        """The expression with the results of a map for its dimensions."""
        return expression_of(substitute(self._expression, map.xdsl.results), self.context)

    def shift_dims(self, num_dims: int, shift: int, offset: int = 0) -> AffineExpr:
        """The expression with its dimensions from ``offset`` to ``num_dims`` moved up by ``shift``."""
        return expression_of(
            substitute(self._expression, _shifted(dims, num_dims, shift, offset)), self.context
        )

    def shift_symbols(self, num_symbols: int, shift: int, offset: int = 0) -> AffineExpr:
        """The expression with its symbols from ``offset`` to ``num_symbols`` moved up by ``shift``."""
        same = dims(1 + max(self._expression.used_dims(), default=-1))
        moved = substitute(self._expression, same, _shifted(symbols, num_symbols, shift, offset))
        return expression_of(moved, self.context)

    def dump(self) -> None:
        """Print it to the standard error output."""
        import sys

        print(self, file=sys.stderr)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineExpr) and other._expression == self._expression

    def __hash__(self) -> int:
        return hash(self._expression)

    def __str__(self) -> str:
        return map_expr_text(self._expression)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


Side: TypeAlias = AffineExpr | int


def _shifted(
    make: Callable[[int], tuple[XdslExpr, ...]], count: int, shift: int, offset: int
) -> tuple[XdslExpr, ...]:
    return (*make(offset), *make(count + shift)[offset + shift :])


def _both(lhs: Side, rhs: Side, combine: Callable[[XdslExpr, XdslExpr], XdslExpr]) -> AffineExpr:
    context = next((side.context for side in (lhs, rhs) if isinstance(side, AffineExpr)), None)
    left, right = (side.xdsl if isinstance(side, AffineExpr) else constant(side) for side in (lhs, rhs))
    return expression_of(combine(left, right), context)


def expression_of(expression: XdslExpr, context: Context | None) -> AffineExpr:
    """An expression of xDSL as one of its kind."""
    kinds = (AffineDimExpr, AffineSymbolExpr, AffineConstantExpr, *_BINARY)
    kind = next((kind for kind in kinds if kind._holds(expression)), AffineExpr)
    return kind(expression, context)


class AffineDimExpr(AffineExpr):
    """``d0``."""

    XDSL = XdslDim

    @staticmethod
    def get(position: int, context: Context | None = None) -> AffineDimExpr:
        """``d`` with a number."""
        return AffineExpr.get_dim(position, context)

    @property
    def position(self) -> int:
        """The number of the dimension."""
        return int(self._expression.position)


class AffineSymbolExpr(AffineExpr):
    """``s0``."""

    XDSL = XdslSymbol

    @staticmethod
    def get(position: int, context: Context | None = None) -> AffineSymbolExpr:
        """``s`` with a number."""
        return AffineExpr.get_symbol(position, context)

    @property
    def position(self) -> int:
        """The number of the symbol."""
        return int(self._expression.position)


class AffineConstantExpr(AffineExpr):
    """A number."""

    XDSL = XdslConstant

    @staticmethod
    def get(value: int, context: Context | None = None) -> AffineConstantExpr:
        """A number."""
        return AffineExpr.get_constant(value, context)

    @property
    def value(self) -> int:
        """The number."""
        return int(self._expression.value)


class AffineBinaryExpr(AffineExpr):
    """Two expressions, combined."""

    XDSL = XdslBinary

    @property
    def lhs(self) -> AffineExpr:
        """The left one."""
        return expression_of(self._expression.lhs, self.context)

    @property
    def rhs(self) -> AffineExpr:
        """The right one."""
        return expression_of(self._expression.rhs, self.context)


class _Combined(AffineBinaryExpr):
    """Two expressions, combined in one way."""

    COMBINE: ClassVar[Any]

    @classmethod
    def get(cls, lhs: Side, rhs: Side) -> AffineExpr:
        """Return the expression of two sides, simplified."""
        return _both(lhs, rhs, cls.COMBINE)


class AffineAddExpr(_Combined):
    """A sum."""

    KIND, COMBINE = ADD, staticmethod(add)


class AffineMulExpr(_Combined):
    """A product."""

    KIND, COMBINE = MUL, staticmethod(mul)


class AffineModExpr(_Combined):
    """A remainder."""

    KIND, COMBINE = MOD, staticmethod(mod)


class AffineFloorDivExpr(_Combined):
    """A quotient, rounded down."""

    KIND, COMBINE = FLOOR_DIV, staticmethod(floordiv)


class AffineCeilDivExpr(_Combined):
    """A quotient, rounded up."""

    KIND, COMBINE = CEIL_DIV, staticmethod(ceildiv)


_BINARY = (AffineAddExpr, AffineMulExpr, AffineModExpr, AffineFloorDivExpr, AffineCeilDivExpr)


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
        """Return the map of so many dimensions and symbols to the expressions."""
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
        """Return the map to the last dimensions, unchanged."""
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
        return [expression_of(expression, self.context) for expression in self._map.results]

    @property
    def is_permutation(self) -> bool:
        dims = [XdslExpr.dimension(index) for index in range(self.n_dims)]
        return len(self._map.results) == len(dims) and all(one in self._map.results for one in dims)

    def get_submap(self, result_positions: Sequence[int]) -> AffineMap:
        """The results at these positions."""
        results = tuple(self._map.results[position] for position in result_positions)
        return AffineMap(XdslMap(self.n_dims, self.n_symbols, results), self.context)

    def get_major_submap(self, n_results: int) -> AffineMap:
        """The first results."""
        return self.get_submap(range(min(n_results, len(self._map.results))))

    def get_minor_submap(self, n_results: int) -> AffineMap:
        """The last results."""
        count = len(self._map.results)
        return self.get_submap(range(max(0, count - n_results), count))

    @property
    def is_projected_permutation(self) -> bool:
        """Whether the results are different dimensions."""
        results = self._map.results
        return all(isinstance(one, XdslDim) for one in results) and len(set(results)) == len(results)

    def replace(
        self, expr: AffineExpr, replacement: AffineExpr, n_result_dims: int, n_result_syms: int
    ) -> AffineMap:
        """The map with one expression in the place of another, wherever it occurs."""

        def replaced(one: XdslExpr) -> XdslExpr:
            if one == expr.xdsl:
                return replacement.xdsl
            if not isinstance(one, XdslBinary):
                return one
            left, right = expression_of(replaced(one.lhs), self.context), replaced(one.rhs)
            kind = next(kind for kind in _BINARY if kind._holds(one))
            return kind.get(left, expression_of(right, self.context)).xdsl

        results = tuple(map(replaced, self._map.results))
        return AffineMap(XdslMap(n_result_dims, n_result_syms, results), self.context)

    def dump(self) -> None:
        """Print it to the standard error output."""
        import sys

        print(self, file=sys.stderr)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineMap) and other._map == self._map

    def __hash__(self) -> int:
        return hash(self._map)

    def __str__(self) -> str:
        return map_text(self._map)

    def __repr__(self) -> str:
        return f"AffineMap({self})"
