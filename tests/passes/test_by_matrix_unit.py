"""What is combined with a repeated row goes through a buffer where the matrix unit is faster, and L1 has room for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ttl import settings
from ttl.codegen.compile import Compiled, compile_module
from ttl.frontend.file import lower_file

_PROGRAM = """
import ttnn
import ttl


@ttl.operation(grid=(1, 1))
def scale(x, gamma, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, TILES), block_count=1)
    gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, TILES), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, TILES), block_count=1)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk, gamma_dfb.reserve() as gamma_blk:
            ttl.copy(x[0:1, 0:TILES], x_blk).wait()
            ttl.copy(gamma[0:1, 0:TILES], gamma_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, gamma_dfb.wait() as gamma_blk, y_dfb.reserve() as y_blk:
            rows = ttl.block.broadcast(gamma_blk, dims=[0], shape=(1, TILES))
            y_blk.store(EXPRESSION)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0:1, 0:TILES]).wait()


x = ttnn.ones((32, TILES * 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
gamma = ttnn.ones((1, TILES * 32), dtype=ttnn.TYPE, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, TILES * 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
scale(x, gamma, y)
"""


def compiled(folder: Path, expression: str, tiles: int, dtype: str = "bfloat16") -> Compiled:
    program = folder / "program.py"
    text = _PROGRAM.replace("EXPRESSION", expression).replace("TILES", str(tiles)).replace("TYPE", dtype)
    program.write_text(text)
    return compile_module(lower_file(str(program)).module, settings.current(), generation="0.81")


def kernel(found: Compiled) -> str:
    (sources,) = found.sources
    return sources["compute.cpp"]


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        ("ttl.math.exp(x_blk) * rows", "mul_tiles_bcast_rows"),
        ("rows * ttl.math.exp(x_blk)", "mul_tiles_bcast_rows"),
        ("ttl.math.exp(x_blk) + rows", "add_tiles_bcast_rows"),
    ],
)
def test_the_matrix_unit_repeats_a_row_for_what_was_computed(
    tmp_path: Path, expression: str, function: str
) -> None:
    found = compiled(tmp_path, expression, 8)
    assert f"{function}(temporary, gamma_dfb" in kernel(found)
    assert "unary_bcast" not in kernel(found)
    (remark,) = (each for each in found.remarks if "faster than the vector unit" in each.text)
    assert remark.span is not None


@pytest.mark.parametrize(
    ("expression", "tiles", "dtype"),
    [
        pytest.param("ttl.math.exp(x_blk) * rows", 1, "bfloat16", id="one tile: a section more takes longer"),
        pytest.param(
            "ttl.math.exp(x_blk) * rows", 8, "float32", id="elements that the matrix unit would cut"
        ),
        pytest.param(
            "rows - ttl.math.exp(x_blk)", 8, "bfloat16", id="only the right operand can be repeated"
        ),
        pytest.param("ttl.math.exp(x_blk) - rows", 8, "bfloat16", id="one generation has no such difference"),
    ],
)
def test_where_it_cannot_or_gains_nothing_the_vector_unit_does_it(
    tmp_path: Path, expression: str, tiles: int, dtype: str
) -> None:
    found = compiled(tmp_path, expression, tiles, dtype)
    assert "unary_bcast<BroadcastType::ROW>(gamma_dfb" in kernel(found)
    assert not any(each.made_by == "compiler" for each in found.descriptions[0].circular_buffers)


def test_a_buffer_that_only_saves_time_is_left_out_where_l1_is_full(tmp_path: Path) -> None:
    """200 tiles are 1,200 KB in the buffers of the program; 800 KB more do not fit."""
    found = compiled(tmp_path, "ttl.math.exp(x_blk) * rows", 200)
    assert not found.diagnostics
    assert "unary_bcast<BroadcastType::ROW>(gamma_dfb" in kernel(found)
    assert found.descriptions[0].l1_bytes == 3 * 200 * 2048
    assert not any("faster than the vector unit" in each.text for each in found.remarks)
