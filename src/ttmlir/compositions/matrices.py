"""Systems of equations, determinants and Cholesky's decomposition, row after row: TTIR has products of matrices only.

Each row or column takes several operations, so this is for the small matrices in models.
"""

from __future__ import annotations

from dataclasses import dataclass

from ttl.ir.refusals import Refused
from ttmlir.compositions.emitter import SINGLE, TensorEmitter, Value

MOST_ROWS = 128


def _require_few(rows: int) -> None:
    if rows > MOST_ROWS:
        raise Refused(
            f"a matrix of {rows} rows, and each row becomes operations of its own",
            f"at most {MOST_ROWS} rows; or decompose the matrix outside of the model and pass the result as an argument",
        )


def solved(
    matrix: Value, right: Value, w: TensorEmitter, *, is_upper: bool, has_unit_diagonal: bool = False
) -> Value:
    """Solve T X = B for a triangular T (batch, n, n) and B (batch, n, m), starting at the row with one element."""
    count = w.shape(right)[1]
    _require_few(count)
    matches: list[Value] = []
    for at in reversed(range(count)) if is_upper else range(count):
        line, row = w.range(matrix, 1, at, at + 1), w.range(right, 1, at, at + 1)
        if matches:
            begin, end = (at + 1, count) if is_upper else (0, at)
            known = w.concat(matches[::-1] if is_upper else matches, 1)
            row = w.elementwise("subtract", row, w.product(w.range(line, 2, begin, end), known))
        if not has_unit_diagonal:
            row = w.elementwise("div", row, w.range(line, 2, at, at + 1))
        matches.append(row)
    return w.concat(matches[::-1] if is_upper else matches, 1)


def cholesky(matrix: Value, w: TensorEmitter) -> Value:
    """Return the Cholesky factor L of A = L L', (batch, n, n), column by column.

    It is NaN if A is not positive definite.
    """
    batch, count, _ = w.shape(matrix)
    _require_few(count)
    columns: list[Value] = []
    rest = matrix
    for at in range(count):
        first = w.range(rest, 2, 0, 1)
        column = w.elementwise("div", first, w.elementwise("sqrt", w.range(first, 1, 0, 1)))
        left = count - at
        if left > 1:
            below = w.range(column, 1, 1, left)
            inner = w.range(w.range(rest, 1, 1, left), 2, 1, left)
            rest = w.elementwise("subtract", inner, w.product(below, w.rearrange(below, [0, 2, 1])))
        if at:
            column = w.concat([w.broadcast(w.splat(0, column), [batch, at, 1]), column], 1)
        columns.append(column)
    return w.concat(columns, 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class Elimination:
    """The results of Gauss-Jordan elimination of A (batch, n, n).

    They are X of A X = B (batch, n, m), the pivots (batch, 1, n) in the order of the columns, and 1 or -1 (batch, 1, 1): the
    product of the pivots times this sign is the determinant.
    """

    solution: Value
    pivots: Value
    sign: Value


def eliminated(matrix: Value, right: Value, w: TensorEmitter) -> Elimination:
    """Gauss-Jordan elimination with row pivots, column by column. The results for a singular matrix are not finite.

    Rows are not swapped: a column with a one at the pivot's row, and zeros elsewhere, selects the row.
    """
    batch, count, _ = w.shape(matrix)
    _require_few(count)
    numbers = w.reshape(w.count(count, SINGLE), [1, count, 1])
    behind = w.elementwise("subtract", w.splat(count, numbers), numbers)
    rest = w.concat([matrix, right], 2)
    left = w.broadcast(w.splat(1, rest), [batch, count, 1])
    sign = w.broadcast(w.splat(1, rest), [batch, 1, 1])
    chosen, pivots = [], []
    for at in range(count):
        column = w.range(rest, 2, at, at + 1)
        size = w.elementwise("where", left, w.elementwise("abs", column), w.splat(-1, column))
        greatest = w.elementwise("eq", size, w.reduce("max", size, [1], keep=True))
        # Among equal pivots, take the first row.
        place = w.elementwise("multiply", greatest, behind)
        one = w.elementwise("eq", place, w.reduce("max", place, [1], keep=True))
        row = w.product(w.rearrange(one, [0, 2, 1]), rest)
        pivot = w.range(row, 2, at, at + 1)
        line = w.elementwise("div", row, pivot)
        factors = w.elementwise("subtract", column, one)
        rest = w.elementwise("subtract", rest, w.product(factors, line))
        sign = w.elementwise("multiply", sign, _parity(one, left, numbers, w))
        left = w.elementwise("subtract", left, one)
        chosen.append(one)
        pivots.append(pivot)
    order = w.rearrange(w.concat(chosen, 2), [0, 2, 1])
    solution = w.product(order, w.range(rest, 2, count, w.shape(rest)[2]))
    return Elimination(solution=solution, pivots=w.concat(pivots, 2), sign=sign)


def _parity(one: Value, left: Value, numbers: Value, w: TensorEmitter) -> Value:
    """Return -1 if the number of remaining rows before the chosen one is odd, else 1."""
    place = w.reduce("sum", w.elementwise("multiply", one, numbers), [1], keep=True)
    before = w.elementwise("multiply", w.elementwise("lt", numbers, place), left)
    many = w.reduce("sum", before, [1], keep=True)
    half = w.elementwise("floor", w.elementwise("multiply", many, w.splat(0.5, many)))
    odd = w.elementwise("subtract", many, w.elementwise("multiply", half, w.splat(2, many)))
    return w.elementwise("subtract", w.splat(1, odd), w.elementwise("multiply", odd, w.splat(2, odd)))
