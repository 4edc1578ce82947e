"""TT-NN's own kernels that make tiles out of rows and rows out of tiles, as the published wheels have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from emu.test_published_kernels import Parts, both, given, shares
from ttl.rows.row import Generation

pytestmark = pytest.mark.headers
TILIZE = "data_movement/tilize/device/kernels"
UNTILIZE = "data_movement/untilize/device/kernels"
UNARY = "eltwise/unary/device/kernels"
# Rows of tiles, one for each node, and how many tiles there are in each.
HEIGHT, WIDTHS = 4, (1, 3, 10)
READ_ROWS = """#include "experimental/kernel_args.h"
namespace args {
constexpr experimental::RtaArg<uint32_t> num_sticks{0}, num_tiles_per_block{4}, block_width_size{8}, num_full_blocks_in_row{12}, start_stick_id{16};
constexpr experimental::CtaVal<uint32_t> tile_height{32};
}
namespace dfb {
constexpr uint32_t in = 0;
}
namespace tensor {
constexpr tensor_accessor::TensorBindingToken<0, 0> src{};
}
"""


def write_rows(width: int) -> str:
    """The arguments of the writer of rows, with the names that the host gives them."""
    values = {
        "tile_height": 32, "num_blocks_across_height": HEIGHT, "num_output_columns_of_blocks": 1,
        "num_blocks_per_output_column_row": 1, "num_tiles_per_output_block": width,
        "output_single_block_width_size": 64 * width,
    }  # fmt: skip
    named = "".join(
        f"constexpr experimental::CtaVal<uint32_t> {name}{{{value}}};" for name, value in values.items()
    )
    return f"""#include "experimental/kernel_args.h"
namespace args {{
{named}
}}
namespace dfb {{
constexpr uint32_t out = 16;
}}
namespace tensor {{
constexpr tensor_accessor::TensorBindingToken<0, 0> dst{{}};
}}
"""


@both
@pytest.mark.parametrize("width", WIDTHS)
def test_rows_become_tiles(generation: Generation, width: int) -> None:
    a = given(32 * HEIGHT, 32 * width)
    parts = Parts(generation, a, 0 * a, rows=(0,))
    source, out = parts.tensors
    split = shares(HEIGHT)
    rows = {core: (32 * count, width, 64 * width, 1, 32 * first) for core, (first, count) in split.items()}
    options: dict[str, Any] = {
        "compile_time_args": (0, *source.accessor),
        "args": {core: (source.address, n, 0, *more[:3], 0, 0, more[3]) for core, (n, *more) in rows.items()},
    }
    if generation == "0.81":
        options = {"compile_time_args": source.accessor, "args": rows}
        options |= {"bindings": READ_ROWS, "common_args": (source.address,)}
    parts.kernel(
        f"{TILIZE}/dataflow/reader_unary_stick_layout_split_rows_singlecore.cpp", "ncrisc", **options
    )
    parts.kernel(f"{TILIZE}/compute/tilize.cpp", "compute", compile_time_args=(0, 16, 1, width))
    tiles = {core: (width * first, width * count) for core, (first, count) in split.items()}
    parts.writer(out, 16, tiles)
    np.testing.assert_array_equal(parts.run((0, 16), pages=2 * width), a)


@both
@pytest.mark.parametrize("width", WIDTHS)
def test_tiles_become_rows(generation: Generation, width: int) -> None:
    a = given(32 * HEIGHT, 32 * width)
    parts = Parts(generation, a, 0 * a, rows=(1,))
    source, out = parts.tensors
    (core, *_) = shares(HEIGHT)
    alone = {"cores": (core,)}
    parts.kernel(
        f"{UNARY}/dataflow/reader_unary_interleaved_start_id.cpp", "ncrisc", compile_time_args=source.accessor,
        args={core: (source.address, HEIGHT * width, 0)}, **alone,
    )  # fmt: skip
    parts.kernel(
        f"{UNTILIZE}/compute/untilize.cpp", "compute", compile_time_args=(HEIGHT, width, 0, 16), **alone
    )
    options: dict[str, Any] = {
        "compile_time_args": (16, 64 * width, 32, HEIGHT, 1, 1, width, 64 * width, *out.accessor),
        "args": {core: (out.address,)},
    }
    if generation == "0.81":
        options = {
            "compile_time_args": out.accessor,
            "common_args": (out.address,),
            "bindings": write_rows(width),
        }
    parts.kernel(
        f"{UNTILIZE}/dataflow/writer_unary_stick_layout_split_rows_single_core.cpp",
        "brisc",
        **options,
        **alone,
    )
    np.testing.assert_array_equal(parts.run((0, 16), pages=2 * width), a)
