"""Distributed tensors (seeds/002, section 10.3) on the emulated chips: what arrives, and how many bytes cross the network for it.

The programs are files of ``lit/``, which show the slices and pipes that distributed tensors become: ``distribute.mlir`` (all of them),
``resharded.mlir``, ``gathered.mlir``, ``distributed_checked.mlir`` (what the checks report) and ``bufferize_distributed.mlir``.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from support.moved import Moved
from support.programs import TOOLS, run_ttl
from ttl import settings
from ttl.arch import chip_named
from ttl.check.module import check_module
from ttl.codegen.compile import compile_module
from ttl.dialects.text import parse_module
from ttl.emu.recorder import collecting, launched
from ttl.host import importer

LIT = Path(__file__).parent / "lit"
TILE_BYTES = 2048
NODES = 8
X = np.arange(64 * 256, dtype=np.float32).reshape(64, 256) % 251
CHIPS = pytest.mark.parametrize("chip", ["wormhole", "blackhole"])


def run(name: str, chip: str, y_shape: tuple[int, int], y_spread: str | None) -> tuple[np.ndarray, Moved]:
    """Check, compile and run a file on ``X`` in blocks: what it leaves in its other tensor, and the bytes that it moves."""
    importer.install()
    import ttnn

    module = parse_module((LIT / name).read_text("utf-8"))
    with settings.override(target="emu", arch=chip):
        assert check_module(module) == []
        compiled = compile_module(module, settings.current(), generation="0.81")
        assert compiled.diagnostics == []
        (description,) = compiled.descriptions
        device = ttnn.open_device(device_id=0)

        def tensor(values: np.ndarray, spread: str | None) -> ttnn.Tensor:
            memory = ttnn.DRAM_MEMORY_CONFIG
            if spread is not None:
                cores = ttnn.CoreGrid(x=4, y=2)
                memory = ttnn.create_sharded_memory_config(values.shape, cores, ttnn.ShardStrategy(spread))
            return ttnn.from_numpy(
                values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory
            )

        x, y = tensor(X, "BLOCK"), tensor(np.zeros(y_shape, np.float32), y_spread)
        moved = Moved()
        with collecting(moved):
            launched(description, [x, y], chip_named(chip), settings.current())
        result = np.asarray(ttnn.to_numpy(y), np.float32)
        ttnn.close_device(device)
    return result, moved


@CHIPS
def test_10_3_another_cut_moves_what_is_not_there_yet(chip: str) -> None:
    y, moved = run("resharded.mlir", chip, X.shape, "WIDTH")
    assert (y == X).all()
    # Of the two tiles of its stripe a node has those that are in its block.
    stripes = {number: {(0, number), (1, number)} for number in range(NODES)}
    blocks = {x + 4 * y: {(y, 2 * x), (y, 2 * x + 1)} for y in range(2) for x in range(4)}
    bound = sum(len(stripes[node] - blocks[node]) for node in range(NODES)) * TILE_BYTES
    assert (moved.between_nodes, moved.dram) == (bound, 0)


@CHIPS
def test_10_3_gathered_shards_cross_the_network_once_for_every_other_node(chip: str) -> None:
    y, moved = run("gathered.mlir", chip, (NODES * NODES * 32, 64), None)
    shards = [shard for row in np.split(X, 2) for shard in np.split(row, 4, axis=1)]
    assert (y == np.vstack(shards * NODES)).all()
    shard_bytes = 2 * TILE_BYTES
    assert moved.between_nodes == NODES * (NODES - 1) * shard_bytes
    assert moved.dram == NODES * NODES * shard_bytes


@pytest.mark.mlir
@pytest.mark.skipif(shutil.which("mlir-opt-19") is None, reason="no mlir-opt-19 in PATH")
def test_10_3_memrefs_of_shards_are_mlirs(tmp_path: Path) -> None:
    """The example of the section, bufferized, is read and verified by MLIR's own tool."""
    flags = ["-p", "ttl-bufferize-distributed", "--allow-unregistered-dialect"]
    example = str(LIT / "bufferize_distributed.mlir")
    bufferized = run_ttl([example, *flags], folder=tmp_path, tool=TOOLS["ttl-opt"])
    assert (bufferized.status, bufferized.stderr) == (0, "")
    judged = subprocess.run(
        ["mlir-opt-19", "--allow-unregistered-dialect", "--canonicalize"],
        input=bufferized.stdout, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert 'memref<32x32xf32, "l1">' in judged.stdout and "dist_tensor" not in judged.stdout
