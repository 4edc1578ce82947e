"""Wrong attributes and types: an error at its place. The quoted fragments are the real project's where it has a message."""

from __future__ import annotations

import random

import pytest

from support.ttmlir_text import ATTRIBUTE_EXAMPLES, refused

L1 = "#tt.memory_space<l1>"
MAPS = "l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1)"
GRID = "workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>"

WRONG = (
    # The other wrapper.
    ("#ttir.pooling_method<Max>", "expected valid keyword"),
    ("#tt.buffer_access<alias>", "expected valid keyword"),
    ("#tt.cpu_role<host>", "expected valid keyword"),
    ("#tt.core_coord<3x4>", "expected 2 dimensions joined with 'x', got 0"),
    ("#ttnn.mesh_shape<1x1>", "expected 2 dimensions joined with 'x', got 0"),
    # Dimensions.
    ("#tt<core_coord 3x4x5>", "expected 2 dimensions joined with 'x', got 3"),
    ("#tt<tile_size 32>", "expected 2 dimensions joined with 'x', got 1"),
    ("#tt<chip_coord 0x0x0>", "expected 4 dimensions joined with 'x', got 3"),
    ("#ttnn<mesh_shape 1>", "expected 2 dimensions joined with 'x', got 1"),
    ("#ttnn.shape<?x32>", "expected static dimensions"),
    ("#tt.grid<8x?>", "expected static dimensions"),
    ("!tt.tile<32, f32>", "expected 2D shape"),
    ("!tt.tile<32x32x32, f32>", "expected 2D shape"),
    ("!tt.tile<0x32, f32>", "expected positive tile dimensions, got 0x32"),
    ("#ttnn.shape<9223372036854775808>", "invalid dimension"),
    ("#tt.arg_alloc<18446744073709551616, 1, l1>", "integer value too large"),
    ("#tt.chip_channel<[4294967296, 0, 0], [1, 0, 0]>", "integer value too large"),
    # Maps.
    ("#tt.grid<8x8, (d0, d1) -> (d0 * d1)>", "non-affine expression"),
    ("#tt.grid<8x8, (d0, d1) -> (d0 floordiv 0)>", "floordiv by zero"),
    ("#tt.grid<8x8, (d0, d1) -> (d2)>", "not in space"),
    ("#tt.grid<8x8, (d0, d0) -> (d0)>", "redefinition of identifier 'd0'"),
    (
        f"#tt.layout<(d0)[s0] -> (0, d0), undef, <1x1>, memref<1x1xf32, {L1}>>",
        "expected a linear map without symbols",
    ),
    # Words.
    ("#tt.arch<wormhole>", "expected ::mlir::tt::Arch to be one of: grayskull, wormhole_b0, blackhole"),
    ("#tt.memory_space<sram>", "expected ::mlir::tt::MemorySpace to be one of: system, mmio, dram, l1"),
    ("#tt.memory_space<3>", "expected valid keyword"),
    (
        "#tt.operand_constraint<dram|host>",
        "expected ::mlir::tt::OperandConstraint to be one of: system, dram, l1, scalar, tile, none, interleaved, "
        "single_bank, height_sharded, width_sharded, block_sharded, any_layout, any, any_device, any_device_tile, "
        "l1_block_sharded",
    ),
    ("#tt.operand_constraint<>", "expected valid keyword"),
    ("#tt<buffer_access alias|flow>", "expected ::mlir::tt::BufferAccess to be one of: alias, stream"),
    ("#ttnn.layout<tiled>", "expected ::mlir::tt::ttnn::Layout to be one of: row_major, tile, invalid"),
    (
        "#ttnn.buffer_type<system>",
        "expected ::mlir::tt::ttnn::BufferType to be one of: dram, l1, system_memory, l1_small, trace",
    ),
    ("#ttir<pooling_method Min>", "expected ::mlir::tt::ttir::PoolingMethod to be one of: Average, Max"),
    ("!tt.tile<32x32, f64>", "expected ::mlir::tt::DataType to be one of: f32, f16, bf16"),
    ("#ttkernel.noc_config<noc2>", "expected ::mlir::tt::ttkernel::NocIndex to be one of: noc0, noc1"),
    (
        "!ttkernel.cb<c_in0, 0, memref<1xf32>, 4, 1>",
        "expected ::mlir::tt::ttkernel::CBPort to be one of: cb_in0",
    ),
    ("#ttkernel.tensix_config<hifi4, 1, false, []>", "expected 'true' or 'false'"),
    # Memories.
    (
        f"#ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1xf32, {L1}>>",
        "expected a memref in a #ttnn.buffer_type, got #tt.memory_space",
    ),
    (
        "#tt.layout<(d0) -> (0, d0), undef, <1x1>, memref<1x1xf32>>",
        "expected a memref in a #tt.memory_space, got none",
    ),
    ("#tt.buffer<f32, alias>", "expected a memref, not f32"),
    (f"#tt.buffer<memref<?x2xf32, {L1}>, alias>", "expected a memref of static shape"),
    (
        f"#tt.buffer<memref<2x2xf32, affine_map<(d0, d1) -> (d1, d0)>, {L1}>, alias>",
        "expected a memref with the identity layout",
    ),
    (
        "#tt.buffer<memref<2x2xf32, 1 : i32>, alias>",
        "expected a memref in a tt.memory_space or ttnn.buffer_type, not",
    ),
    # Devices, in the order of the verifier.
    (f"#tt.device<{GRID}, {MAPS}, meshShape = , chipIds = []>", "expected integer value"),
    (f"#tt.device<{GRID}, {MAPS}, meshShape = 1x2, chipIds = [0]>", "expected chipIds size to match"),
    (f"#tt.device<{GRID}, {MAPS}, meshShape = , chipIds = [0, 1]>", "expected chipIds size to match"),
    (
        f"#tt.device<workerGrid = #tt.grid<0x8>, {MAPS}, meshShape = , chipIds = [0]>",
        "expected positive grid dimensions",
    ),
    (
        f"#tt.device<workerGrid = #tt.grid<8x8>, {MAPS}, meshShape = , chipIds = [0]>",
        "expected physical grid mapping to have",
    ),
    (
        f"#tt.device<{GRID}, l1Map = () -> (), dramMap = () -> (), meshShape = , chipIds = [0]>",
        "expected l1Map to have MemoryMapResultIdx::NumIndices",
    ),
    (
        f"#tt.device<{GRID}, l1Map = () -> (0, 0, 0, 0), dramMap = () -> (), meshShape = , chipIds = [0]>",
        "expected dramMap to have MemoryMapResultIdx::NumIndices",
    ),
    (f"#tt.device<{GRID}, meshShape = , chipIds = [0]>", "expected 'l1Map'"),
    # Systems.
    ("#tt.chip_channel<[0, 9], [1, 0, 0]>", "expected [chip, y, x]"),
    ("#tt.system_desc<[], [], [0], [pcie], []>", "attribute expected"),
    ("#tt.system_desc<[], [], [0], [3 : i64], []>", "expected a chip capability, such as 3 : i32"),
    ("#tt.system_desc<[], [], [0], [7 : i32], []>", "expected a chip capability, such as 3 : i32"),
    ("#tt<cpu_desc{role = guest}>", "expected ::mlir::tt::CPURole to be one of: host, device"),
    ('#tt<cpu_desc{target_triple = "x"}>', "expected 'role'"),
    ("#tt.arg_alloc<-1, 4096, l1>", "expected integer value"),
    ("#ttir<convolution_layout input_batch = 0>", "','"),
    ("#ttir<convolution_layout batch = 0>", "expected 'input_batch'"),
    # Attributes where others are expected, and names that do not exist.
    ("#ttnn.memory_config<<interleaved>, #tt.memory_space<l1>, <<2x4>>>", "expected #ttnn.buffer_type, not"),
    ("#tt.layouts<1>", "'tt.layouts' is not registered"),
    ("!ttnn.tile<32x32>", "'ttnn.tile' is not registered"),
    ("#ttir<pooling Max>", "'ttir.pooling' is not registered"),
)


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_wrong_attribute_is_refused(text: str, message: str) -> None:
    place, _, said = refused(text).partition(": ")
    assert message in said
    line, column = place.split(":")
    assert line == "1"
    assert 1 <= int(column) <= len(text) + 1


def test_the_place_of_a_wrong_word() -> None:
    assert refused("#tt.arch<wormhole>").startswith("1:9: ")
    assert refused("#ttnn.memory_config<<interleaved>, <sram>, <<2x4>>>").startswith("1:36: ")


PIECES = (
    "<",
    ">",
    "x",
    "-1",
    "?",
    "9" * 30,
    "[",
    "]",
    "{",
    "}",
    ",",
    '"',
    "#",
    "!",
    "|",
    "memref<",
    "d0",
    " mod 0",
    "\n",
)


@pytest.mark.parametrize("seed", range(8))
def test_broken_text_is_refused_or_read(seed: int) -> None:
    """Never anything but an error with a place."""
    source = random.Random(seed)
    outcomes = set()
    for _ in range(60):
        text = source.choice(ATTRIBUTE_EXAMPLES)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(1, max(2, len(text)))
            cut = at + source.choice((0, 0, 1, 5))
            text = text[:at] + source.choice(("", *PIECES)) + text[cut:]
        outcomes.add(bool(refused(text)))
    assert True in outcomes
