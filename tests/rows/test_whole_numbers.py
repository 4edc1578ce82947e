"""What a filled block is combined with may make fractions of whole numbers: those are no integers, wherever they are stored."""

from __future__ import annotations

import pytest

from ttl.diag.model import Diagnostic
from ttl.rows.dtypes import INT32, REAL_NUMBER, WHOLE_NUMBER, DType
from ttl.rows.row import Params
from ttl.rows.table import op
from ttl.rows.types import BlockType, Layout
from ttl.rules.stores import match_store

WHOLE = BlockType.of((1, 1), WHOLE_NUMBER, Layout.TILE)


@pytest.mark.parametrize(
    ("name", "operands", "params", "expected"),
    [
        ("mul", (WHOLE, 2), (), WHOLE_NUMBER),
        ("mul", (WHOLE, 2.0), (), WHOLE_NUMBER),
        ("mul", (WHOLE, 0.5), (), REAL_NUMBER),
        ("rsub", (WHOLE, 0.5), (), REAL_NUMBER),
        ("mul", (0.5, WHOLE), (), REAL_NUMBER),
        ("truediv", (WHOLE, 2), (), REAL_NUMBER),
        ("floordiv", (WHOLE, 2), (), WHOLE_NUMBER),
        ("pow", (WHOLE, 2), (), WHOLE_NUMBER),
        ("pow", (WHOLE, -1), (), REAL_NUMBER),
        ("pow", (WHOLE, WHOLE), (), REAL_NUMBER),
        ("exp", (WHOLE,), (False,), REAL_NUMBER),
        ("abs", (WHOLE,), (), WHOLE_NUMBER),
        ("clamp", (WHOLE,), (0, 3), WHOLE_NUMBER),
        ("clamp", (WHOLE,), (0.5, 3), REAL_NUMBER),
        ("where", (WHOLE, 1, 2), (), WHOLE_NUMBER),
        ("where", (WHOLE, 0.5, WHOLE), (), REAL_NUMBER),
    ],
)
def test_whole_numbers_stay_whole_or_are_none(
    name: str, operands: tuple[BlockType | float, ...], params: Params, expected: DType
) -> None:
    row = op(name)
    params = params[: len(row.params)]
    result = row.infer(operands, params)
    assert isinstance(result, BlockType) and result.dtype is expected
    refused = match_store(result, "y_dfb", BlockType.of((1, 1), INT32, Layout.TILE))
    assert isinstance(refused, Diagnostic) is (expected is REAL_NUMBER)
