"""Operations on whole lines of tiles: reductions, and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import MappingProxyType

import numpy as np

from tt_model.cost.operations import OperationCall
from tt_model.cost.tensors import is_sharded, shard_grid
from tt_model.emulated.parts import RESULT, SCALER, Core, Matrices, Parts, Share, cores_of_shards, same_shards
from tt_model.layouts.enums import DataType
from tt_model.operations import shared
from tt_model.operations.stages import PerClass
from ttl.emu import rectangle
from ttl.emu.memory import Placed
from ttl.session.patience import Unavailable

# The dimension of a reduction, by whether columns and rows are reduced.
_DIMENSIONS = MappingProxyType(
    {(True, False): "REDUCE_ROW", (False, True): "REDUCE_COL", (True, True): "REDUCE_SCALAR"}
)
_POOLS = PerClass[str](((shared.TTNNSumOp, shared.TTNNMeanOp), "SUM"), (shared.TTNNMaxOp, "MAX"))
_NUMBER, _POWERS = 3, 4


def reduction(call: OperationCall, parts: Parts) -> Placed:
    """Put together a reduction. Raises ``Unavailable``."""
    given, out = call.inputs[0], call.outputs[0]
    pool, rank = _POOLS.of(call.kind), len(given.shape)
    dims = {int(dim) % rank for dim in call.fields.get("dim_arg") or range(rank)}
    columns, rows = rank - 1 in dims, rank - 2 in dims
    if dims - {rank - 1, rank - 2} or pool is None:
        raise Unavailable(f"{call.word} along outer dimensions")
    if is_sharded(given) or is_sharded(out):
        raise Unavailable("reductions of shards")
    mine = Matrices.of(given.shape)
    dimension = _DIMENSIONS[columns, rows]
    if dimension == "REDUCE_COL":
        lines, along, turn = (
            mine.count * mine.columns,
            mine.rows,
            (mine.columns, mine.rows * mine.columns, mine.columns),
        )
    elif dimension == "REDUCE_ROW":
        lines, along, turn = mine.count * mine.rows, mine.columns, (1, mine.columns, 1)
    else:
        lines, along, turn = mine.count, mine.rows * mine.columns, (1, mine.rows * mine.columns, 1)
    result_matrices = Matrices.of(out.shape)
    if result_matrices.tiles != lines:
        raise Unavailable("a reduction whose result is laid out by other dimensions")
    count = prod(given.shape[dim] for dim in dims)
    scaler = 1 / count if call.kind is shared.TTNNMeanOp else 1.0
    if dimension == "REDUCE_SCALAR":
        scaler = scaler**0.5  # the factor is applied once along rows and once along columns
    placed, result = parts.place(given, 0), parts.place(out)
    shares = _shares(lines, call.grid)
    cores = tuple(shares)
    parts.buffer(0, 2, cores, given.data_type)
    parts.buffer(SCALER, 1, cores, given.data_type)
    parts.buffer(RESULT, 2, cores, out.data_type)
    _in(parts, shares, along, turn, placed, piece=1, scaler=scaler, data_type=given.data_type, here=False)
    parts.kernel(
        "reduction", "compute", {core: (count, along) for core, (_, count) in shares.items()},
        defines={"POOL": f"PoolType::{pool}", "DIMENSION": f"ReduceDim::{dimension}"},
        fp32_dst=call.data_type is DataType.Float32,
    )  # fmt: skip
    taken = {
        core: Share(*divmod(first, result_matrices.columns), 0, result_matrices.columns, count)
        for core, (first, count) in shares.items()
    }
    parts.kernel(
        "tiles_out", "brisc", {core: (*share.words, result_matrices.columns, result.address, 1) for core, share in taken.items()},
        defines={"RESULT_HERE": 0}, tensors=[result],
    )  # fmt: skip
    return result


def softmax(call: OperationCall, parts: Parts) -> Placed:
    """Put together a softmax of rows. Raises ``Unavailable``."""
    given, out = call.inputs[0], call.outputs[0]
    if int(call.fields.get("dimension", -1)) % len(out.shape) != len(out.shape) - 1:
        raise Unavailable("softmax along another dimension than the last one")
    mine = Matrices.of(out.shape)
    lines, along = mine.count * mine.rows, mine.columns
    sharded = next((one for one in (out, given) if is_sharded(one)), None)
    shares = _shares(lines, call.grid)
    if sharded is not None:
        high, wide = shard_grid(sharded)
        if wide != 1 or lines % high:
            raise Unavailable("softmax of shards that cut lines")
        cores = cores_of_shards(sharded)
        shares = {core: (number * (lines // high), lines // high) for number, core in enumerate(cores)}
    here, result_here = sharded is not None and same_shards(given, sharded), is_sharded(out)
    # The padding of a row must not count: its exponentials are zero.
    placed, result = parts.place(given, 0, padding=-np.inf), parts.place(out)
    cores = tuple(shares)
    most = max(count for _, count in shares.values()) * along
    parts.buffer(0, most if here else 2 * along, cores, given.data_type, at=placed if here else None)
    parts.buffer(SCALER, 1, cores, given.data_type)
    parts.buffer(_NUMBER, 1, cores, out.data_type)
    parts.buffer(_POWERS, along, cores, out.data_type)
    parts.buffer(
        RESULT, most if result_here else 2 * along, cores, out.data_type, at=result if result_here else None
    )
    _in(
        parts,
        shares,
        along,
        (1, along, 1),
        placed,
        piece=along,
        scaler=1.0,
        data_type=given.data_type,
        here=here,
    )
    wide_registers = out.data_type is DataType.Float32
    parts.kernel(
        "softmax", "compute", {core: (count, along) for core, (_, count) in shares.items()},
        defines={"REGISTERS": 4 if wide_registers else 8}, fp32_dst=wide_registers,
    )  # fmt: skip
    parts.kernel(
        "tiles_out", "brisc",
        {core: (first, 0, 0, along, count * along, along, result.address, along) for core, (first, count) in shares.items()},
        defines={"RESULT_HERE": int(result_here)}, tensors=[result],
    )  # fmt: skip
    return result


def _shares(lines: int, grid: Sequence[int]) -> dict[Core, tuple[int, int]]:
    """The first line and the number of lines of each core that has lines."""
    rows, columns = grid[-2:]
    least, more = divmod(lines, rows * columns)
    shares, first = {}, 0
    for number, core in enumerate(rectangle(columns, rows)):
        count = least + (number < more)
        if count:
            shares[core] = (first, count)
        first += count
    return shares


def _in(
    parts: Parts,
    shares: dict[Core, tuple[int, int]],
    along: int,
    turn: tuple[int, int, int],
    placed: Placed,
    *,
    piece: int,
    scaler: float,
    data_type: DataType,
    here: bool,
) -> None:
    bits = int(np.float32(scaler).view(np.uint32))
    if data_type is DataType.BFloat16:
        bits = bits >> 16 | bits >> 16 << 16
    words = (placed.address, piece, bits)
    parts.kernel(
        "lines_in", "ncrisc", {core: (first, count, along, *turn, *words) for core, (first, count) in shares.items()},
        defines={"HERE": int(here)}, tensors=[placed],
    )  # fmt: skip
