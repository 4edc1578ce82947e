"""``ttl.SRAMStorage``: tensors in L1 across launches, who has them and when (newer language, section 3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import ttnn

import ttl
from support.programs import run_program, run_ttl
from ttl.settings import override

DOUBLE = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def double(x):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    with x_dfb.reserve() as blk:
        ttl.copy(x[0, 0], blk).wait()
    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
        y_blk.store(2 * x_blk)
    with y_dfb.wait() as blk:
        ttl.copy(blk, x[0, 0]).wait()


device = ttnn.open_device(device_id=0)
core = ttnn.CoreGrid(x=1, y=1)
storage = ttl.SRAMStorage(device=device, queue_ids=(0,), sub_device_ids=None)
x = storage.tensor((32, 32), (32, 32), core, ttnn.bfloat16, ttnn.TILE_LAYOUT)
"""
MISTAKES = {
    "used before": ("double(x)", "TTL0268", "a tensor of shape (32, 32) is used, and its ttl.SRAMStorage is not allocated yet"),
    "submitted before": ("storage.submit(double, x)", "TTL0268", "submit() is called, and its ttl.SRAMStorage is not allocated yet"),
    "used after": ("storage.allocate()\nstorage.submit(double, x)\nstorage.close()\ndouble(x)", "TTL0268", "a tensor of shape (32, 32) is used, and its ttl.SRAMStorage is closed"),
    "submitted after": ("storage.allocate()\nstorage.close()\nstorage.submit(double, x)", "TTL0268", "submit() is called, and its ttl.SRAMStorage is closed"),
    "closed twice": ("storage.allocate()\nstorage.close()\nstorage.close()", "TTL0268", "close() is called, and its ttl.SRAMStorage is closed"),
    "allocated twice": ("storage.allocate()\nstorage.allocate()", "TTL0268", "allocate() is called, and its ttl.SRAMStorage is allocated already"),
    "declared later": ("storage.allocate()\nstorage.tensor((32, 32), (32, 32), core, ttnn.bfloat16, ttnn.TILE_LAYOUT)", "TTL0268", "tensor() is called, and its ttl.SRAMStorage is allocated already"),
    "of another": ("storage.allocate()\nother = ttl.SRAMStorage(device)\nother.allocate()\nother.submit(double, x)", "TTL0269", "submit() of a ttl.SRAMStorage got a tensor of shape (32, 32) that belongs to another storage"),
    "type": ("storage.tensor((32, 32), (32, 32), core, ttnn.uint32, ttnn.TILE_LAYOUT)", "TTL0269", "dtype of tensor() of a ttl.SRAMStorage is ttnn.uint32"),
    "layout": ("storage.tensor((32, 32), (32, 32), core, ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)", "TTL0269", "layout of tensor() of a ttl.SRAMStorage is "),
    "word": ("storage.tensor((32, 32), (32, 32), core, ttnn.bfloat16, ttnn.TILE_LAYOUT, addressing='each')", "TTL0269", "addressing of tensor() of a ttl.SRAMStorage is 'each'"),
    "sharding": ("storage.tensor((32, 32), (32, 32), core, ttnn.bfloat16, ttnn.TILE_LAYOUT, sharding=3)", "TTL0269", "sharding of tensor() of a ttl.SRAMStorage is 3"),
    "no function": ("storage.allocate()\nstorage.submit(x, double)", "TTL0269", "function of submit() of a ttl.SRAMStorage is "),
    "shards": ("storage.tensor((64, 32), (32, 32), core, ttnn.bfloat16, ttnn.TILE_LAYOUT)", "TTL1013", "2 shards of 32x32, more than the 1 cores given"),
    "room": ("storage.tensor((1024, 1024), (1024, 1024), core, ttnn.bfloat16, ttnn.TILE_LAYOUT)\nstorage.allocate()", "TTL0804", "the tensors of a ttl.SRAMStorage take 2099200 bytes of L1 of a node, and a node of "),
    "arguments": ("ttl.SRAMStorage(devic=device)", "TTL0223", "ttl.SRAMStorage(): it has no argument devic"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_at_its_line(mistake: str, tmp_path: Path) -> None:
    """By a run and by the check of the file, in the same words: the last line is the wrong one."""
    text, code, message = MISTAKES[mistake]
    text = DOUBLE + text + "\n"
    ran = json.loads(run_program(text, folder=tmp_path, flags=["--format", "json"]).stderr.splitlines()[-1])
    checked = json.loads(run_ttl(["check", "--format", "json", "example.py"], folder=tmp_path).stdout)
    for finding in (ran, *checked["diagnostics"]):
        assert (finding["code"], finding["primary"]["line"]) == (code, text.count("\n"))
        assert finding["message"].startswith(message) or message in finding["message"]
    assert len(checked["diagnostics"]) == 1


def test_what_a_launch_leaves_the_next_one_has(tmp_path: Path) -> None:
    """In the simulator and on the emulated chip; and afterwards the L1 is free for another storage."""
    rest = (
        "storage.allocate()\nttnn.copy_host_to_device_tensor(ttnn.ones((32, 32), dtype=ttnn.bfloat16, "
        "layout=ttnn.TILE_LAYOUT), x)\nfor _ in range(3):\n    storage.submit(double, x)\ndouble(x=x)\n"
        "print(ttnn.to_torch(x).sum().item() / 1024)\nstorage.close()\n"
    )
    for target in ("sim", "emu"):
        said = run_program(DOUBLE + rest, folder=tmp_path, flags=["--target", target])
        assert (said.stdout, said.stderr) == ("16.0\n", "")
    assert "nothing found" in run_ttl(["check", "example.py"], folder=tmp_path).stdout


def test_what_may_not_have_happened_is_no_finding(tmp_path: Path) -> None:
    """A storage that is closed on one of two ways is not known to be closed."""
    rest = "import sys\nstorage.allocate()\nif len(sys.argv) > 1:\n    storage.close()\ndouble(x)\nstorage.close()\n"
    said = run_program(DOUBLE + rest, folder=tmp_path, check="off")
    assert (said.status, said.stderr) == (0, "")
    assert "nothing found" in run_ttl(["check", "example.py"], folder=tmp_path).stdout


def _storage() -> Any:
    return ttl.SRAMStorage(device=ttnn.open_device(device_id=0))


def test_shards_are_those_that_the_shapes_are_of() -> None:
    """By height, width or block; or as ``sharding`` says."""
    storage, bf16, tile = _storage(), ttnn.bfloat16, ttnn.TILE_LAYOUT
    cores = ttnn.CoreGrid(x=2, y=2)
    given = [((128, 32), (32, 32)), ((32, 128), (32, 32)), ((64, 64), (32, 32))]
    kinds = [storage.tensor(*shapes, cores, bf16, tile).memory_config().memory_layout for shapes in given]
    assert kinds == ["HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED"]
    chosen = storage.tensor((64, 64), (32, 64), cores, ttnn.float32, tile, sharding=ttnn.ShardStrategy.BLOCK)
    assert chosen.memory_config().memory_layout == "BLOCK_SHARDED"


def test_tensors_are_freed_by_their_storage_only() -> None:
    """And their L1 is another storage's from then on."""
    device = ttnn.open_device(device_id=0)
    cores = ttnn.CoreGrid(x=1, y=1)
    first, second = ttl.SRAMStorage(device=device), ttl.SRAMStorage(device=device)
    for storage in (first, second):
        x = storage.tensor((512, 1024), (512, 1024), cores, ttnn.bfloat16, ttnn.TILE_LAYOUT)
    first.allocate()
    with pytest.raises(ttl.ResourceError, match=r"beside \d+ of other storages"):
        second.allocate()
    first.close()
    second.allocate()
    for free in (ttnn.deallocate, type(x).deallocate):
        with pytest.raises(
            ttl.ProgramError, match=r"TTL0269.* is deallocated, and belongs to a ttl.SRAMStorage"
        ):
            free(x)
    assert (ttnn.to_torch(x) == torch.zeros(512, 1024)).all()
    second.close()
    with pytest.raises(ttl.ProgramError, match="TTL0268"):
        ttnn.to_torch(x)


def test_not_where_operations_run_on_a_card() -> None:
    """There, memory belongs to tensors of ttnn."""
    device = ttnn.open_device(device_id=0)
    with override(target="device"), pytest.raises(ttl.ProgramError, match=r"ttl\.SRAMStorage does not exist"):
        ttl.SRAMStorage(device=device)


def test_a_mesh_has_it_on_every_device() -> None:
    """Tensors of a mesh are tensors of each of its devices."""
    storage = ttl.SRAMStorage(device=ttnn.open_mesh_device(ttnn.MeshShape(1, 2)))
    x = storage.tensor((32, 32), (32, 32), ttnn.CoreGrid(x=1, y=1), ttnn.bfloat16, ttnn.TILE_LAYOUT)
    with pytest.raises(ttl.ProgramError, match="not allocated yet"):
        ttnn.get_device_tensors(x)
    storage.allocate()
    assert [part.is_allocated() for part in ttnn.get_device_tensors(x)] == [True, True]


def test_kernels_cannot_change_it(tmp_path: Path) -> None:
    """An operation is compiled before it runs: what it does to the host would happen twice."""
    text = (
        DOUBLE.replace("    with y_dfb.wait()", "    storage.close()\n    with y_dfb.wait()")
        + "storage.allocate()\ndouble(x)\n"
    )
    said = run_program(text, folder=tmp_path, flags=["--target", "emu"])
    assert "storage" in said.stderr and said.status == 1 and "Traceback" not in said.stderr
