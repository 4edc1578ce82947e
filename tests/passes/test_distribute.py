"""Distributed tensors in IR that is written by hand (seeds/002, section 10.3): lowered, checked, and run on the emulated chips."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
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

TILE = "!ttl.tile<32x32, bf16>"
TILE_BYTES = 2048
ROWS, COLUMNS = 64, 256
L1 = "#ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>"
BLOCKS = f"!ttl.dist_tensor<grid=[2, 4], shard=[1, 2], {TILE}, sharded, l1>"
STRIPES = f"!ttl.dist_tensor<grid=[1, 8], shard=[2, 1], {TILE}, sharded, l1>"
DRAM = "#ttl.encoding<dram, #ttl.layout<tiled, interleaved>>"


def program(kernels: str, *, y: str = f"tensor<64x256xbf16, {L1}>", block: str = "[1, 2]") -> str:
    """An operation with a tensor x in blocks, a tensor y and a buffer."""
    return (
        f"ttl.operation @f(%x: tensor<64x256xbf16, {L1}>, %y: {y}) grid <4x2> {{\n"
        f'  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<{block}, {TILE}, 2>\n'
        f"  %a = ttl.distribute %x : tensor<64x256xbf16, {L1}> -> {BLOCKS}\n{kernels}}}\n"
    )


# Blocks to stripes: a node reads its stripe from the nodes that have parts of it, and writes it to where stripes lie.
RESHARDED = program(
    f"""
  %b = ttl.redistribute %a strategy=sharded : {BLOCKS} -> {STRIPES}
  %to = ttl.distribute %y : tensor<64x256xbf16, #ttl.encoding<l1, #ttl.layout<tiled, width_sharded, [64, 32], 4x2>>> -> {STRIPES}
  ttl.datamovement_kernel @read {{
    %blk = ttl.dfb_reserve %dfb : <[2, 1], {TILE}, 2>
    %from = ttl.extract_shard %b : {STRIPES} -> !ttl.slice<[2, 1], {TILE}>
    %xf = ttl.copy %from to %blk : !ttl.slice<[2, 1], {TILE}>, !ttl.block<[2, 1], {TILE}>
    ttl.wait %xf explicit
    ttl.dfb_push %blk explicit : <[2, 1], {TILE}>
  }}
  ttl.datamovement_kernel @write {{
    %blk = ttl.dfb_wait %dfb : <[2, 1], {TILE}, 2>
    %there = ttl.extract_shard %to : {STRIPES} -> !ttl.slice<[2, 1], {TILE}>
    %xf = ttl.copy %blk to %there : !ttl.block<[2, 1], {TILE}>, !ttl.slice<[2, 1], {TILE}>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[2, 1], {TILE}>
  }}
""",
    y="tensor<64x256xbf16, #ttl.encoding<l1, #ttl.layout<tiled, width_sharded, [64, 32], 4x2>>>",
    block="[2, 1]",
)


def gathered() -> str:
    """Every node gets all shards, and writes them one below the other into a part of y of its own."""
    steps = "".join(
        f"""
    %blk{number} = ttl.dfb_wait %dfb : <[1, 2], {TILE}, 2>
    %n{number} = arith.constant {number} : index
    %row{number} = arith.addi %top, %n{number} : index
    %part{number} = ttl.tensor_slice %all[%row{number} size 1, %zero size 2] : !ttl.accessor<tensor<2048x64xbf16, {DRAM}>> -> !ttl.slice<[1, 2], {TILE}>
    %xf{number} = ttl.copy %blk{number} to %part{number} : !ttl.block<[1, 2], {TILE}>, !ttl.slice<[1, 2], {TILE}>
    ttl.wait %xf{number} explicit
    ttl.dfb_pop %blk{number} explicit : <[1, 2], {TILE}>
"""
        for number in range(8)
    )
    return program(
        f"""
  %all = ttl.tensor_accessor %y : tensor<2048x64xbf16, {DRAM}>
  ttl.datamovement_kernel @read {{
    ttl.gather_shards %a to %dfb : {BLOCKS}, !ttl.dfb<[1, 2], {TILE}, 2>
  }}
  ttl.datamovement_kernel @write {{
    %number = ttl.node_linear
    %eight = arith.constant 8 : index
    %zero = arith.constant 0 : index
    %top = arith.muli %number, %eight : index
{steps}
  }}
""",
        y=f"tensor<2048x64xbf16, {DRAM}>",
    )


@dataclass
class Run:
    """What a program left in y, and what it moved."""

    x: np.ndarray
    y: np.ndarray
    moved: Moved = field(default_factory=Moved)


def run(text: str, chip: str, y_shape: tuple[int, int], y_spread: str | None) -> Run:
    """Check, compile and run an operation over a tensor in blocks and another tensor."""
    importer.install()
    import ttnn

    module = parse_module(text)
    with settings.override(target="emu", arch=chip):
        assert check_module(module) == []
        compiled = compile_module(module, settings.current(), generation="0.81")
        assert compiled.diagnostics == []
        (description,) = compiled.descriptions
        device = ttnn.open_device(device_id=0)
        given = np.arange(ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS) % 251

        def tensor(values: np.ndarray, spread: str | None) -> ttnn.Tensor:
            memory = ttnn.DRAM_MEMORY_CONFIG
            if spread is not None:
                cores = ttnn.CoreGrid(x=4, y=2)
                memory = ttnn.create_sharded_memory_config(values.shape, cores, ttnn.ShardStrategy(spread))
            return ttnn.from_numpy(
                values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, memory_config=memory
            )

        tensors = [tensor(given, "BLOCK"), tensor(np.zeros(y_shape, np.float32), y_spread)]
        found = Run(x=given, y=given)
        with collecting(found.moved):
            launched(description, tensors, chip_named(chip), settings.current())
        found.y = np.asarray(ttnn.to_numpy(tensors[1]), np.float32)
        ttnn.close_device(device)
    return found


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_10_3_another_cut_moves_what_is_not_there_yet(chip: str) -> None:
    found = run(RESHARDED, chip, (ROWS, COLUMNS), "WIDTH")
    assert (found.y == found.x).all()
    # Of the two tiles of its stripe a node has those that are in its block.
    stripes = {number: {(0, number), (1, number)} for number in range(8)}
    blocks = {x + 4 * y: {(y, 2 * x), (y, 2 * x + 1)} for y in range(2) for x in range(4)}
    bound = sum(len(stripes[node] - blocks[node]) for node in range(8)) * TILE_BYTES
    assert (found.moved.between_nodes, found.moved.dram) == (bound, 0)


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_10_3_gathered_shards_cross_the_network_once_for_every_other_node(chip: str) -> None:
    found = run(gathered(), chip, (2048, 64), None)
    shards = [
        found.x[32 * row : 32 * row + 32, 64 * column : 64 * column + 64]
        for row in range(2)
        for column in range(4)
    ]
    assert (found.y == np.vstack(shards * 8)).all()
    every_node_gets = 8 * 7 * 2 * TILE_BYTES
    all_is_written = 8 * 8 * 2 * TILE_BYTES
    assert (found.moved.between_nodes, found.moved.dram) == (every_node_gets, all_is_written)


def test_10_3_the_checks_see_what_distributed_tensors_become() -> None:
    """A part of a shard that is another node's, in IR with an operation of section 10.3."""
    text = program(f"""
  ttl.datamovement_kernel @read {{
    %own = ttl.extract_shard %a : {BLOCKS} -> !ttl.slice<[1, 2], {TILE}>
    %x_accessor = ttl.tensor_accessor %x : tensor<64x256xbf16, {L1}>
    %row = ttl.node_linear
    %zero = arith.constant 0 : index
    %other = ttl.tensor_slice %x_accessor[%zero size 1, %zero size 2] of {BLOCKS} : !ttl.accessor<tensor<64x256xbf16, {L1}>> -> !ttl.slice<[1, 2], {TILE}>
    %blk = ttl.dfb_reserve %dfb : <[1, 2], {TILE}, 2>
    %xf = ttl.copy %other to %blk : !ttl.slice<[1, 2], {TILE}>, !ttl.block<[1, 2], {TILE}>
    ttl.wait %xf explicit
    ttl.dfb_push %blk explicit : <[1, 2], {TILE}>
  }}
  ttl.datamovement_kernel @write {{
    %blk = ttl.dfb_wait %dfb : <[1, 2], {TILE}, 2>
    %own = ttl.extract_shard %a : {BLOCKS} -> !ttl.slice<[1, 2], {TILE}>
    %xf = ttl.copy %blk to %own : !ttl.block<[1, 2], {TILE}>, !ttl.slice<[1, 2], {TILE}>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[1, 2], {TILE}>
  }}
""")
    found = check_module(parse_module(text))
    errors = {finding.code: finding.message for finding in found}
    assert errors["TTL0536"] == "-1:0 of a shard that has 1 tile in dimension 0"
    # The shard of node (0, 0) is read by all nodes and written by its own: a race, which only slices show.
    assert "TTL1101" in errors


@pytest.mark.mlir
@pytest.mark.skipif(shutil.which("mlir-opt-19") is None, reason="no mlir-opt-19 in PATH")
def test_10_3_memrefs_of_shards_are_mlirs(tmp_path: Path) -> None:
    """The example of the section, bufferized, is read and verified by MLIR's own tool."""
    (tmp_path / "matmul.mlir").write_text(
        (Path(__file__).parent / "lit" / "bufferize_distributed.mlir").read_text()
    )
    flags = ["-p", "ttl-bufferize-distributed", "--allow-unregistered-dialect"]
    made = run_ttl(["matmul.mlir", *flags], folder=tmp_path, tool=TOOLS["ttl-opt"])
    assert (made.status, made.stderr) == (0, "")
    (tmp_path / "made.mlir").write_text(made.stdout)
    judged = subprocess.run(
        ["mlir-opt-19", "--allow-unregistered-dialect", "--canonicalize", "made.mlir"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert 'memref<32x32xf32, "l1">' in judged.stdout and "dist_tensor" not in judged.stdout
