"""Affine expressions and maps as MLIR makes, simplifies, reads and prints them, also those with symbols.

The classes are xDSL's. But xDSL does not make products, quotients and remainders by a symbol (``d0 floordiv s0``),
distributes products over sums, and prints a bracket around every operation, unlike MLIR's tools, whose text must be
matched. The rules of simplification are those of ``AffineExpr.cpp``, the brackets those of ``AsmPrinter``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import gcd

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.ir.affine.affine_expr import AffineBinaryOpExpr, AffineBinaryOpKind
from xdsl.parser.affine_parser import AffineParser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRToken

ADD, MUL = AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul
MOD, FLOOR_DIV, CEIL_DIV = AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv


def dims(count: int) -> tuple[AffineExpr, ...]:
    """``d0`` and so on."""
    return tuple(AffineDimExpr(position) for position in range(count))


def symbols(count: int) -> tuple[AffineExpr, ...]:
    """``s0`` and so on."""
    return tuple(AffineSymExpr(position) for position in range(count))


def constant(value: int) -> AffineExpr:
    """A number."""
    return AffineConstantExpr(value)


def _number(expr: AffineExpr) -> int | None:
    return expr.value if isinstance(expr, AffineConstantExpr) else None


def _parts(expr: AffineExpr, kind: AffineBinaryOpKind) -> tuple[AffineExpr, AffineExpr] | None:
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind == kind:
        return expr.lhs, expr.rhs
    return None


def is_symbolic(expr: AffineExpr) -> bool:
    """Whether an expression consists of symbols and numbers only."""
    match expr:
        case AffineConstantExpr() | AffineSymExpr():
            return True
        case AffineBinaryOpExpr():
            return is_symbolic(expr.lhs) and is_symbolic(expr.rhs)
    return False


def add(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs + rhs``."""
    left, right = _number(lhs), _number(rhs)
    if left is not None and right is not None:
        return constant(left + right)
    if left is not None or (is_symbolic(lhs) and not is_symbolic(rhs)):
        return add(rhs, lhs)
    if right == 0:
        return lhs
    sum_ = _parts(lhs, ADD)
    last = _number(sum_[1]) if sum_ else None
    if sum_ and last is not None:  # the number goes last
        return add(sum_[0], constant(last + right)) if right is not None else add(add(sum_[0], rhs), sum_[1])
    term, factor = _coefficient(lhs)
    other, other_factor = _coefficient(rhs)
    if term == other:
        return mul(term, constant(factor + other_factor))
    return _remainder(lhs, rhs) or AffineBinaryOpExpr(ADD, lhs, rhs)


def _coefficient(expr: AffineExpr) -> tuple[AffineExpr, int]:
    product = _parts(expr, MUL)
    factor = _number(product[1]) if product else None
    return (product[0], factor) if product and factor is not None else (expr, 1)


def _remainder(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr | None:
    """``e - (e floordiv q) * q`` is ``e mod q``."""
    term, factor = _coefficient(rhs)
    quotient = _parts(term, FLOOR_DIV)
    if quotient is None or quotient[0] != lhs or _number(quotient[1]) != -factor:
        return None
    return mod(lhs, quotient[1])


def mul(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs * rhs``; one of them has no dimensions. Raises ``ValueError``."""
    left, right = _number(lhs), _number(rhs)
    if left is not None and right is not None:
        return constant(left * right)
    if not is_symbolic(rhs) and not is_symbolic(lhs):
        raise ValueError(
            "non-affine expression: at least one of the multiply operands has to be a constant or symbolic"
        )
    if left is not None or not is_symbolic(rhs):
        return mul(rhs, lhs)
    if right == 1:
        return lhs
    if right == 0:
        return rhs
    product = _parts(lhs, MUL)
    factor = _number(product[1]) if product else None
    if product and factor is not None:  # the number goes last
        if right is not None:
            return mul(product[0], constant(factor * right))
        return mul(mul(product[0], rhs), product[1])
    return AffineBinaryOpExpr(MUL, lhs, rhs)


def _divisor(rhs: AffineExpr, what: str) -> int | None:
    if not is_symbolic(rhs):
        raise ValueError(
            f"non-affine expression: right operand of {what} has to be either a constant or symbolic"
        )
    number = _number(rhs)
    return number if number is not None and number > 0 else None


def floordiv(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs floordiv rhs``; the divisor has no dimensions. Raises ``ValueError``."""
    divisor = _divisor(rhs, "floordiv")
    if divisor is None:
        return AffineBinaryOpExpr(FLOOR_DIV, lhs, rhs)
    left = _number(lhs)
    if left is not None:
        return constant(left // divisor)
    if divisor == 1:
        return lhs
    product = _parts(lhs, MUL)
    factor = _number(product[1]) if product else None
    if product and factor is not None and factor % divisor == 0:
        return mul(product[0], constant(factor // divisor))
    sum_ = _parts(lhs, ADD)
    if sum_ and any(known_divisor(term) % divisor == 0 for term in sum_):
        return add(floordiv(sum_[0], rhs), floordiv(sum_[1], rhs))
    return AffineBinaryOpExpr(FLOOR_DIV, lhs, rhs)


def ceildiv(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs ceildiv rhs``; the divisor has no dimensions. Raises ``ValueError``."""
    divisor = _divisor(rhs, "ceildiv")
    if divisor is None:
        return AffineBinaryOpExpr(CEIL_DIV, lhs, rhs)
    left = _number(lhs)
    if left is not None:
        return constant(-(-left // divisor))
    if divisor == 1:
        return lhs
    product = _parts(lhs, MUL)
    factor = _number(product[1]) if product else None
    if product and factor is not None and factor % divisor == 0:
        return mul(product[0], constant(factor // divisor))
    return AffineBinaryOpExpr(CEIL_DIV, lhs, rhs)


def mod(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """``lhs mod rhs``; the modulus has no dimensions. Raises ``ValueError``."""
    modulus = _divisor(rhs, "mod")
    if modulus is None:
        return AffineBinaryOpExpr(MOD, lhs, rhs)
    left = _number(lhs)
    if left is not None:
        return constant(left % modulus)
    if known_divisor(lhs) % modulus == 0:
        return constant(0)
    if sum_ := _parts(lhs, ADD):
        if known_divisor(sum_[0]) % modulus == 0:
            return mod(sum_[1], rhs)
        if known_divisor(sum_[1]) % modulus == 0:
            return mod(sum_[0], rhs)
    if remainder := _parts(lhs, MOD):
        inner = _number(remainder[1])
        if inner is not None and inner % modulus == 0:
            return mod(remainder[0], rhs)
    return AffineBinaryOpExpr(MOD, lhs, rhs)


def known_divisor(expr: AffineExpr) -> int:
    """Return a number that always divides the expression; 0 for the number 0."""
    match expr:
        case AffineConstantExpr():
            return abs(expr.value)
        case AffineBinaryOpExpr(kind=kind):
            left, right = known_divisor(expr.lhs), known_divisor(expr.rhs)
            if kind == MUL:
                return left * right
            if kind in (ADD, MOD):
                return gcd(left, right)
            divisor = _number(expr.rhs)
            if divisor and left and left % divisor == 0:
                return abs(left // divisor)
    return 1


_MAKERS: tuple[tuple[AffineBinaryOpKind, Callable[[AffineExpr, AffineExpr], AffineExpr]], ...] = (
    (ADD, add),
    (MUL, mul),
    (MOD, mod),
    (FLOOR_DIV, floordiv),
    (CEIL_DIV, ceildiv),
)


def substitute(
    expr: AffineExpr, new_dims: Sequence[AffineExpr], new_symbols: Sequence[AffineExpr] | None = None
) -> AffineExpr:
    """Replace the dimensions of an expression by other expressions, and its symbols if ``new_symbols`` is not None."""
    match expr:
        case AffineDimExpr():
            return new_dims[expr.position]
        case AffineSymExpr() if new_symbols is not None:
            return new_symbols[expr.position]
        case AffineBinaryOpExpr():
            make = next(make for kind, make in _MAKERS if kind == expr.kind)
            return make(
                substitute(expr.lhs, new_dims, new_symbols), substitute(expr.rhs, new_dims, new_symbols)
            )
    return expr


def evaluate(map: AffineMap, point: Sequence[int], symbols: Sequence[int] = ()) -> tuple[int, ...]:
    """Evaluate a map at a point."""
    return tuple(result.eval(point, symbols) for result in map.results)


def coefficients(expr: AffineExpr, rank: int) -> tuple[int, ...] | None:
    """Return the coefficient of each dimension in a sum of multiples; None for any other expression."""
    zero = expr.eval([0] * rank, [])
    steps = tuple(expr.eval([int(dim == step) for dim in range(rank)], []) - zero for step in range(rank))
    linear = all(not isinstance(part, AffineBinaryOpExpr) or part.kind in (ADD, MUL) for part in expr.dfs())
    return steps if linear else None


# Text.


@lru_cache(maxsize=8192)
def map_text(map: AffineMap) -> str:
    """``(d0, d1)[s0] -> (d0 * 4 + d1 floordiv s0)``."""
    arguments = ", ".join(f"d{position}" for position in range(map.num_dims))
    names = ", ".join(f"s{position}" for position in range(map.num_symbols))
    results = ", ".join(map_expr_text(result) for result in map.results)
    return f"({arguments}){f'[{names}]' if names else ''} -> ({results})"


def map_expr_text(expr: AffineExpr, tight: bool = False) -> str:
    """Return one result of a map; ``tight`` asks for brackets around operators that bind loosely."""
    match expr:
        case AffineConstantExpr():
            return str(expr.value)
        case AffineDimExpr():
            return f"d{expr.position}"
        case AffineSymExpr():
            return f"s{expr.position}"
    assert isinstance(expr, AffineBinaryOpExpr)
    text = _sum_text(expr) if expr.kind == ADD else _product_text(expr)
    return f"({text})" if tight else text


def _product_text(expr: AffineBinaryOpExpr) -> str:
    if expr.kind == MUL and _number(expr.rhs) == -1:
        return f"-{map_expr_text(expr.lhs, tight=True)}"
    left, right = map_expr_text(expr.lhs, tight=True), map_expr_text(expr.rhs, tight=True)
    return f"{left} {expr.kind.get_token()} {right}"


def _sum_text(expr: AffineBinaryOpExpr) -> str:
    left, right = map_expr_text(expr.lhs), _number(expr.rhs)
    if right is not None and right < 0:
        return f"{left} - {-right}"
    product = _parts(expr.rhs, MUL)
    factor = _number(product[1]) if product else None
    if product is None or factor is None or factor >= 0:
        return f"{left} + {map_expr_text(expr.rhs)}"
    if factor == -1:
        return f"{left} - {map_expr_text(product[0], tight=_parts(product[0], ADD) is not None)}"
    return f"{left} - {map_expr_text(product[0], tight=True)} * {-factor}"


class MapParser(AffineParser):
    """Parses ``(d0, d1)[s0] -> (...)`` at a parser's position. ``LocationParser.parse_affine_map`` uses it."""

    def _parse_affine_space(self) -> tuple[list[str], list[str]]:
        start = self.pos
        names, symbol_names = super()._parse_affine_space()
        known: set[str] = set()
        for name in (*names, *symbol_names):
            if name in known:
                self.raise_error(f"redefinition of identifier '{name}'", start, self.pos)
            known.add(name)
        return names, symbol_names

    def _create_binop_expr(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        if binop.text in ("ceildiv", "floordiv", "mod") and _number(rhs) == 0:
            raise ParseError(binop.span, f"{binop.text} by zero")
        try:
            match binop.text:
                case "+":
                    return add(lhs, rhs)
                case "-":
                    return add(lhs, mul(rhs, constant(-1)))
                case "*":
                    return mul(lhs, rhs)
                case "ceildiv":
                    return ceildiv(lhs, rhs)
                case "floordiv":
                    return floordiv(lhs, rhs)
                case _:
                    return mod(lhs, rhs)
        except ValueError as problem:
            raise ParseError(binop.span, str(problem)) from problem


def make_map(num_dims: int, results: Iterable[AffineExpr], num_symbols: int = 0) -> AffineMap:
    """Make a map of ``num_dims`` dimensions and ``num_symbols`` symbols."""
    return AffineMap(num_dims, num_symbols, tuple(results))
