"""Tensors whose shards lie on some of the nodes, in some order: each where its memory configuration says."""

from __future__ import annotations

import numpy as np
import pytest
import ttnn

import ttl
from emu.harness import Values, tensor_of, values_of
from ttl.emu import memory_of
from ttl.emu.runtime import runtime
from ttl.host.tensor import Tensor
from ttl.settings import override

ROWS, COLUMNS = ttnn.ShardOrientation.ROW_MAJOR, ttnn.ShardOrientation.COL_MAJOR


def _cores(*rectangles: tuple[int, int, int, int]) -> ttnn.CoreRangeSet:
    return ttnn.CoreRangeSet(
        [
            ttnn.CoreRange(ttnn.CoreCoord(x, y), ttnn.CoreCoord(x + columns - 1, y + rows - 1))
            for x, y, columns, rows in rectangles
        ]
    )


def _placed(values: Values, config: ttnn.MemoryConfig, dtype: str = "bfloat16") -> Tensor:
    device = ttnn.open_device(device_id=0)
    made: Tensor = ttnn.to_memory_config(tensor_of(values, dtype, device=device), config)
    return made


def _config(
    spread: str, shard: tuple[int, int], cores: ttnn.CoreRangeSet, order: ttnn.ShardOrientation
) -> ttnn.MemoryConfig:
    layout = getattr(ttnn.TensorMemoryLayout, spread)
    return ttnn.MemoryConfig(layout, ttnn.BufferType.L1, ttnn.ShardSpec(cores, shard, order))


CASES = [
    ("HEIGHT_SHARDED", (32, 64), _cores((1, 2, 2, 2)), ROWS, [(1, 2), (2, 2), (1, 3), (2, 3)]),
    ("HEIGHT_SHARDED", (32, 64), _cores((1, 2, 2, 2)), COLUMNS, [(1, 2), (1, 3), (2, 2), (2, 3)]),
    ("HEIGHT_SHARDED", (32, 64), _cores((4, 1, 1, 1), (0, 0, 3, 1)), ROWS, [(4, 1), (0, 0), (1, 0), (2, 0)]),
    ("BLOCK_SHARDED", (64, 32), _cores((3, 1, 2, 2)), ROWS, [(3, 1), (4, 1), (3, 2), (4, 2)]),
    ("BLOCK_SHARDED", (64, 32), _cores((3, 1, 2, 2)), COLUMNS, [(3, 1), (3, 2), (4, 1), (4, 2)]),
]


@pytest.mark.parametrize(("spread", "shard", "cores", "order", "holders"), CASES)
def test_shards_are_given_to_the_nodes_in_their_order(
    spread: str,
    shard: tuple[int, int],
    cores: ttnn.CoreRangeSet,
    order: ttnn.ShardOrientation,
    holders: list[tuple[int, int]],
) -> None:
    values = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
    tensor = _placed(values, _config(spread, shard, cores, order), "float32")
    memory = memory_of()
    pages = memory.place(tensor).pages.reshape(4, 2)
    down, across = (each // 32 for each in shard)
    for number, node in enumerate(holders):
        y, x = divmod(number, 2 // across)
        first = runtime().l1(memory.chip.handle, memory.chip.index(node))
        here = pages[y * down : (y + 1) * down, x * across : (x + 1) * across]
        assert np.all((here >= first) & (here < first + memory.chip.chip.l1_bytes)), node


def test_shards_in_dram_lie_in_their_banks() -> None:
    config = ttnn.MemoryConfig(
        ttnn.TensorMemoryLayout.WIDTH_SHARDED,
        ttnn.BufferType.DRAM,
        ttnn.ShardSpec(_cores((3, 0, 2, 1)), (32, 32)),
    )
    tensor = _placed(np.ones((32, 64), np.float32), config)
    memory = memory_of()
    placed = memory.place(tensor)
    starts = [runtime().dram(memory.chip.handle, bank) + placed.address for bank in (3, 4)]
    assert placed.pages.tolist() == starts


@ttl.operation(grid=(1, 1))
def doubled(a, y):  # type: ignore[no-untyped-def]
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(4, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(4, 2))

    @ttl.datamovement()
    def read():  # type: ignore[no-untyped-def]
        with a_dfb.reserve() as blk:
            ttl.copy(a[0:4, 0:2], blk).wait()

    @ttl.compute()
    def compute():  # type: ignore[no-untyped-def]
        with a_dfb.wait() as blk, y_dfb.reserve() as y_blk:
            y_blk.store(blk + blk)

    @ttl.datamovement()
    def write():  # type: ignore[no-untyped-def]
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0:4, 0:2]).wait()


def test_kernels_find_the_shards_where_they_are() -> None:
    """A compiled program, whose description says where the shards are, on memory laid out by the configurations."""
    values = np.arange(128 * 64, dtype=np.float32).reshape(128, 64) % 128
    a = _placed(values, _config(*CASES[1][:4]))
    y = _placed(np.zeros_like(values), _config(*CASES[4][:4]))
    with override(target="emu"):
        doubled(a, y)
    np.testing.assert_array_equal(values_of(y), 2 * values)
