"""Every attribute and type: its text is read and printed as it is. Facts §1.2."""

from __future__ import annotations

import pickle

import pytest

from support.ttmlir_text import attribute, context
from ttmlir.attributes import tt, ttir, ttkernel, ttmetal, ttnn
from ttmlir.attributes.tt import SystemDescAttr
from ttmlir.layouts.system_desc import system, system_names

L1 = "#tt.memory_space<l1>"
DEVICE = (
    "workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), "
    "dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]"
)
CHIP = (
    "{arch = <blackhole>, grid = 1x2, l1_size = 1499136, num_dram_channels = 1, dram_channel_size = 1073741824, "
    "noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, "
    "l1_unreserved_base = 1024, erisc_l1_unreserved_base = 1024, dram_unreserved_base = 1024, "
    "dram_unreserved_end = 1073741824, physical_cores = {worker = [ 0x0,  0x1] dram = [ 1x0] eth = [ 2x0]}, "
    "supported_data_types = [<f32>, <bf16>], supported_tile_sizes = [ 32x32], num_cbs = 32}"
)
EXAMPLES = (
    "#tt.arch<wormhole_b0>",
    "#tt.supportedDataTypes<bfp_bf8>",
    "#tt.memory_space<l1>",
    "#tt.memory_space<system>",
    "#tt.tensor_memory_layout<block_sharded>",
    "#tt.oob_val<neginf>",
    "#tt.iterator_type<parallel>",
    "#tt.operand_constraint<dram|l1|tile>",
    "#tt.grid<8x8, (d0, d1) -> (0, d0, d1)>",
    "#tt.grid<8x8>",
    "#tt.grid<>",
    "#tt<core_coord 3x4>",
    "#tt<tile_size 32x16>",
    "#tt<chip_physical_cores{worker = [ 0x0,  0x1] dram = [ 8x0]}>",
    "#tt<chip_physical_cores{worker = [] dram = [] eth_inactive = [ 3x16]}>",
    f"#tt<chip_desc{CHIP}>",
    '#tt<cpu_desc{role = host, target_triple = "x"}>',
    "#tt<cpu_role host>",
    "#tt<chip_coord 0x0x0x0>",
    "#tt.chip_channel<[0, 9, 0], [1, 0, 0]>",
    f'#tt.system_desc<[{{role = host, target_triple = "t"}}], [{CHIP}], [0, 0], [3 : i32, 0 : i32], '
    "[ 0x0x0x0,  0x0x0x1], [<[0, 2, 0], [1, 2, 0]>]>",
    f'#tt.system_desc<[{{role = device, target_triple = "t"}}], [{CHIP}], [0], [3 : i32], [ 0x0x0x0]>',
    f"#tt.layout<(d0, d1) -> (d0, d1), zero, <1x2>, memref<1x5x!tt.tile<32x32, f32>, {L1}>, block_sharded>",
    f"#tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, {L1}>>",
    f"#tt.buffer<memref<2x2xf32, {L1}>, alias>",
    "#tt.buffer<memref<2x2xf32>, alias|stream>",
    "#tt<buffer_access alias|stream>",
    "#tt.arg_alloc<1024, 4096, l1>",
    f"#tt.device<{DEVICE}>",
    "!tt.tile<32x32, bf16>",
    "!tt.tile<16x32, bfp_f2>",
    f"!tt.device<<{DEVICE}>>",
    "#ttnn.layout<tile>",
    "#ttnn.layout<invalid>",
    "#ttnn.tensor_memory_layout<none>",
    "#ttnn.buffer_type<l1_small>",
    "#ttnn.shape<64x128>",
    "#ttnn.shape<>",
    "#ttnn.shard_spec<<32x32>>",
    "#ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>",
    "#ttnn<mesh_shape 1x2>",
    "#ttnn.core_range<0x0, 8x8>",
    "#ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>",
    "#ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <2x1, (d0, d1) -> (0, d1, d0)>, "
    "memref<32x8xsi32, #ttnn.buffer_type<system_memory>>>",
    "#ttir<pooling_method Max>",
    "#ttir<pooling_method Average>",
    "#ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, "
    "kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, "
    "output_feature = 1, output_spatial_dimensions = 2x3>",
    "#ttkernel.reduce_type<reduce_max>",
    "#ttkernel.reduce_dim<reduce_dim_scalar>",
    "#ttkernel.thread<tensix>",
    "#ttkernel.noc_config<noc1>",
    "#ttkernel.ethernet_config<receiver, noc0>",
    "#ttkernel.tensix_config<hifi4, true, false, [default, fp32]>",
    "#ttkernel.tensix_config<lofi, false, true, []>",
    f"!ttkernel.cb<cb_in0, 1024, memref<1x1x!tt.tile<32x32, f32>, {L1}>, 4096, 1>",
    f"!ttkernel.cb<cb_int7, 0, memref<8x64xbf16, {L1}>, 2048, 2>",
    "!ttkernel.l1_addr",
    "!ttkernel.l1_addr_ptr",
    "!ttkernel.noc_addr",
    "#ttmetal.core_range<1x2, 8x8>",
)


@pytest.mark.parametrize("text", EXAMPLES)
def test_text_is_read_and_printed_as_it_is(text: str) -> None:
    value = attribute(text)
    assert str(value) == text
    again = attribute(text)
    assert value == again
    assert hash(value) == hash(again)


def test_every_attribute_and_type_has_an_example() -> None:
    classes = {type(attribute(text)) for text in EXAMPLES}
    listed = {kind for module in (tt, ttir, ttkernel, ttmetal, ttnn) for kind in module.ATTRIBUTES}
    assert listed - classes == set()
    assert len(listed) == 24 + 9 + 2 + 10 + 1


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("!tt.tile<32 x 32, bfp_bf8>", "!tt.tile<32x32, bfp_bf8>"),
        ("#tt.grid< 8 x 8 >", "#tt.grid<8x8>"),
        ("#tt<core_coord 3 x 4>", "#tt<core_coord 3x4>"),
        ("#tt<memory_space<l1>>", "#tt.memory_space<l1>"),
        ("#tt.operand_constraint<l1 | l1>", "#tt.operand_constraint<l1>"),
        (
            "#tt.operand_constraint<l1_block_sharded>",
            "#tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>",
        ),
        (
            "#tt.operand_constraint<dram|l1|tile|any_device_tile>",
            "#tt.operand_constraint<dram|l1|tile|none|interleaved|single_bank|height_sharded|width_sharded|"
            "block_sharded|any_layout|any_device_tile>",
        ),
        (
            "#ttnn.memory_config<#ttnn.tensor_memory_layout<interleaved>, #ttnn.buffer_type<l1>, "
            "#ttnn.shard_spec<#ttnn.shape<2x4>>>",
            "#ttnn.memory_config<<interleaved>, <l1>, <<2x4>>>",
        ),
        (
            "#tt<chip_physical_cores{worker = [#tt<core_coord 0x0>,0x1] dram = [8x0]}>",
            "#tt<chip_physical_cores{worker = [ 0x0,  0x1] dram = [ 8x0]}>",
        ),
        (
            f"#tt.layout<affine_map<(a, b) -> (a, b)>, undef, #tt.grid<1x2>, memref<8x150xf32, {L1}>, none>",
            f"#tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, {L1}>>",
        ),
        (
            "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, "
            "memref<4x4xf32, affine_map<(d0, d1) -> (d0, d1)>, #ttnn.buffer_type<l1>>>",
            "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x4xf32, #ttnn.buffer_type<l1>>>",
        ),
        (f"!tt.device<#tt.device<{DEVICE}>>", f"!tt.device<<{DEVICE}>>"),
    ],
)
def test_other_spellings(written: str, printed: str) -> None:
    assert str(attribute(written)) == printed


@pytest.mark.parametrize("name", system_names())
def test_systems_as_text(name: str) -> None:
    desc = SystemDescAttr(system(name))
    assert attribute(str(desc)) == desc


def test_attributes_of_one_value_are_one_object() -> None:
    assert tt.MemorySpaceAttr.of(3) is tt.MemorySpaceAttr.of(3)
    assert tt.MemorySpaceAttr.of(3) != ttnn.TTNNBufferTypeAttr.of(1)
    assert tt.TensorMemoryLayoutAttr.of(1) != ttnn.TTNNTensorMemoryLayoutAttr.of(1)


def test_they_can_be_sent_to_another_process() -> None:
    for text in EXAMPLES:
        value = attribute(text)
        assert pickle.loads(pickle.dumps(value)) == value


def test_the_dialects_are_those_of_the_context() -> None:
    for name in ("tt", "ttnn", "ttir"):
        assert context().get_optional_dialect(name) is not None
