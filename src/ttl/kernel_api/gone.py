"""Functions of 2024-11-21 that no generation of the kernel API has: operations of TT-MLIR's text of that day are calls of them."""

from __future__ import annotations

from ttl.kernel_api.model import Call
from ttl.kernel_api.rows import fn, row

ROWS: tuple[Call, ...] = (
    row(
        "binary_op_init_common", "in0, in1, out", of_2024=fn("binary_op_init_common", "in0, in1, out"),
        thread="tensix", configures="startup", doc="Start the units, for operations on two buffers.",
    ),
    row(
        "unary_op_init_common", "in, out", of_2024=fn("unary_op_init_common", "in, out"),
        thread="tensix", configures="startup", doc="Start the units, for operations on one buffer, and copies.",
    ),
    row(
        "copy_tile_init_of_any", of_2024=fn("copy_tile_init"),
        thread="tensix", configures="math", doc="Before copy_tile, whatever buffer it copies from.",
    ),
    row(
        "mul_tiles_init_f", of_2024=fn("mul_tiles_init_f"),
        thread="tensix", configures="math", doc="Before mul_tiles, the part of the arithmetic.",
    ),
    row(
        "untilize_init", "in, out", of_2024=fn("untilize_init", "in, out"),
        thread="tensix", configures="startup", doc="Before untilize_block; starts the units.",
    ),
    row(
        "untilize_block", "in, count: index, out", of_2024=fn("untilize_block", "in, count, out"),
        thread="tensix", doc="Tiles side by side, as 32 rows of elements into the next pages of another buffer.",
    ),
)  # fmt: skip
