"""Tile functions that read circular buffers, and registers as they are: everything the operation table does not give."""

from __future__ import annotations

from ttl.kernel_api.model import Call
from ttl.kernel_api.rows import row

_BINARY = "api/compute/eltwise_binary.h"
_BCAST = "api/compute/bcast.h"
_MATMUL = "api/compute/matmul.h"
_REDUCE = "api/compute/reduce.h"
_COPY = "api/compute/tile_move_copy.h"
_TRANSPOSE = "api/compute/transpose.h"
_TRANSPOSE_OLD = "api/compute/transpose_wh.h"
_TRANSPOSE_DEST = "api/compute/transpose_dest.h"
_TRANSPOSE_DEST_OLD = "api/compute/transpose_wh_dest.h"
_COMPUTE = "api/compute/compute_kernel_api.h"
_REUSE = "cb, operation: word, reuse: word"
_SHORT = "{operation:ELWADD=add,ELWSUB=sub,ELWMUL=mul}"


def _binary(name: str, what: str) -> tuple[Call, ...]:
    yields = [
        row(
            f"{name}_tiles_init", "in0, in1", old=f"{name}_tiles_init({{in0}}, {{in1}})",
            new=f"{name}_init({{in0}}, {{in1}})", thread="tensix", header=_BINARY, configures="math",
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
                old=f"{name}_tiles_init({{in0}}, {{in1}}, true)", new=f"{name}_init({{in0}}, {{in1}}, true)",
                thread="tensix", header=_BINARY, configures="math",
                doc=f"Before {name}_tiles that add to the register.",
            )
        )  # fmt: skip
    return tuple(yields)


def _broadcast(name: str, dim: str) -> tuple[Call, ...]:
    tiles = f"{name}_tiles_bcast_{dim}"
    old: str | None = f"{name}_bcast_{dim}_init_short"
    if dim == "scalar" and name in ("mul", "sub"):
        old = f"{name}_tiles_bcast_scalar_init_short"
    if (name, dim) == ("sub", "rows"):
        old = None  # it has the tile function, and no init
    return (
        row(
            f"{name}_bcast_{dim}_init", "in0, in1", old=f"{old}({{in0}}, {{in1}})" if old else None,
            new=f"{name}_bcast_{dim}_init({{in0}}, {{in1}})", thread="tensix", header=_BCAST,
            configures="math", doc=f"Before {tiles}.",
        ),
        row(
            tiles, "in0, in1, i, j, d", old=_broadcast_call(tiles, old), new=_broadcast_call(tiles, tiles),
            thread="tensix", header=_BCAST, writes=("d",),
            doc=f"{name} of a tile and the {'first of the ' + dim if dim != 'scalar' else 'first element'} of another.",
        ),
    )  # fmt: skip


def _broadcast_call(tiles: str, known: str | None) -> str | None:
    name, _, dim = tiles.partition("_tiles_bcast_")
    if known is None:
        return None
    spelled = tiles
    if dim == "scalar":
        spelled = f"{name}_tiles_bcast_scalar"
    elif name == "sub" and dim == "rows":
        spelled = "sub_tiles_bcast<BroadcastType::ROW>"
    return f"{spelled}({{in0}}, {{in1}}, {{i}}, {{j}}, {{d}})"


ROWS: tuple[Call, ...] = (
    *_binary("add", "Sum"),
    *_binary("sub", "Difference"),
    *_binary("mul", "Product, added to the register,"),
    *(each for name in ("add", "sub", "mul") for dim in ("rows", "cols", "scalar") for each in _broadcast(name, dim)),
    row(
        "binary_dest_reuse_tiles_init", _REUSE,
        old="binary_dest_reuse_tiles_init<{operation}, {reuse}>({cb})",
        new=f"{_SHORT}_reuse_dest_init<{{reuse}}>({{cb}})",
        thread="tensix", header=_BINARY, configures="math",
        doc="Before binary_dest_reuse_tiles.",
    ),
    row(
        "binary_dest_reuse_tiles", "cb, i, d, operation: word, reuse: word",
        old="binary_dest_reuse_tiles<{operation}, {reuse}>({cb}, {i}, {d})",
        new=f"{_SHORT}_reuse_dest_tiles<{{reuse}}>({{cb}}, {{i}}, {{d}})",
        thread="tensix", header=_BINARY,
        writes=("d",), doc="A register and a tile of a buffer; DEST_TO_SRCA makes the register the left operand.",
    ),
    row(
        "copy_tile_init", "cb", old="copy_tile_to_dst_init_short({cb})", new="copy_init({cb})",
        thread="tensix", header=_COPY, configures="math", doc="Before copy_tile.",
    ),
    row("copy_tile", "cb, i, d", thread="tensix", header=_COPY, writes=("d",), doc="A tile into a register."),
    row(
        "copy_dest_values_init", "", thread="tensix", header="api/compute/copy_dest_values.h",
        configures="sfpu", doc="Before copy_dest_values.",
    ),
    row(
        "copy_dest_values", "d0, d, format: format", "copy_dest_values<{format}>({d0}, {d})",
        thread="tensix", header="api/compute/copy_dest_values.h", vector_reads=("d0",), writes=("d",), doc="A register into another.",
    ),
    row(
        "matmul_init", "in0, in1, transpose: int",
        old="mm_init_short({in0}, {in1}, {transpose})", new="matmul_init({in0}, {in1}, {transpose})",
        thread="tensix", header=_MATMUL, configures="math", doc="Before matmul_tiles.",
    ),
    row(
        "matmul_tiles", "in0, in1, i, j, d", thread="tensix", header=_MATMUL,
        writes=("d",), doc="Product of two tiles, added to a register.",
    ),
    row(
        "matmul_block_init", "in0, in1, transpose: int, ct: int, rt: int, kt: int",
        old="mm_block_init_short({in0}, {in1}, {transpose}, {ct}, {rt}, {kt})",
        new="matmul_block_init({in0}, {in1}, {transpose}, {ct}, {rt}, {kt})",
        thread="tensix", header=_MATMUL, configures="math", doc="Before matmul_block of the same extents.",
    ),
    row(
        "matmul_block", "in0, in1, i, j, d, transpose: int, ct: int, rt: int, kt: int",
        "matmul_block({in0}, {in1}, {i}, {j}, {d}, {transpose}, {ct}, {rt}, {kt})",
        thread="tensix", header=_MATMUL,
        writes=("d",), doc="rt x 1 tiles times 1 x ct tiles, added to rt x ct registers; kt tiles are between rows of in0.",
    ),
    row(
        "reduce_init", "in, scaler, out, pool: word, dim: word",
        "reduce_init<{pool}, {dim}>({in}, {scaler}, {out})",
        thread="tensix", header=_REDUCE, configures="math",
        doc="Before reduce_tile. The packer writes the result's lanes only, until reduce_uninit.",
    ),
    row(
        "reduce_tile", "in, scaler, i, j, d, pool: word, dim: word",
        "reduce_tile<{pool}, {dim}>({in}, {scaler}, {i}, {j}, {d})",
        thread="tensix", header=_REDUCE, writes=("d",), doc="A tile, reduced, times the scaler, added to a register (or maximum).",
    ),
    row("reduce_uninit", "", thread="tensix", header=_REDUCE, configures="math", doc="After reductions."),
    row(
        "row_sum_init", "in, scaler, out",
        old="mm_block_init_short({in}, {scaler}, 1, 1, 1, 1); "
        "PACK((llk_pack_reduce_mask_config<false, ReduceDim::REDUCE_ROW>()))",
        new="reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>({in}, {scaler}, {out})",
        thread="tensix", header=_REDUCE, old_header=_MATMUL, configures="math",
        doc="Before row_sum_tile. The packer writes column 0 only, until row_sum_uninit.",
    ),
    row(
        "row_sum_tile", "in, scaler, i, j, d",
        old="matmul_block({in}, {scaler}, {i}, {j}, {d}, 1, 1, 1, 1)",
        new="reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>({in}, {scaler}, {i}, {j}, {d})",
        thread="tensix", header=_REDUCE, old_header=_MATMUL, writes=("d",),
        doc="The sums of the rows of a tile, times the scaler, added to column 0 of a register, in float32 where the "
        "registers are. The reduce_tile of 0.69 cuts what it has so far to bfloat16 for every tile: there it is a product with "
        "the scaler, transposed.",
    ),
    row(
        "row_sum_uninit", "", old="PACK((llk_pack_reduce_mask_clear()))", new="reduce_uninit()",
        thread="tensix", header=_REDUCE, old_header=_MATMUL, configures="math", doc="After sums of rows.",
    ),
    row(
        "pack_lanes_init", "out, dim: word", old="PACK((llk_pack_reduce_mask_config<false, {dim}>()))",
        new="PACK((llk_pack_reduce_mask_config<{dim}, PackMode::Default>({out})))",
        thread="tensix", header=_REDUCE, configures="lanes",
        doc="The packer writes the lanes of a reduction and zeros beside them: one that the vector unit computes has no init that "
        "does it.",
    ),
    row(
        "pack_lanes_uninit", "", "PACK((llk_pack_reduce_mask_clear()))", thread="tensix", header=_REDUCE,
        configures="lanes", doc="The packer writes all lanes again.",
    ),
    row(
        "unary_bcast_init", "in, out, how: word",
        old="UNPACK((llk_unpack_A_init<{how}, false, EltwiseBinaryReuseDestType::NONE, true>(false, false, {in}))); "
        "MATH((llk_math_eltwise_unary_datacopy_init<A2D, DST_ACCUM_MODE, {how}>({in})))",
        new="unary_bcast_init<{how}>({in})",
        thread="tensix", header=_BCAST, configures="math",
        doc="Before unary_bcast of a buffer that is unpacked to the registers. What 0.69 calls so starts the registers "
        "over: this is the part of it that sets the units up.",
    ),
    row(
        "unary_bcast_init_short", "in, out, how: word",
        old="reconfigure_unary_bcast<BroadcastType::NONE, {how}>({in}, {in}, {out}, {out})",
        new="unary_bcast_init<{how}>({in})",
        thread="tensix", header=_BCAST, configures="math",
        doc="The same, and the registers stay as they are; not for buffers that are unpacked to the registers.",
    ),
    row(
        "unary_bcast", "in, i, d, how: word", "unary_bcast<{how}>({in}, {i}, {d})",
        thread="tensix", header=_BCAST, writes=("d",), doc="The first row, column or element of a tile, repeated.",
    ),
    row(
        "unary_bcast_uninit", "in, how: word", "unary_bcast_uninit<{how}>({in})",
        thread="tensix", header=_BCAST, configures="math", doc="After unary_bcast.",
    ),
    row(
        "transpose_init", "cb", old="transpose_wh_init_short({cb})", new="transpose_init({cb})",
        thread="tensix", header=_TRANSPOSE, old_header=_TRANSPOSE_OLD, configures="math",
        doc="Before transpose_tile.",
    ),
    row(
        "transpose_tile", "cb, i, d", old="transpose_wh_tile({cb}, {i}, {d})", new="transpose_tile({cb}, {i}, {d})",
        thread="tensix", header=_TRANSPOSE, old_header=_TRANSPOSE_OLD, writes=("d",), doc="A tile, transposed, into a register.",
    ),
    row(
        "transpose_dest_init", "is_32bit: bool", old="transpose_wh_dest_init_short<{is_32bit}>()",
        new="transpose_dest_init<{is_32bit}>()", thread="tensix", header=_TRANSPOSE_DEST,
        old_header=_TRANSPOSE_DEST_OLD, configures="math", doc="Before transpose_dest.",
    ),
    row(
        "transpose_dest", "d, is_32bit: bool", old="transpose_wh_dest<{is_32bit}>({d})",
        new="transpose_dest<{is_32bit}>({d})", thread="tensix", header=_TRANSPOSE_DEST,
        old_header=_TRANSPOSE_DEST_OLD, writes=("d",), doc="A register, transposed in place.",
    ),
    row(
        "sfpu_reduce_init", "pool: word, format: format", "sfpu_reduce_init<{pool}, {format}>()",
        thread="tensix", header=_COMPUTE, configures="sfpu", doc="Before sfpu_reduce.",
    ),
    row(
        "sfpu_reduce", "d, pool: word, format: format, dim: word",
        "sfpu_reduce<{pool}, {format}, {dim}>({d})", thread="tensix", header=_COMPUTE,
        vector_reads=("d",), writes=("d",), doc="A register, reduced in place along columns, or along rows for sums and maxima.",
    ),
)  # fmt: skip
