"""Operations of TT-NN as its own kernels do them.

What a host program of TT-NN would pass (arguments, defines, circular buffers) is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from ttl.arch import Chip
from ttl.emu import ChipRun, ChipSemaphore, rectangle
from ttl.emu.memory import Placed
from ttl.host.tensor import Tensor

from wheel import Core, Parts

_BINARY = "eltwise/binary/device/kernels"
_UNARY = "eltwise/unary/device/kernels"
_MATMUL = "matmul/device/kernels"


def split(tiles: int, cores: Sequence[Core]) -> dict[Core, tuple[int, int]]:
    """First tile and number of tiles of every core, those with one more first."""
    each, more = divmod(tiles, len(cores))
    found, first = {}, 0
    for number, core in enumerate(cores):
        count = each + (number < more)
        found[core] = (first, count)
        first += count
    return found


_BINARIES = {
    "add": ("add_tiles", "EltwiseBinaryType::ELWADD"),
    "mul": ("mul_tiles", "EltwiseBinaryType::ELWMUL"),
}


def binary(
    chip: Chip,
    name: str,
    tiles: int,
    cores: Sequence[Core],
    *,
    sharded: bool = False,
    values: tuple[Any, Any] | None = None,
) -> tuple[ChipRun, Tensor | None]:
    """``a + b`` or ``a * b``, tile by tile: interleaved in DRAM, or in the L1 of the nodes that compute it."""
    parts = Parts(chip=chip)
    shares = split(tiles, cores)
    call, kind = _BINARIES[name]
    pages = max(count for _, count in shares.values()) if sharded else 2
    for index in (0, 1, 2):
        parts.buffer(index, pages, cores)
    out: Placed | None = None
    words: tuple[int, ...] = ()
    addresses, out_address = (0, 0), 0
    out_words: tuple[int, ...] = ()
    if not sharded:
        given = values or (np.zeros((32, 32 * tiles)), np.zeros((32, 32 * tiles)))
        a, b = (parts.place(each) for each in given)
        out = parts.place(np.zeros(np.shape(given[0])))
        words = (*a.accessor, *b.accessor)
        addresses, out_address, out_words = (a.address, b.address), out.address, out.accessor
    defines = {"IN0_SHARDED": "1", "IN1_SHARDED": "1"} if sharded else {}
    parts.kernel(
        "reader", f"{_BINARY}/dataflow/reader_binary_interleaved_start_id.cpp", "ncrisc", cores,
        compile_time_args=(0, *words), defines=defines,
        args={core: (*addresses, count, first, 0, 0, 0) for core, (first, count) in shares.items()},
    )  # fmt: skip
    parts.kernel(
        "compute", f"{_BINARY}/compute/eltwise_binary_kernel.cpp", "compute", cores,
        defines={"ELTWISE_OP": call, "ELTWISE_OP_TYPE": kind},
        args={core: (count, 1) for core, (_, count) in shares.items()},
    )  # fmt: skip
    parts.kernel(
        "writer", f"{_UNARY}/dataflow/writer_unary_interleaved_start_id.cpp", "brisc", cores,
        compile_time_args=(2, *out_words), defines={"OUT_SHARDED": "1"} if sharded else {},
        args={core: (out_address, count, first) for core, (first, count) in shares.items()},
    )  # fmt: skip
    run = parts.run()
    return run, None if out is None else out.tensor


def unary(chip: Chip, chain: str, tiles: int, cores: Sequence[Core]) -> ChipRun:
    """A chain of functions of the vector unit; every node has the same number of tiles."""
    parts = Parts(chip=chip)
    each = tiles // len(cores)
    for index in (0, 2):
        parts.buffer(index, 2, cores)
    a, out = (parts.place(np.zeros((32, 32 * tiles))) for _ in range(2))
    parts.kernel(
        "reader", f"{_UNARY}/dataflow/reader_unary_interleaved_start_id.cpp", "ncrisc", cores,
        compile_time_args=a.accessor,
        args={core: (a.address, each, number * each) for number, core in enumerate(cores)},
    )  # fmt: skip
    parts.kernel(
        "compute", f"{_UNARY}/compute/eltwise_sfpu.cpp", "compute", cores, compile_time_args=(each, 1),
        defines={"SFPU_OP_CHAIN_0": chain, "SFPU_OP_RELU_FAMILY_INCLUDE": "1"},
    )  # fmt: skip
    parts.kernel(
        "writer", f"{_UNARY}/dataflow/writer_unary_interleaved_start_id.cpp", "brisc", cores,
        compile_time_args=(2, *out.accessor),
        args={core: (out.address, each, number * each) for number, core in enumerate(cores)},
    )  # fmt: skip
    return parts.run()


def matmul(
    chip: Chip, size: tuple[int, int, int], cores: Sequence[Core], values: tuple[Any, Any] | None = None
) -> tuple[ChipRun, Tensor]:
    """``a @ b``: every node reads the tiles of its part of the result from DRAM, one by one (``bmm``)."""
    m, k, n = size
    mt, kt, nt = m // 32, k // 32, n // 32
    parts = Parts(chip=chip)
    for index in (0, 1, 16):
        parts.buffer(index, 2, cores)
    given = values or (np.zeros((m, k)), np.zeros((k, n)))
    a, b = (parts.place(each) for each in given)
    out = parts.place(np.zeros((m, n)))
    shares = split(mt * nt, cores)
    names = {"cb_in0": 0, "cb_in1": 1, "cb_out": 16}
    parts.kernel(
        "reader", f"{_MATMUL}/dataflow/reader_bmm_8bank_output_tiles_partitioned.cpp", "ncrisc", cores,
        compile_time_args=(0, 0, *a.accessor, *b.accessor), named_args=names,
        args={
            core: (a.address, b.address, mt, kt, nt, mt * kt, kt * nt, 1, 1, first, count, mt * nt)
            for core, (first, count) in shares.items()
        },
    )  # fmt: skip
    for count in sorted({count for _, count in shares.values()}):
        own = [core for core in cores if shares[core][1] == count]
        parts.kernel(
            f"compute{count}", f"{_MATMUL}/compute/bmm.cpp", "compute", own, compile_time_args=(1, 1, kt, count),
            named_args=names,
        )  # fmt: skip
    parts.kernel(
        "writer", f"{_UNARY}/dataflow/writer_unary_interleaved_start_id.cpp", "brisc", cores,
        compile_time_args=(16, *out.accessor), named_args=names,
        args={core: (out.address, count, first) for core, (first, count) in shares.items()},
    )  # fmt: skip
    return parts.run(), out.tensor


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """How a product is cut: tiles of a node's part of the result, of a block along K, of a sub-block in DST."""

    m: int
    n: int
    k: int
    sub_m: int
    sub_n: int


def matmul_multicast(
    chip: Chip,
    size: tuple[int, int, int],
    grid: tuple[int, int],
    blocks: Blocks,
    *,
    fidelity: Any = "HiFi4",
    values: tuple[Any, Any] | None = None,
) -> tuple[ChipRun, Tensor]:
    """``a @ b`` with every block read once: the first column sends rows of ``a``, the first row columns of ``b``.

    TT-NN's two-dimensional multicast: ``a`` goes over NoC 1, ``b`` and the result over NoC 0. Of the nodes that only
    receive, the right half has its kernels on the other NoC each (``in0_receiver_other_noc`` and
    ``in1_receiver_writer_other_noc`` in TT-NN's library), and so sends its results over NoC 1.
    """
    (m, k, n), (columns, rows) = size, grid
    mt, kt, nt = m // 32, k // 32, n // 32
    assert (mt, nt) == (rows * blocks.m, columns * blocks.n) and kt % blocks.k == 0
    parts = Parts(chip=chip)
    cores = rectangle(columns, rows)
    turns = kt // blocks.k
    tiles_a, tiles_b, tiles_out = blocks.m * blocks.k, blocks.n * blocks.k, blocks.m * blocks.n
    sub = blocks.sub_m * blocks.sub_n
    for index, pages in ((0, 2 * tiles_a), (1, 2 * tiles_b), (4, tiles_out), (5, tiles_out)):
        parts.buffer(index, pages, cores)
    parts.semaphores = [ChipSemaphore(id=number, cores=cores) for number in range(4)]
    given = values or (np.zeros((m, k)), np.zeros((k, n)))
    a, b = (parts.place(each) for each in given)
    out = parts.place(np.zeros((m, n)))
    names = {"cb_in0": 0, "cb_in1": 1, "cb_out": 4, "cb_intermed0": 5, "cb_sparsity": 7, "cb_in0_transposed": 0,
             "cb_in0_sharded": 2}  # fmt: skip
    node = parts.memory.chip.node
    result = {(x, y): y * blocks.m * nt + x * blocks.n for x, y in cores}
    high, wide = blocks.m // blocks.sub_m, blocks.n // blocks.sub_n
    strides = (
        1,
        nt,
        blocks.sub_n,
        blocks.sub_m * nt,
        blocks.n,
        blocks.m * nt,
        blocks.sub_n,
        blocks.sub_m,
        sub,
    )

    right = {(x, y) for x, y in cores if x > columns // 2 and y > 0}
    first_column, others = [core for core in cores if core[0] == 0], [core for core in cores if core[0] > 0]
    parts.kernel(
        "send_a", f"{_MATMUL}/dataflow/reader_bmm_tile_layout_in0_sender_padding.cpp", "ncrisc", first_column, noc=1,
        compile_time_args=(
            1, kt, blocks.k, blocks.m * kt, blocks.k, blocks.m, tiles_a, 0, 0, 0, 0, 0, turns, 1, 1, 0, 1,
            columns - 1, columns - 1, mt * kt, 1, 1, 0, 0, 0, 1, 0, 0, *a.accessor, *a.accessor,
        ),
        named_args=names,
        args={
            (x, y): (a.address, y * blocks.m * kt, *node(columns - 1, y), *node(1, y), blocks.m, 0)
            for x, y in first_column
        },
    )  # fmt: skip
    for noc, receivers in ((1, [each for each in others if each not in right]), (0, sorted(right))):
        parts.kernel(
            f"receive_a_{noc}", f"{_MATMUL}/dataflow/reader_bmm_tile_layout_in0_receiver.cpp", "ncrisc", receivers, noc=noc,
            compile_time_args=(tiles_a, turns, 1, 1, 0, 1, 1, 0), named_args=names,
            args={(x, y): node(0, y) for x, y in receivers},
        )  # fmt: skip
    first_row, below = [core for core in cores if core[1] == 0], [core for core in cores if core[1] > 0]
    parts.kernel(
        "send_b", f"{_MATMUL}/dataflow/reader_bmm_tile_layout_in1_sender_writer_padding.cpp", "brisc", first_row,
        noc=0, named_args=names,
        compile_time_args=(
            1, nt, blocks.k * nt, blocks.n, blocks.n, blocks.k, tiles_b, turns, 1, 1, 2, 3, rows - 1, rows - 1,
            kt * nt, 1, 1, 0, 0, *strides, mt * nt, 0, 0, 0, *b.accessor, *b.accessor, *out.accessor,
        ),
        args={
            (x, y): (
                b.address, x * blocks.n, *node(x, 1), *node(x, rows - 1), 0, out.address, result[x, y], blocks.n, high,
                blocks.sub_m, 0, wide, wide, blocks.sub_n, 0, 0, 0, 0, 1,
            )
            for x, y in first_row
        },
    )  # fmt: skip
    for noc, receivers in ((0, [each for each in below if each not in right]), (1, sorted(right))):
        parts.kernel(
            f"receive_b_{noc}", f"{_MATMUL}/dataflow/reader_bmm_tile_layout_in1_receiver_writer_padding.cpp", "brisc",
            receivers, noc=noc, named_args=names,
            compile_time_args=(tiles_b, turns, 1, 1, 2, 3, 1, *strides, mt * nt, 0, 0, *out.accessor),
            args={
                (x, y): (
                    *node(x, 0), out.address, result[x, y], high, high, blocks.sub_m, 0, wide, wide, blocks.sub_n, 0, 0,
                    1, 1,
                )
                for x, y in receivers
            },
        )  # fmt: skip
    parts.kernel(
        "compute", f"{_MATMUL}/compute/bmm_large_block_zm_fused_bias_activation.cpp", "compute", cores,
        compile_time_args=(
            blocks.k, high, tiles_a, blocks.sub_m * blocks.k, wide, tiles_b, blocks.n, turns, 1, 1, blocks.sub_m,
            blocks.sub_n, sub, 1, tiles_out, 0, 0, 0,
        ),
        named_args=names, fidelity=fidelity,
    )  # fmt: skip
    return parts.run(), out.tensor


_ONE = 0x3F803F80  # two bfloat16 ones


Between = Literal["bfloat16", "float32"]
"""What kernels keep between two computations; with float32, registers are as wide and hold half as many tiles."""


def _block(wide: int, between: Between) -> int:
    """Tiles of a row that TT-NN's kernels hand over together: as many as registers hold, of those that divide it."""
    most = 8 if between == "bfloat16" else 4
    return next(count for count in (8, 4, 2, 1) if count <= most and wide % count == 0)


def softmax(
    chip: Chip,
    size: tuple[int, int],
    cores: Sequence[Core],
    values: Any = None,
    *,
    fidelity: Any = "HiFi4",
    between: Between = "bfloat16",
) -> tuple[ChipRun, Tensor]:
    """Softmax of rows, the largest element subtracted first; a node has whole rows of tiles."""
    rows, columns = size
    wide = columns // 32
    block = _block(wide, between)
    parts = Parts(chip=chip)
    pages = {0: 2 * wide, 2: 1, 5: 1, 6: wide, 7: 1, 8: 1, 10: wide, 11: 2 * block}
    for index, count in pages.items():
        parts.buffer(index, count, cores, dtype=between if index in (6, 7, 8) else "bfloat16")
    x = parts.place(np.zeros(size) if values is None else values)
    out = parts.place(np.zeros(size))
    shares = split(rows // 32, cores)
    folder = "normalization/softmax/device/kernels/attention"
    parts.kernel(
        "reader", f"{folder}/dataflow/reader_unary_interleaved_sm.cpp", "ncrisc", cores,
        compile_time_args=x.accessor,
        args={
            core: (x.address, block, 0, count, first * wide, wide, 0, 0, 0, 0, _ONE)
            for core, (first, count) in shares.items()
        },
    )  # fmt: skip
    parts.kernel(
        "compute", f"{folder}/compute/softmax.cpp", "compute", cores, fidelity=fidelity, fp32_dst=between == "float32",
        defines={"NUMERIC_STABLE": "1", "EXP_APPROX": "0", "ENABLE_FP32_DEST_ACC": str(int(between == "float32"))},
        args={core: (count, 1, wide, block, 0, 0) for core, (_, count) in shares.items()},
    )  # fmt: skip
    parts.kernel(
        "writer", f"{folder}/dataflow/writer_unary_interleaved_start_id_blocked_sm.cpp", "brisc", cores,
        compile_time_args=(0, 1024, *out.accessor),
        args={
            core: (out.address, count * wide, first * wide, block, 0) for core, (first, count) in shares.items()
        },
    )  # fmt: skip
    return parts.run(), out.tensor


def layernorm(
    chip: Chip,
    size: tuple[int, int],
    cores: Sequence[Core],
    values: Any = None,
    *,
    between: Between = "bfloat16",
) -> tuple[ChipRun, Tensor]:
    """Normalisation of rows with a gain and an offset; a node has whole rows of tiles."""
    rows, columns = size
    wide = columns // 32
    block = _block(wide, between)
    parts = Parts(chip=chip)
    names = {"cb_in": 0, "cb_inb": 1, "cb_scaler": 2, "cb_eps": 3, "cb_gamma": 5, "cb_beta": 6, "cb_out": 16, "cb_ex": 18,
             "cb_ex2": 19, "cb_xmm2": 20, "cb_ex2pe": 21, "cb_fusion": 22, "cb_x": 23, "cb_xmm": 24, "cb_in_rm": 27}  # fmt: skip
    pages = {
        0: 2 * wide,
        2: 1,
        3: 1,
        5: wide,
        6: wide,
        16: 2 * block,
        18: 2,
        19: 2,
        20: wide,
        21: 2,
        22: 2 * block,
        24: wide,
    }
    for index, count in pages.items():
        parts.buffer(index, count, cores, dtype=between if 18 <= index <= 24 else "bfloat16")
    given = values or (np.zeros(size), np.zeros((1, columns)), np.zeros((1, columns)))
    x, gamma, beta = (parts.place(each) for each in given)
    out = parts.place(np.zeros(size))
    shares = split(rows // 32, cores)
    folder = "normalization/layernorm/device/kernels"
    defines = {"FUSE_GAMMA": "1", "FUSE_BETA": "1"}
    epsilon = int(np.float32(1e-5).view(np.uint32)) >> 16
    parts.kernel(
        "reader", f"{folder}/dataflow/reader_unary_interleaved_ln.cpp", "ncrisc", cores, named_args=names,
        defines=defines,
        compile_time_args=(block, 0, *x.accessor, *x.accessor, *gamma.accessor, *beta.accessor),
        args={
            core: (
                x.address, count, wide, first, _ONE, epsilon << 16 | epsilon, gamma.address, beta.address, 0, columns,
                32, 32,
            )
            for core, (first, count) in shares.items()
        },
    )  # fmt: skip
    parts.kernel(
        "compute", f"{folder}/compute/layernorm.cpp", "compute", cores, named_args=names, defines=defines,
        compile_time_args=(wide, block, 1, 1, *([int(between == "float32")] * 2), 0, columns, 32),
        fp32_dst=between == "float32",
        args={core: (count,) for core, (_, count) in shares.items()},
    )  # fmt: skip
    parts.kernel(
        "writer", f"{folder}/dataflow/writer_unary_interleaved_start_id_blocked.cpp", "brisc", cores,
        named_args=names, compile_time_args=(block, *out.accessor),
        args={core: (out.address, wide, count, first * wide) for core, (first, count) in shares.items()},
    )  # fmt: skip
    return parts.run(), out.tensor
