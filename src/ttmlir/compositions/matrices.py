"""Triangular systems and Cholesky's decomposition, row after row: TTIR has products of matrices only.

Each row or column is some operations, so that this is for the small matrices that models have in them.
"""

from __future__ import annotations

from ttl.ir.refusals import Refused
from ttmlir.compositions.emitter import TensorEmitter, Value

MOST_ROWS = 128


def _require_few(rows: int) -> None:
    if rows > MOST_ROWS:
        raise Refused(
            f"a matrix of {rows} rows, each of which is operations of its own",
            f"at most {MOST_ROWS} rows; the decomposition outside of the model, and its result as an argument",
        )


def solved(
    matrix: Value, right: Value, w: TensorEmitter, *, is_upper: bool, has_unit_diagonal: bool = False
) -> Value:
    """X of T X = B, of a triangle (batch, n, n) and (batch, n, m): from its short row on."""
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
    """L of L L' = A, (batch, n, n): each column less what those before it make. Of what is not definite it is NaN."""
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
