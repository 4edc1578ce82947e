"""Attributes and types of TT-MLIR from text, as ``ttmlir-opt`` reads them."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Attribute

from tt_model.operations.dialects import DIALECTS
from ttl.ir.context import ToolContext, make_context
from ttl.ir.parser import LocationParser, parse_text
from ttl.ir.reports import InvalidIR

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
# One of every attribute and type, as it is printed. Facts §1.2.
ATTRIBUTE_EXAMPLES = (
    "#tt.arch<wormhole_b0>",
    "#tt.supportedDataTypes<bfp_bf8>",
    "#tt.memory_space<l1>",
    "#tt.memory_space<system>",
    "#tt.tensor_memory_layout<block_sharded>",
    "#tt.oob_val<neginf>",
    "#tt.iterator_type<parallel>",
    "#tt.shard_type<devices>",
    "#tt.shard_direction<full_to_shard>",
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
    '#ttnn.program<[#ttnn.compute_kernel<{name = "compute"}>, #ttnn.read_kernel<{noc = 0 : i64}>, '
    "#ttnn.write_kernel<{noc = 1 : i64}>], [#ttnn.kernel_cb<{buffer_index = 0 : i64}>], {}>",
    '#ttnn.compute_kernel<{name = "compute"}>',
    '#ttnn.read_kernel<{name = "read"}>',
    '#ttnn.write_kernel<{name = "write"}>',
    "#ttnn.kernel_cb<{buffer_index = 0 : i64}>",
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


@cache
def context() -> ToolContext:
    """All dialects."""
    return make_context(DIALECTS, allow_unregistered=True)


def attribute(text: str) -> Attribute:
    """One attribute, or one type."""
    parser = LocationParser(context(), text)
    return parser.parse_type() if text.startswith("!") else parser.parse_attribute()


def refused(text: str) -> str:
    """What is said about a module that has a wrong attribute or type: ``line:column: message``. Empty if it is read."""
    is_type = text.startswith("!")
    body = f'"a.b"() : () -> {text}' if is_type else f'"a.b"() {{a = {text}}} : () -> ()'
    try:
        parse_text(context(), body, "t.mlir")
    except InvalidIR as problem:
        span = problem.reports[0].span
        assert span is not None
        return f"{span.line}:{span.column - (15 if is_type else 14)}: {problem.reports[0].message}"
    return ""
