"""Tile functions that read circular buffers, and registers themselves: all functions that the operation table does not have."""

from __future__ import annotations

from ttl.kernel_api.function_rows import Call
from ttl.kernel_api.rows import fn, row

_BINARY = "api/compute/eltwise_binary.h"
_BCAST = "api/compute/bcast.h"
_MATMUL = "api/compute/matmul.h"
_REDUCE = "api/compute/reduce.h"
_COPY = "api/compute/tile_move_copy.h"
_TILIZE = "api/compute/tilize.h"
_UNTILIZE = "api/compute/pack_untilize.h"
_TRANSPOSE = "api/compute/transpose.h"
_TRANSPOSE_OLD = "api/compute/transpose_wh.h"
_TRANSPOSE_DEST = "api/compute/transpose_dest.h"
_TRANSPOSE_DEST_OLD = "api/compute/transpose_wh_dest.h"
_REUSE = "cb, operation: word, reuse: word"
_BY_OPERATION = (
    "operation",
    {f"EltwiseBinaryType::ELW{name.upper()}": name for name in ("add", "sub", "mul")},
)


def _binary(name: str, what: str) -> tuple[Call, ...]:
    yields = [
        row(
            f"{name}_tiles_init", "in0, in1", old=fn(f"{name}_tiles_init", "in0, in1"),
            new=fn(f"{name}_init", "in0, in1"), thread="tensix", header=_BINARY, configures="math",
            doc=f"Before {name}_tiles.",
        ),
        row(
            f"{name}_tiles", "in0, in1, i, j, d", thread="tensix", header=_BINARY, writes=("d",),
            doc=f"{what} of tile i of one buffer and tile j of another.",
        ),
    ]  # fmt: skip
    if name != "mul":
        yields.append(
            row(
                f"{name}_tiles_accumulate_init", "in0, in1",
                old=fn(f"{name}_tiles_init", "in0, in1, true"), new=fn(f"{name}_init", "in0, in1, true"),
                thread="tensix", header=_BINARY, configures="math",
                doc=f"Before {name}_tiles that add to the register.",
            )
        )  # fmt: skip
    return tuple(yields)


def _broadcast(name: str, dim: str) -> tuple[Call, ...]:
    tiles = f"{name}_tiles_bcast_{dim}"
    old: str | None = f"{name}_bcast_{dim}_init_short"
    operands = "in0, in1, i, j, d"
    function = fn(tiles, operands)
    if dim == "scalar" and name in ("mul", "sub"):
        old = f"{name}_tiles_bcast_scalar_init_short"
    if (name, dim) == ("sub", "rows"):
        # It has the tile function, and no init.
        old, function = None, fn("sub_tiles_bcast", operands, "BroadcastType::ROW")
    return (
        row(
            f"{name}_bcast_{dim}_init", "in0, in1", old=fn(old, "in0, in1") if old else None,
            new=fn(f"{name}_bcast_{dim}_init", "in0, in1"), thread="tensix", header=_BCAST,
            configures="math", doc=f"Before {tiles}.",
        ),
        row(
            tiles, operands, old=function if old else None, new=function,
            thread="tensix", header=_BCAST, writes=("d",),
            doc=f"{name} of a tile and the {'first of the ' + dim if dim != 'scalar' else 'first element'} of another.",
        ),
    )  # fmt: skip


ROWS: tuple[Call, ...] = (
    *_binary("add", "Sum"),
    *_binary("sub", "Difference"),
    *_binary("mul", "Product, added to the register,"),
    *(call for name in ("add", "sub", "mul") for dim in ("rows", "cols", "scalar") for call in _broadcast(name, dim)),
    row(
        "binary_dest_reuse_tiles_init", _REUSE,
        old=fn("binary_dest_reuse_tiles_init", "cb", "operation, reuse")
        + fn("llk_unpack_A_uninit", "cb", "BroadcastType::ROW", by="UNPACK"),
        new=fn("_reuse_dest_init", "cb", "reuse", chosen_by=_BY_OPERATION),
        thread="tensix", header=_BINARY, configures="math",
        doc="Before binary_dest_reuse_tiles. In 0.69 the second unpacker, which fills source register B where the register of DST becomes A, "
        "keeps on unpacking as much as a reduction or product before it took: it is set to faces again.",
    ),
    row(
        "binary_dest_reuse_tiles", "cb, i, d, operation: word, reuse: word",
        old=fn("binary_dest_reuse_tiles", "cb, i, d", "operation, reuse"),
        new=fn("_reuse_dest_tiles", "cb, i, d", "reuse", chosen_by=_BY_OPERATION),
        thread="tensix", header=_BINARY,
        writes=("d",), doc="A register and a tile of a buffer; DEST_TO_SRCA makes the register the left operand.",
    ),
    row(
        "copy_tile_init", "cb", old=fn("copy_tile_to_dst_init_short", "cb"), new=fn("copy_init", "cb"),
        thread="tensix", header=_COPY, configures="math", doc="Before copy_tile.",
    ),
    row("copy_tile", "cb, i, d", thread="tensix", header=_COPY, writes=("d",), doc="A tile into a register."),
    row(
        "copy_dest_values_init", "", thread="tensix", header="api/compute/copy_dest_values.h",
        configures="sfpu", doc="Before copy_dest_values.",
    ),
    row(
        "copy_dest_values", "d0, d, format: format", fn("copy_dest_values", "d0, d", "format"),
        thread="tensix", header="api/compute/copy_dest_values.h", vector_reads=("d0",), writes=("d",), doc="A register into another.",
    ),
    row(
        "matmul_init", "in0, in1, transpose: int",
        old=fn("mm_init_short", "in0, in1, transpose"), new=fn("matmul_init", "in0, in1, transpose"),
        thread="tensix", header=_MATMUL, configures="math", doc="Before matmul_tiles.",
    ),
    row(
        "matmul_tiles", "in0, in1, i, j, d", thread="tensix", header=_MATMUL,
        writes=("d",), doc="Product of two tiles, added to a register.",
    ),
    row(
        "matmul_block_init", "in0, in1, transpose: int, ct: int, rt: int, kt: int",
        old=fn("mm_block_init_short", "in0, in1, transpose, ct, rt, kt"),
        new=fn("matmul_block_init", "in0, in1, transpose, ct, rt, kt"),
        thread="tensix", header=_MATMUL, configures="math", doc="Before matmul_block of the same extents.",
    ),
    row(
        "matmul_block", "in0, in1, i, j, d, transpose: int, ct: int, rt: int, kt: int",
        fn("matmul_block", "in0, in1, i, j, d, transpose, ct, rt, kt"),
        thread="tensix", header=_MATMUL,
        writes=("d",), doc="rt x 1 tiles times 1 x ct tiles, added to rt x ct registers; kt tiles are between rows of in0.",
    ),
    row(
        "reduce_init", "in, scaler, out, pool: word, dim: word",
        fn("reduce_init", "in, scaler, out", "pool, dim"),
        of_2024=fn("reduce_init", "in, scaler, out", "true, pool, dim"),
        thread="tensix", header=_REDUCE, configures="math",
        doc="Before reduce_tile. The packer writes the result's lanes only, until reduce_uninit.",
    ),
    row(
        "reduce_tile", "in, scaler, i, j, d, pool: word, dim: word",
        fn("reduce_tile", "in, scaler, i, j, d", "pool, dim"),
        of_2024=fn("reduce_tile", "in, scaler, i, j, d", "pool, dim"),
        thread="tensix", header=_REDUCE, writes=("d",), doc="A tile, reduced, times the scaler, added to a register (or maximum).",
    ),
    row("reduce_uninit", "", thread="tensix", header=_REDUCE, configures="math", doc="After reductions."),
    row(
        "row_sum_init", "in, scaler, out",
        old=fn("mm_block_init_short", "in, scaler, 1, 1, 1, 1")
        + fn("llk_pack_reduce_mask_config", "", "false, ReduceDim::REDUCE_ROW", by="PACK"),
        new=fn("reduce_init", "in, scaler, out", "PoolType::SUM, ReduceDim::REDUCE_ROW"),
        thread="tensix", header=_REDUCE, old_header=_MATMUL, configures="math",
        doc="Before row_sum_tile. The packer writes column 0 only, until row_sum_uninit.",
    ),
    row(
        "row_sum_tile", "in, scaler, i, j, d",
        old=fn("matmul_block", "in, scaler, i, j, d, 1, 1, 1, 1"),
        new=fn("reduce_tile", "in, scaler, i, j, d", "PoolType::SUM, ReduceDim::REDUCE_ROW"),
        thread="tensix", header=_REDUCE, old_header=_MATMUL, writes=("d",),
        doc="The sums of the rows of a tile, times the scaler, added to column 0 of a register, in float32 where the "
        "registers are. The reduce_tile of 0.69 cuts what it has so far to bfloat16 for every tile: there it is a product with "
        "the scaler, transposed.",
    ),
    row(
        "row_sum_uninit", "", old=fn("llk_pack_reduce_mask_clear", by="PACK"), new=fn("reduce_uninit"),
        thread="tensix", header=_REDUCE, old_header=_MATMUL, configures="math", doc="After sums of rows.",
    ),
    row(
        "pack_lanes_init", "out, dim: word", old=fn("llk_pack_reduce_mask_config", "", "false, dim", by="PACK"),
        new=fn("llk_pack_reduce_mask_config", "out", "dim, PackMode::Default", by="PACK"),
        thread="tensix", header=_REDUCE, configures="lanes",
        doc="The packer writes the lanes of a reduction and zeros beside them: one that the vector unit computes has no init that "
        "does it.",
    ),
    row(
        "pack_lanes_uninit", "", fn("llk_pack_reduce_mask_clear", by="PACK"), thread="tensix", header=_REDUCE,
        configures="lanes", doc="The packer writes all lanes again.",
    ),
    row(
        "unary_bcast_direct_init", "in, out, how: word",
        old=fn("llk_unpack_A_init", "false, false, in", "how, false, EltwiseBinaryReuseDestType::NONE, true", by="UNPACK")
        + fn("llk_math_eltwise_unary_datacopy_init", "in", "A2D, DST_ACCUM_MODE, how", by="MATH"),
        new=fn("unary_bcast_init", "in", "how"),
        thread="tensix", header=_BCAST, configures="math",
        doc="Before unary_bcast_direct. What 0.69 calls so starts the registers "
        "over: this is the part of it that sets the units up.",
    ),
    row(
        "unary_bcast_init", "in, out, how: word",
        old=fn("reconfigure_unary_bcast", "in, in, out, out", "BroadcastType::NONE, how"),
        new=fn("unary_bcast_init", "in", "how"),
        thread="tensix", header=_BCAST, configures="math",
        doc="Before unary_bcast, of buffers that are not unpacked to the registers.",
    ),
    row(
        "unary_bcast", "in, i, d, how: word", fn("unary_bcast", "in, i, d", "how"),
        thread="tensix", header=_BCAST, writes=("d",), doc="The first row, column or element of a tile, repeated.",
    ),
    row(
        "unary_bcast_direct", "in, i, d, how: word",
        old=fn("math::set_dst_write_addr", "d", "DstTileShape::Tile32x32, UnpackDestination::SrcRegs", by="MATH")
        + fn("unary_bcast", "in, i, d", "how"),
        new=fn("unary_bcast", "in, i, d", "how"),
        thread="tensix", header=_BCAST, writes=("d",),
        doc="The same of a buffer that is unpacked to the registers. In 0.69 the mathematics repeats a row where an earlier call "
        "left its place in the registers: `_llk_math_eltwise_unary_datacopy_` gives this one to the unpacker alone.",
    ),
    row(
        "unary_bcast_uninit", "in, how: word", fn("unary_bcast_uninit", "in", "how"),
        thread="tensix", header=_BCAST, configures="math", doc="After unary_bcast.",
    ),
    row(
        "unary_bcast_direct_uninit", "in, how: word", old=(), new=fn("unary_bcast_uninit", "in", "how"),
        thread="tensix", header=_BCAST, configures="math",
        doc="After unary_bcast_direct. In 0.69 the mathematics would clear a bit that the unpacker sets in the init, and perhaps has "
        "set already for what comes next; it stays set, as it does after every copy of such a buffer.",
    ),
    row(
        "transpose_init", "cb", old=fn("transpose_wh_init_short", "cb"), new=fn("transpose_init", "cb"),
        thread="tensix", header=_TRANSPOSE, old_header=_TRANSPOSE_OLD, configures="math",
        doc="Before transpose_tile.",
    ),
    row(
        "transpose_tile", "cb, i, d", old=fn("transpose_wh_tile", "cb, i, d"), new=fn("transpose_tile", "cb, i, d"),
        thread="tensix", header=_TRANSPOSE, old_header=_TRANSPOSE_OLD, writes=("d",), doc="A tile, transposed, into a register.",
    ),
    row(
        "transpose_dest_init", "is_32bit: bool", old=fn("transpose_wh_dest_init_short", "", "is_32bit"),
        new=fn("transpose_dest_init", "", "is_32bit"), thread="tensix", header=_TRANSPOSE_DEST,
        old_header=_TRANSPOSE_DEST_OLD, configures="math", doc="Before transpose_dest.",
    ),
    row(
        "transpose_dest", "d, is_32bit: bool", old=fn("transpose_wh_dest", "d", "is_32bit"),
        new=fn("transpose_dest", "d", "is_32bit"), thread="tensix", header=_TRANSPOSE_DEST,
        old_header=_TRANSPOSE_DEST_OLD, writes=("d",), doc="A register, transposed in place.",
    ),
    row(
        "tilize_init", "in, count: index, out", thread="tensix", header=_TILIZE, configures="math",
        doc="Before tilize_block of as many tiles.",
    ),
    row(
        "tilize_block", "in, count: index, out", thread="tensix", header=_TILIZE,
        doc="32 rows of elements of one buffer, as tiles side by side into the next pages of another.",
    ),
    row(
        "pack_untilize_init", "in, out, width: int, full: int", fn("pack_untilize_init", "in, out", "width, full"),
        thread="tensix", header=_UNTILIZE, configures="pack",
        doc="Before pack_untilize_block of as many of the tiles that are side by side.",
    ),
    row(
        "pack_untilize_block", "in, out, column: index, width: int, full: int",
        fn("pack_untilize_block", "in, 1, out, column", "width, full"), thread="tensix", header=_UNTILIZE,
        doc="The first tiles of a buffer as part of 32 rows of elements; column counts parts.",
    ),
    row(
        "pack_untilize_uninit", "out", thread="tensix", header=_UNTILIZE, configures="pack",
        doc="After pack_untilize_block.",
    ),
)  # fmt: skip
