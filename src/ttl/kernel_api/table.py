"""The table: every row, by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.kernel_api import buffers, compute, debug, fabric, movement, tiles
from ttl.kernel_api.function_rows import Call
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


# The rows by family, as the documentation shows them.
FAMILIES: Mapping[str, tuple[Call, ...]] = MappingProxyType(
    {
        "Circular buffers and registers": buffers.ROWS,
        "Tiles of circular buffers": compute.ROWS,
        "Functions of registers": tiles.ROWS,
        "Data movement and semaphores": movement.ROWS,
        "Other chips": fabric.ROWS,
        "Debugging": debug.ROWS,
    }
)
CALLS: Mapping[str, Call] = MappingProxyType({row.name: row for rows in FAMILIES.values() for row in rows})


# Functions of 2024-11-21 that no generation has.
GONE: Mapping[str, Call] = MappingProxyType({row.name: row for row in ROWS})


def call(name: str) -> Call:
    """The row of a name, also of a function that is gone. Raises KeyError."""
    return GONE[name] if name in GONE else CALLS[name]
