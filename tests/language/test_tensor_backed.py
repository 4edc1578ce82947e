"""``ttl.make_tensor_backed_dfb`` and ``publish``: buffers in the memory of tensors (newer language, section 3)."""

from __future__ import annotations

import json
from itertools import product
from math import prod
from pathlib import Path
from typing import Literal

import pytest

from support.programs import run_program
from ttl.protocol.grid import coordinate
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.types import BlockType, Layout
from ttl.rules.backing import Backing, PlacedTensor
from ttl.rules.tensor_pages import shard_holders

# One body and three kernels; blocks that are no rectangles of the tensor; a place behind the shard's begin; in place.
PROGRAM = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(2, 2))
def total(a, b, y):
    a_dfb = ttl.make_tensor_backed_dfb(a, shape=(2, 2), block_count=2)
    b_dfb = ttl.make_tensor_backed_dfb(b, (2, 2), block_count=2, address_scope="remote_uniform")
    y_dfb = ttl.make_tensor_backed_dfb(y, shape=(2, 2), block_count=2)
    a_dfb.publish()
    b_dfb.publish()
    for _ in range(2):
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(a_blk + b_blk)


@ttl.operation(grid=(2, 2))
def in_place(a, out):
    group = ttl.make_dfb_allocation_group()
    a_dfb = ttl.make_tensor_backed_dfb(a, shape=(1, 4), byte_offset=4 * {tile}, allocation_group=group)
    m_dfb = ttl.make_dfb(a.dtype, (1, 4), 1)
    y_dfb = ttl.make_tensor_backed_dfb(a, shape=(1, 4), byte_offset=4 * {tile}, allocation_group=group)

    @ttl.datamovement()
    def read():
        a_dfb.publish()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, m_dfb.reserve() as m_blk:
            m_blk.store(2 * a_blk)
        with m_dfb.wait() as m_blk, y_dfb.reserve() as y_blk:
            y_blk.store(m_blk)

    @ttl.datamovement()
    def write():
        x, y = ttl.node(dims=2)
        with y_dfb.wait() as blk:  # what is read here is what is in the tensor then
            ttl.copy(blk, out[y if {rows} else x, (4 * x if {rows} else 4 * y) : (4 * x if {rows} else 4 * y) + 4]).wait()


device = ttnn.open_device(device_id=0)
nodes = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))])
spec = ttnn.ShardSpec(nodes, (64, 128), ttnn.ShardOrientation.{order})
shards = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1, spec)


def put(values):
    return ttnn.from_torch(values, dtype=ttnn.{dtype}, layout=ttnn.TILE_LAYOUT, device=device, memory_config=shards)


torch.manual_seed(0)
a, b, y = (put(torch.randint(-9, 9, {shape}).float()) for _ in range(3))
before = ttnn.to_torch(a)
total(a, b, y)
assert torch.equal(ttnn.to_torch(y), before + ttnn.to_torch(b))
assert torch.equal(ttnn.to_torch(a), before)
out = ttnn.from_torch(torch.zeros(64, 256), dtype=ttnn.{dtype}, layout=ttnn.TILE_LAYOUT, device=device)
in_place(a, out)
flat, after = before.reshape(-1, 256), ttnn.to_torch(a).reshape(-1, 256)
expected = flat.clone()
for row in (1, 3):
    expected[32 * row : 32 * row + 32] *= 2
assert torch.equal(after, expected)
assert torch.equal(ttnn.to_torch(out), torch.cat([expected[32:64], expected[96:128]]))
"""


@pytest.mark.parametrize(
    ("dtype", "order", "shape"),
    [("bfloat16", "ROW_MAJOR", (128, 256)), ("float32", "COL_MAJOR", (2, 1, 64, 256)), ("bfloat8_b", "ROW_MAJOR", (128, 256))],
)  # fmt: skip
def test_what_is_resident_is_read_and_written_where_it_lies(
    dtype: str, order: str, shape: tuple[int, ...], tmp_path: Path
) -> None:
    """By the simulator and the compiled C++ on the emulated chip, with equal blocks, and nothing is found by the check."""
    tile = {"bfloat16": 2048, "float32": 4096, "bfloat8_b": 1088}[dtype]
    text = PROGRAM.format(dtype=dtype, order=order, shape=shape, tile=tile, rows=order == "ROW_MAJOR")
    said = run_program(text, folder=tmp_path, flags=EMULATED, check="auto")
    assert said.status == 0, said.stderr
    assert "equal to the last bit" in said.stderr


EMULATED = ("--target", "emu", "--compare")
KERNELS = """
import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def double(a, y):
    a_dfb = ttl.make_tensor_backed_dfb(a, shape=(1, 2), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))

    @ttl.datamovement()
    def read():
        a_dfb.publish()

    @ttl.compute()
    def compute():
        for _ in range(2):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(2 * a_blk)

    @ttl.datamovement()
    def write():
        for row in range(2):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[2 * ttl.node(dims=1) + row, 0:2]).wait()


device = ttnn.open_device(device_id=0)
shards = ttnn.create_sharded_memory_config((128, 64), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
a = ttnn.ones((128, 64), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, shards)
y = ttnn.zeros((128, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
double(a, y)
"""
COPY = """a_dfb.publish()
        with b_dfb.reserve() as b:
            ttl.copy(a[{row} + 1, 0:2], b).wait()
        with b_dfb.wait() as b:
            ttl.copy(b, a[{row}, 0:2]).wait()"""
OTHER = "y_dfb = ttl.make_data"
MADE = "b_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))\n    " + OTHER
GROUP = "group = ttl.make_dfb_allocation_group()\n    a_dfb = ttl.make_tensor_backed_dfb(a, shape=(1, 1), allocation_group=group)\n    "
REFUSED = {
    "row-major": ("TILE_LAYOUT, device, sh", "ROW_MAJOR_LAYOUT, device, sh", "TTL0347", "this one is row-major"),
    "interleaved": ("device, shards)", "device, ttnn.L1_MEMORY_CONFIG)", "TTL0347", "this one is interleaved"),
    "format": ("ttnn.ones((128, 64), ttnn.bfloat16", "ttnn.ones((128, 64), ttnn.uint32", "TTL0347", "elements of type uint32"),
    "ragged": ("ones((128, 64)", "ones((128, 50)", "TTL0347", "whose last tiles are partly padding"),
    "no tensor": ("backed_dfb(a,", "backed_dfb(7,", "TTL0347", "takes a TT-NN tensor, not int 7"),
    "offset": ("block_count=2)", "byte_offset=100)", "TTL0348", "a multiple of the bytes of a tile, 2048, not int 100"),
    "beyond": ("block_count=2)", "block_count=3)", "TTL0348", "bytes 0 to 12288 of a shard of 8192 bytes"),
    "padding": ("ones((128, 64)", "ones((96, 64)", "TTL0348", "on node (1, 0), where the tensor ends before"),
    "no shard": ("grid=(2, 1)", "grid=(2, 2)", "TTL0348", "node (0, 1) has no shard of the tensor"),
    "no block count": ("block_count=2)", "block_count=0)", "TTL0321", "block_count must be a positive int"),
    "twice": ("a_dfb.publish()", "a_dfb.publish()\n        a_dfb.publish()", "TTL0349", "it was published already"),
    "in a loop": ("a_dfb.publish()", "for _ in range(2):\n            a_dfb.publish()", "TTL0349", "it was published already"),
    "late": ("a_dfb.publish()", "blk = a_dfb.reserve()\n        ttl.copy(a[0, 0:2], blk).wait()\n        blk.push()\n        a_dfb.publish()", "TTL0349", "a block of it was reserved before"),
    "in compute": ("for _ in range(2):\n            with", "a_dfb.publish()\n        for _ in range(2):\n            with", "TTL0349", "publish() on a_dfb in compute kernel compute"),
    "outside": (OTHER, "a_dfb.publish()\n    " + OTHER, "TTL0314", "publish() on a_dfb outside a kernel function"),
    "not backed": ("a_dfb.publish()", "a_dfb.publish()\n        y_dfb.publish()", "TTL0349", "publish() on y_dfb, whose memory does not belong to a tensor"),
    "in place": ("y_blk.store(2 * a_blk)", "y_blk.store(2 * a_blk)\n                a_blk.store(a_blk + 1)", "TTL0362", "written into a block of a_dfb"),
    "a part in place": ("y_blk.store(2 * a_blk)", "y_blk.store(2 * a_blk)\n                a_blk[0:1, 0:1] += a_blk[0:1, 1:2]", "TTL0362", "the memory of a tensor"),
    "overlap": (OTHER, "b_dfb = ttl.make_tensor_backed_dfb(a, shape=(1, 1), byte_offset=2048)\n    " + OTHER, "TTL0356", "memory of a_dfb already"),
    "group": ("a_dfb = ttl.make_tensor_backed_dfb(a, shape=(1, 2), block_count=2)", GROUP + 'c_dfb = ttl.make_dfb("bf16", (1, 1), allocation_group=group)', "TTL0346", "not in the same memory of a tensor"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    """Alike by a run, and by the check, which runs nothing."""
    old, new, code, text = REFUSED[name]
    refused_alike(KERNELS.replace(old, new), code, text, tmp_path)


@pytest.mark.parametrize(
    "write", ["ttl.copy(y[0, 0:2], a_blk).wait()", "ttl.raw_element_write(a_blk, 0, 0, 1.0)"]
)
def test_movement_does_not_write_into_waited_blocks(write: str, tmp_path: Path) -> None:
    compute, movement = (
        KERNELS.index("    @ttl.compute()"),
        KERNELS.index("    @ttl.datamovement()\n    def write"),
    )
    moved = KERNELS[:compute] + KERNELS[movement:].replace("y_dfb.wait() as y_blk", "a_dfb.wait() as a_blk")
    moved = moved.replace("ttl.copy(y_blk, y", "ttl.copy(a_blk, y").replace(
        "0:2]).wait()", f"0:2]).wait()\n                {write}", 1
    )
    refused_alike(moved, "TTL0362", "written into a block of a_dfb that was waited for", tmp_path)


def refused_alike(program: str, code: str, text: str, folder: Path) -> None:
    check: Literal["auto", "off"]
    said = []
    for check in ("off", "auto"):
        run = run_program(program, folder=folder, flags=["--format", "json"], check=check)
        assert run.status != 0
        finding = next(item for line in run.stderr.splitlines() if (item := json.loads(line))["code"] == code)
        assert text in finding["message"], run.stderr
        said.append((finding["message"], finding["primary"]["line"], finding["help"]))
    assert said[0] == said[1]


def test_copies_into_what_is_published(tmp_path: Path) -> None:
    """Behind ``publish()`` they are refused in that memory; before it, and in the memory of another buffer, they are not."""
    behind = KERNELS.replace(OTHER, MADE).replace("a_dfb.publish()", COPY.format(row="2 * ttl.node(dims=1)"))
    refused_alike(behind, "TTL0355", "memory of the tensor that a_dfb has published", tmp_path)
    publish, rest = "a_dfb.publish()\n        ", COPY.format(row="2 * ttl.node(dims=1)")
    before = KERNELS.replace(OTHER, MADE).replace(
        "a_dfb.publish()", rest.removeprefix(publish) + "\n        a_dfb.publish()"
    )
    assert run_program(before, folder=tmp_path, flags=EMULATED, check="auto").status == 0
    elsewhere = behind.replace("shape=(1, 2), block_count=2)", "shape=(1, 2), byte_offset=4096)").replace(
        "for _ in range(2):", "for _ in range(1):"
    ).replace("for row in range(2):", "for row in range(1):")  # fmt: skip
    said = run_program(elsewhere, folder=tmp_path, flags=EMULATED, check="auto")
    assert said.status == 0, said.stderr


def test_another_node_copies_into_what_is_published(tmp_path: Path) -> None:
    """It is a race: nothing orders the two."""
    text = KERNELS.replace(OTHER, MADE).replace(
        "a_dfb.publish()", COPY.format(row="2 - 2 * ttl.node(dims=1)")
    )
    said = run_program(text, folder=tmp_path, check="auto")
    assert said.status == 1 and said.stderr.startswith("error[TTL1101]: the result of operation double ")


PIPES = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(4, 1))
def spread(x, y, z):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))
    y_dfb = ttl.make_tensor_backed_dfb(y, shape=(1, 2), address_scope="remote_uniform")
    z_dfb = ttl.make_tensor_backed_dfb(z, shape=(1, 2))
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, 4), 0))])

    @ttl.datamovement()
    def send():
        def source(pipe):
            with x_dfb.reserve() as blk:
                ttl.copy(x[0, 0:2], blk).wait()
            with x_dfb.wait() as blk, y_dfb.reserve() as own:
                ttl.copy(blk, pipe).wait()
                ttl.copy(x[0, 0:2], own).wait()

        def destination(pipe):
            with y_dfb.reserve() as blk:
                ttl.copy(pipe, blk).wait()

        net.if_src(source)
        net.if_dst(destination)

    @ttl.datamovement()
    def write():
        with z_dfb.reserve() as blk:
            ttl.copy(x[3 - ttl.node(dims=1), 0:2], blk).wait()


device = ttnn.open_device(device_id=0)
shards = ttnn.create_sharded_memory_config((128, 64), ttnn.CoreGrid(x=4, y=1), ttnn.ShardStrategy.HEIGHT)
x = torch.randn(128, 64)
given, y, z = (
    ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device, memory_config=config)
    for values, config in ((x, None), (torch.zeros(128, 64), shards), (torch.zeros(128, 64), shards))
)
spread(given, y, z)
assert torch.equal(ttnn.to_torch(y), x[:32].repeat(4, 1))
assert torch.equal(ttnn.to_torch(z), x.reshape(4, 32, 64).flip(0).reshape(128, 64))
"""


def test_pipes_and_copies_land_in_tensors(tmp_path: Path) -> None:
    """What is received, or copied, into a reserved block is in the shard, on every node."""
    said = run_program(PIPES, folder=tmp_path, flags=EMULATED, check="auto")
    assert said.status == 0, said.stderr


def test_a_deadlock_names_the_missing_publish(tmp_path: Path) -> None:
    """Whoever waits for what nobody has published is told to publish."""
    text = KERNELS.replace("a_dfb.publish()", "pass")
    refused_alike(text, "TTL0911", "waits for a_dfb, which no kernel fills", tmp_path)
    assert "call a_dfb.publish() in a data movement kernel" in run_program(text, folder=tmp_path).stderr


def test_it_takes_no_memory_of_its_own(tmp_path: Path) -> None:
    """In the table of L1 its tensor stands in the place of its bytes."""
    large = "z_dfb = ttl.make_dataflow_buffer_like(y, shape=(20, 20), block_count=2)\n    " + OTHER
    said = run_program(KERNELS.replace(OTHER, large), folder=tmp_path).stderr
    assert "error[TTL0801]: dataflow buffers take 1646592 bytes of L1 beside 8192 of tensors in L1" in said
    row = next(line for line in said.splitlines() if "a_dfb" in line)
    assert row.split()[-2:] == ["in", "a"]


def test_the_tiles_of_a_shard() -> None:
    """Every page of every node is another tile of the tensor, in the order of the shard."""
    for spread, by_rows, shape in product(
        ("height_sharded", "block_sharded"), (True, False), ((128, 256), (2, 64, 256))
    ):
        shard = (64, 128) if spread == "block_sharded" else (32, 256)
        placed = PlacedTensor(
            tensor=None,
            shape=shape,
            dtype=BFLOAT16,
            layout=Layout.TILE,
            memory="l1",
            spread=spread,
            shard=shard,
            holders=tuple(shard_holders(spread, shape, shard, [(0, 0, 2, 2)], by_rows=by_rows)),
        )
        backing = Backing(placed=placed, byte_offset=0, block=BlockType.of((1, 8), BFLOAT16), block_count=1)
        pages = [backing.pages(coordinate(node, (2, 2), 2)) for node in range(4)]
        rows, columns = (extent // 32 for extent in shard)
        for tiles in pages:
            assert tiles is not None
            flat = [(tile[0] * 2 if len(tile) == 3 else 0) + tile[-2] for tile in tiles]
            assert [row - flat[0] for row in flat] == [page // columns for page in range(rows * columns)]
            assert [tile[-1] - tiles[0][-1] for tile in tiles] == [
                page % columns for page in range(rows * columns)
            ]
        assert len({tile for tiles in pages for tile in tiles or ()}) == prod(shape) // 1024
        assert backing.pages((2, 0)) is None
