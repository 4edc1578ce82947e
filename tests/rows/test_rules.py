"""Types of block expressions, and each error of operands and parameters: code, values and what to write."""

from __future__ import annotations

from typing import Any

import pytest

from ttl.diag.model import Diagnostic
from ttl.rows.dtypes import (
    BFLOAT8_B,
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    INT32,
    REAL_NUMBER,
    UINT8,
    UINT16,
    UINT32,
    WHOLE_NUMBER,
    DType,
    promote,
)
from ttl.rows.row import Op, _inferred
from ttl.rows.table import OPS, op
from ttl.rows.types import BlockType, Layout


def block(*shape: int, dtype: DType = BFLOAT16, layout: Layout = Layout.TILE) -> BlockType:
    return BlockType.of(shape, dtype, layout)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (BFLOAT16, BFLOAT16, BFLOAT16),
        (BFLOAT16, FLOAT32, FLOAT32),
        (BFLOAT8_B, BFLOAT16, BFLOAT16),
        (BFLOAT16, FLOAT16, FLOAT32),
        (UINT8, UINT16, UINT16),
        (INT32, UINT16, INT32),
        (INT32, UINT32, None),
        (INT32, FLOAT32, None),
        (BFLOAT16, UINT8, None),
        (WHOLE_NUMBER, INT32, INT32),
        (WHOLE_NUMBER, BFLOAT16, BFLOAT16),
        (WHOLE_NUMBER, REAL_NUMBER, REAL_NUMBER),
        (REAL_NUMBER, BFLOAT16, BFLOAT16),
        (REAL_NUMBER, INT32, None),
    ],
)
def test_element_type_of_two(first: DType, second: DType, expected: DType | None) -> None:
    assert promote(first, second) is expected
    assert promote(second, first) is expected


def test_numbers_stay_numbers() -> None:
    assert op("add").infer((block(1, 2), 0.5), ()) is block(1, 2)
    assert op("add").infer((3, block(1, 2, dtype=INT32)), ()) is block(1, 2, dtype=INT32)
    assert op("add").infer((3.0, block(1, 2, dtype=INT32)), ()) is block(1, 2, dtype=INT32)


def test_a_loop_over_numbers_does_not_fill_the_memory() -> None:
    most = _inferred.cache_parameters()["maxsize"]
    assert most is not None and most <= 1 << 14
    before = _inferred.cache_info().currsize
    for index in range(most + 100):
        op("mul").infer((block(1, 3), index + 0.25), ())
    assert before < most == _inferred.cache_info().currsize


def test_where_and_mask_take_any_condition() -> None:
    flags = block(1, 1, dtype=UINT8)
    assert op("where").infer((flags, block(1, 1), 0), ()) is block(1, 1)
    assert op("where").infer((flags, 1, 0), ()) is block(1, 1, dtype=WHOLE_NUMBER)
    assert op("where").infer((flags, 1, 0.5), ()) is block(1, 1, dtype=REAL_NUMBER)
    assert op("mask").infer((block(1, 1), flags), ()) is block(1, 1)


def test_row_major_elementwise() -> None:
    kind = block(7, dtype=FLOAT32, layout=Layout.ROW_MAJOR)
    assert op("add").infer((kind, kind), ()) is kind
    assert op("exp").infer((kind,), (False, 1.0)) is kind


ROW_MAJOR = block(64, 64, layout=Layout.ROW_MAJOR)
WRONG: tuple[tuple[str, tuple[Any, ...], tuple[Any, ...], str, tuple[str, ...]], ...] = (
    ("add", (block(2, 4), block(2, 1)), (), "TTL0405",
     ("(2, 4) tiles = (64, 128) elements", "ttl.block.broadcast(b, dims=[-1], shape=(2, 4))")),
    ("add", (block(1, 4), block(2, 1)), (), "TTL0405",
     ("ttl.block.broadcast(a, dims=[-2], shape=(2, 4))", "ttl.block.broadcast(b, dims=[-1], shape=(2, 4))")),
    ("add", (block(3, 2, 4), block(2, 4)), (), "TTL0405",
     ("ttl.block.broadcast(ttl.block.unsqueeze(b, dims=[0]), dims=[-3], shape=(3, 2, 4))",)),
    ("add", (block(2, 4), block(3, 4)), (), "TTL0405", ("give the dataflow buffers one shape",)),
    ("where", (block(2, 1), block(2, 2), 0), (), "TTL0405", ("broadcast(condition, dims=[-1], shape=(2, 2))",)),
    ("add", (block(2, 2), ROW_MAJOR), (), "TTL0402", ("(64, 64) elements", "TILE_LAYOUT")),
    ("add", (block(1, 1), block(1, 1, dtype=INT32)), (), "TTL0403", ("ttl.math.typecast(x, ttnn.bfloat16)",)),
    ("add", (block(1, 1, dtype=UINT32), block(1, 1, dtype=INT32)), (), "TTL0420", ("uint32", "int32")),
    ("add", (1, 2), (), "TTL0406", ("a and b",)),
    ("add", (block(1, 1, dtype=INT32), 0.5), (), "TTL0419", ("0.5", "int32")),
    ("add", (block(1, 1, dtype=INT32), float("inf")), (), "TTL0419", ("inf",)),
    ("add", (block(1, 1), 10**400), (), "TTL0426", ("1329 bits",)),
    ("add", (block(1, 1, dtype=INT32), 10**30), (), "TTL0426", ("100 bits", "64 bits")),
    ("clamp", (block(1, 1, dtype=INT32),), (0.5, 2), "TTL0419", ("0.5",)),
    ("clamp", (block(1, 1),), (3, 1), "TTL0425", ("min=1, max=3",)),
    ("truediv", (block(1, 1, dtype=INT32), 2), (), "TTL0404", ("a // b",)),
    ("xor", (block(1, 1), 2), (), "TTL0421", ("a ** b",)),
    ("pow", (block(1, 1, dtype=INT32), -1), (), "TTL0424", ("-1",)),
    ("matmul", (block(2, 3), block(2, 4)), (), "TTL0411", ("(2, 3) tiles", "(2, 4) tiles", "K must be the same")),
    ("matmul", (block(2, 3), block(4, 3)), (), "TTL0411", ("ttl.block.transpose(b)",)),
    ("matmul", (block(2, 3), block(4, 2)), (), "TTL0411", ("the other way round they fit: b @ a",)),
    ("matmul", (block(5, 2, 3), block(3, 4)), (), "TTL0412",
     ("ttl.block.broadcast(ttl.block.unsqueeze(b, dims=[0]), dims=[0], shape=(5, 3, 4))",)),
    ("matmul", (ROW_MAJOR, ROW_MAJOR), (), "TTL0410", ("row-major",)),
    ("matmul", (block(1, 1, dtype=INT32), block(1, 1, dtype=INT32)), (), "TTL0404", ("int32",)),
    ("reduce_sum", (ROW_MAJOR,), ((-1,), None), "TTL0410", ("row-major",)),
    ("reduce_sum", (block(2, 3),), ((2,), None), "TTL0407", ("2 is out of range", "0 (outermost) to 1")),
    ("reduce_sum", (block(2, 3),), ((1, -1), None), "TTL0407", ("twice",)),
    ("reduce_sum", (block(2, 3),), ((), None), "TTL0407", ("dims is empty",)),
    ("matmul", (block(2, 3), 2), (), "TTL0423", ("a * b", "the number 2")),
    ("exp", (2,), (False, 1.0), "TTL0423", ("`expr`", "ttl.block.fill")),
    ("where", (1, block(2, 3), 0), (), "TTL0423", ("`condition`",)),
    ("where", (block(2, 3), 10**5000, 0), (), "TTL0426", ("bits",)),
    ("mask", (float("nan"), block(2, 3)), (), "TTL0423", ("`expr`",)),
    ("reduce_max", (block(2, 3),), ((-1,), (2, 3)), "TTL0408", ("shape=(2, 1)", "(2, 3) tiles = (64, 96) elements")),
    ("broadcast", (block(2, 3),), ((-1,), (2, 6)), "TTL0409", ("has 3, not 1",)),
    ("broadcast", (block(2, 1),), ((-1,), (4, 3)), "TTL0409", ("(4, 3)", "outside dims")),
    ("broadcast", (block(1, 3),), ((-1,), (2, 3)), "TTL0409", ("dims=[-2], shape=(2, 3)",)),
    ("broadcast", (block(2, 1),), ((-1,), (5, 2, 3)), "TTL0409", ("ttl.block.unsqueeze(expr, dims=[0])",)),
    ("broadcast", (block(2, 1),), ((5,), (2, 3)), "TTL0407", ("5 is out of range",)),
    ("broadcast", (ROW_MAJOR,), ((-1,), (64, 64)), "TTL0410", ("row-major",)),
    ("transpose", (block(1, 2, 3),), (), "TTL0413", ("ttl.block.squeeze(expr, dims=[0])",)),
    ("transpose", (ROW_MAJOR,), (), "TTL0410", ("row-major",)),
    ("squeeze", (block(2, 1, 3),), ((0,),), "TTL0414", ("has 2, not 1",)),
    ("squeeze", (block(1, 3),), ((0,),), "TTL0418", ("leaves 1 of the dimensions",)),
    ("squeeze", (block(1, 3),), ((4,),), "TTL0407", ("4 is out of range",)),
    ("unsqueeze", (block(1, 3),), ((3,),), "TTL0407", ("the result has 3 dimensions",)),
    ("fill", (), (0, (4,), Layout.TILE), "TTL0427", ("(1, 4)",)),
)  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "params", "code", "words"), WRONG)
def test_wrong_operands(
    name: str, operands: tuple[Any, ...], params: tuple[Any, ...], code: str, words: tuple[str, ...]
) -> None:
    found = op(name).infer(operands, params)
    assert isinstance(found, Diagnostic)
    assert found.code == code
    text = "\n".join((found.message, *found.notes, *found.help))
    for word in words:
        assert word in text
    assert found.message.startswith(op(name).label)
    assert not found.message.endswith(".")
    assert found.primary is None
    assert op(name).infer(operands, params) == found, (
        "a diagnostic must not depend on what was inferred before"
    )


@pytest.mark.parametrize("row", OPS, ids=repr)
def test_rows_are_complete(row: Op) -> None:
    assert row.summary.endswith(".")
    assert row.example
    assert row.spellings
    assert {"bfloat16", "float32"} <= row.tolerance.keys()
    assert row.hardware.keys() == {"0.69", "0.81"}
    without = ("squeeze", "unsqueeze", "mask", "mask_posinf", "signbit", "threshold")
    assert bool(row.hardware["0.69"]) is bool(row.hardware["0.81"]) is (row.name not in without)
    for param in row.params:
        assert param.doc.endswith(".")
        if param.default is not ...:
            assert param.check(param.default) == param.default
    required = [param.default is ... for param in row.params]
    assert required == sorted(required, reverse=True), "parameters without a default come first"


def test_names_are_unique() -> None:
    assert len({row.name for row in OPS}) == len(OPS)
    spellings = [spelling for row in OPS for spelling in row.spellings]
    assert len(set(spellings)) == len(spellings)
