"""A block that sections compute one after the other is handed over, and copied to its tensor, in parts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import ttnn

import ttl
from emu.harness import tensor_of, values_of
from ttl import settings
from ttl.codegen.compile import Compiled, compile_module
from ttl.frontend.file import lower_file

_PROGRAM = """
import ttnn
import ttl


@ttl.operation(grid=(1, 1))
def negated(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(ROWS, COLUMNS))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(ROWS, COLUMNS))

    @ttl.datamovement()
    def read():
        for turn in range(4):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0:ROWS, 0:COLUMNS], x_blk).wait()

    @ttl.compute()
    def compute():
        for turn in range(4):
            COMPUTE

    @ttl.datamovement()
    def write():
        for turn in range(4):
            WRITE


x = ttnn.ones((ROWS * 32, WIDTH * 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((ROWS * 32, WIDTH * 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
negated(x, y)
"""
_COMPUTE = """
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(-x_blk)
"""
_WRITE = """
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0:ROWS, 0:COLUMNS]).wait()
"""


def compiled(
    folder: Path,
    rows: int,
    columns: int,
    *,
    width: int | None = None,
    compute: str = _COMPUTE,
    write: str = _WRITE,
) -> Compiled:
    program = folder / "program.py"
    text = _PROGRAM.replace("COMPUTE", compute.strip()).replace("WRITE", write.strip())
    text = text.replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    program.write_text(text.replace("WIDTH", str(width or columns)))
    return compile_module(lower_file(str(program)).module, settings.current(), generation="0.81")


def kernels(found: Compiled) -> tuple[str, str]:
    assert not found.diagnostics
    (sources,) = found.sources
    return sources["compute.cpp"], sources["write.cpp"]


def test_each_section_hands_over_its_tiles_and_the_writer_waits_for_what_it_writes_next(
    tmp_path: Path,
) -> None:
    compute, write = kernels(compiled(tmp_path, 1, 32))
    assert "cb_push_back(y_dfb, 8);" in compute and "cb_push_back(y_dfb, 32);" not in compute
    assert re.search(r"pack_tile<true>\((\w), y_dfb, \1\);", compute)
    assert "end_page = part + 8;" in write and "cb_wait_front(y_dfb, end_page);" in write
    assert "cb_wait_front(y_dfb, 32);" not in write
    # The block is still given back as a whole.
    assert "cb_pop_front(y_dfb, 32);" in write


@pytest.mark.parametrize(
    ("rows", "columns", "width", "wait"),
    [
        pytest.param(
            4, 4, 12, "cb_wait_front(y_dfb, part * 4 + 8);", id="rows that do not follow each other"
        ),
        pytest.param(2, 16, 24, "cb_wait_front(y_dfb, row * 16 + part + 8);", id="parts of rows"),
    ],
)
def test_parts_are_rows_or_parts_of_rows(
    tmp_path: Path, rows: int, columns: int, width: int, wait: str
) -> None:
    _, write = kernels(compiled(tmp_path, rows, columns, width=width))
    assert wait in write


@pytest.mark.parametrize(
    ("rows", "columns", "width", "compute", "write"),
    [
        pytest.param(1, 8, 8, _COMPUTE, _WRITE, id="one section"),
        pytest.param(4, 6, 12, _COMPUTE, _WRITE, id="parts that are no whole rows"),
        pytest.param(1, 11, 11, _COMPUTE, _WRITE, id="sections that differ"),
        pytest.param(
            1,
            32,
            32,
            _COMPUTE,
            """
            with y_dfb.wait() as y_blk:
                if turn == 3:
                    ttl.copy(y_blk, y[0:ROWS, 0:COLUMNS]).wait()
""",
            id="a copy that may not be made",
        ),
        pytest.param(
            1,
            32,
            32,
            """
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk, y_dfb.reserve() as z_blk:
                y_blk.store(-x_blk)
                z_blk.store(x_blk)
""",
            _WRITE + _WRITE,
            id="two blocks of the buffer at once",
        ),
    ],
)
def test_otherwise_a_block_is_handed_over_as_a_whole(
    tmp_path: Path, rows: int, columns: int, width: int, compute: str, write: str
) -> None:
    found, writer = kernels(compiled(tmp_path, rows, columns, width=width, compute=compute, write=write))
    assert f"cb_push_back(y_dfb, {rows * columns});" in found
    assert f"cb_wait_front(y_dfb, {rows * columns});" in writer


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(("rows", "columns", "width"), [(1, 32, 32), (4, 4, 12), (2, 16, 24)])
def test_nothing_is_lost_on_the_emulated_chip(rows: int, columns: int, width: int, seed: int | None) -> None:
    @ttl.operation(grid=(1, 1))
    def negated(x, y):  # type: ignore[no-untyped-def]
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, columns))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, columns), block_count=3)

        @ttl.datamovement()
        def read():  # type: ignore[no-untyped-def]
            for start in range(0, x.shape[0] // 32, rows):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[start : start + rows, 0:columns], x_blk).wait()

        @ttl.compute()
        def compute():  # type: ignore[no-untyped-def]
            for _ in range(0, x.shape[0] // 32, rows):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(-x_blk)

        @ttl.datamovement()
        def write():  # type: ignore[no-untyped-def]
            for start in range(0, x.shape[0] // 32, rows):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[start : start + rows, 0:columns]).wait()

    random = np.random.default_rng(1)
    shape = (4 * rows * 32, width * 32)
    given = random.integers(-8, 8, shape).astype(np.float32)
    x, y = (
        ttnn.to_device(tensor_of(each), ttnn.open_device(device_id=0))
        for each in (given, np.zeros(shape, np.float32))
    )
    with settings.override(target="emu", emu_seed=seed):
        negated(x, y)
    expected = np.zeros(shape, np.float32)
    expected[:, : columns * 32] = -given[:, : columns * 32]
    np.testing.assert_array_equal(values_of(y), expected)
