"""Circular buffers and DST: the functions that move tiles between kernels, and into and out of the registers."""

from __future__ import annotations

from ttl.kernel_api.function_rows import Call
from ttl.kernel_api.rows import fn, row

_PACK = "api/compute/pack.h"
_RECONFIG = "api/compute/reconfig_data_format.h"
_STARTUP = "api/compute/compute_kernel_hw_startup.h"

ROWS: tuple[Call, ...] = (
    row("cb_reserve_back", "cb, pages: index", thread="any", on_buffer="waits", doc="Wait until that many pages are free."),
    row("cb_push_back", "cb, pages: index", thread="any", on_buffer="gives", doc="Hand over pages that were written."),
    row("cb_wait_front", "cb, pages: index", thread="any", on_buffer="waits", doc="Wait until that many pages were handed over."),
    row("cb_pop_front", "cb, pages: index", thread="any", on_buffer="gives", doc="Free pages that were read."),
    row(
        "get_write_ptr", "cb", thread="noc", result="l1", effect="read",
        doc="Address of the first page that is not handed over.",
    ),
    row(
        "get_read_ptr", "cb", thread="noc", result="l1", effect="read",
        doc="Address of the first page that is not freed.",
    ),
    row(
        "get_tile_size", "cb", thread="noc", result="index", effect="pure",
        doc="Bytes of a tile of the buffer's format.",
    ),
    row(
        "tile_regs_acquire", thread="tensix",
        doc="The math thread gets the registers. What nothing has written since is zero to the matrix unit and the "
        "packer, and to the vector unit what earlier programs left.",
    ),
    row("tile_regs_commit", thread="tensix", doc="The math thread hands the registers to the packer."),
    row("tile_regs_wait", thread="tensix", doc="The packer waits for the registers."),
    row("tile_regs_release", thread="tensix", doc="The packer gives the registers back."),
    row(
        "compute_kernel_hw_startup", "in0, in1, out", thread="tensix", header=_STARTUP, configures="startup",
        doc="Once per kernel, first: formats of both sources and of the packer, and synchronisation.",
    ),
    row(
        "matmul_hw_startup", "in0, in1, out",
        old=fn("mm_init", "in0, in1, out"),
        new=fn("compute_kernel_hw_startup", "in0, in1, out", "SrcOrder::Reverse"),
        thread="tensix", header=_STARTUP, old_header="api/compute/matmul.h", configures="startup",
        doc="The same where the first unit is the matrix unit, whose sources are swapped.",
    ),
    row(
        "pack_tile", "d, out, i", fn("pack_tile", "d, out, i", "true"), of_2024=fn("pack_tile", "d, out, i"),
        thread="tensix", header=_PACK,
        doc="A register into page i of the reserved pages.",
    ),
    row(
        "pack_tile_next", "d, out", fn("pack_tile", "d, out"), thread="tensix", header=_PACK,
        doc="A register into the page after the last that was packed.",
    ),
    row(
        "pack_tile_block", "d, out, count: index",
        old=fn("pack_tile_block", "d, out, count"), new=fn("pack_block", "d, out, count"),
        thread="tensix", header=_PACK,
        doc="Consecutive registers into the pages after the last that was packed.",
    ),
    row(
        "pack_reconfig_data_format", "out", thread="tensix",
        header=_RECONFIG, old_header=_PACK, configures="pack",
        doc="The packer writes the format of another buffer.",
    ),
    row(
        "pack_reconfig_l1_acc", "enable: index", thread="tensix", header=_PACK, configures="pack",
        doc="Whether the packer adds to what is in memory.",
    ),
    row(
        "reconfig_data_format", "srca: cb, srcb: cb", thread="tensix", header=_RECONFIG, configures="source",
        doc="The unpackers read the formats of other buffers. The matrix unit has in1 in A, and in0 in B.",
    ),
    row(
        "reconfig_data_format_srca", "srca: cb", thread="tensix", header=_RECONFIG, configures="source",
        doc="The first unpacker reads the format of another buffer.",
    ),
    row(
        "reconfig_data_format_srcb", "srcb: cb", thread="tensix", header=_RECONFIG, configures="source",
        doc="The second unpacker reads the format of another buffer.",
    ),
)  # fmt: skip
