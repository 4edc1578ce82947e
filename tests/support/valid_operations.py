"""A right operation for every row of TT-MLIR's dialects."""

from __future__ import annotations

from support.single_operations import SingleOperation
from tt_model.operations import kinds
from tt_model.operations.dialects import all_rows
from tt_model.operations.row import Row

_T = "64x128xf32"
_BINARY = frozenset(
    [
        "add",
        "div",
        "eq",
        "ge",
        "gt",
        "le",
        "logical_and",
        "logical_or",
        "logical_xor",
        "lt",
        "maximum",
        "minimum",
        "multiply",
        "ne",
        "remainder",
        "subtract",
    ]
)
_SI32 = "{} = {} : si32"
_CB = "!ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>"
_KERNEL_TYPES = {
    kinds.INTEGER32: "i32",
    kinds.CIRCULAR_BUFFER: _CB,
    kinds.NOC_ADDRESS: "!ttkernel.noc_addr",
    kinds.INTEGER32_OR_L1_ADDRESS: "!ttkernel.l1_addr",
    kinds.L1_ADDRESS_POINTER: "!ttkernel.l1_addr_ptr",
    kinds.MEMREF_OR_CIRCULAR_BUFFER: "memref<4x8xf32>",
}
_ENTRIES = {
    kinds.DATA_TYPE_NUMBER: "2 : i32",
    kinds.REDUCE_TYPE: "#ttkernel.reduce_type<reduce_max>",
    kinds.REDUCE_DIM: "#ttkernel.reduce_dim<reduce_dim_col>",
    kinds.SYMBOL: "@name",
    kinds.DATA_TYPE: "#tt.supportedDataTypes<f32>",
    kinds.F32: "1.000000e+00 : f32",
    kinds.I32: "0 : i32",
    kinds.BOOL: "true",
    kinds.STRING: '"BroadcastType::ROW"',
}


def _numbers(text: str, **numbers: int) -> str:
    return ", ".join(text.format(name, value) for name, value in numbers.items())


_CONV2D = _numbers(
    _SI32,
    stride_height=1,
    stride_width=1,
    dilation_height=1,
    dilation_width=1,
    groups=1,
    padding_left=0,
    padding_right=0,
    padding_top=0,
    padding_bottom=0,
)
_CONV2D_ON_DEVICE = _numbers(
    "{} = {} : i32",
    in_channels=64,
    out_channels=64,
    batch_size=1,
    input_height=32,
    input_width=32,
    kernel_height=3,
    kernel_width=3,
    stride_height=1,
    stride_width=1,
    padding_height=0,
    padding_width=0,
    dilation_height=1,
    dilation_width=1,
    groups=1,
)
_WINDOW = {
    "kernel_height": 2,
    "kernel_width": 2,
    "stride_height": 2,
    "stride_width": 2,
    "dilation_height": 1,
    "dilation_width": 1,
}
_SLICE = "begins = [0 : i32, -64 : i32], ends = [64 : i32, 128 : i32], step = [2 : i32, 1 : i32]"
_SHARDS = (
    "shard_dims = array<i64: 0, 1>, shard_direction = #tt.shard_direction<shard_to_full>, "
    "shard_shape = array<i64: 2, 4>, shard_type = #tt.shard_type<devices>"
)
_CONFIG = "memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<2x4>>>"
_ALLOC = "address = 4096 : i64, memory_space = #tt.memory_space<l1>, size = 32768 : i64"
_DENSE = "{} = array<i64: {}>"
_GATHER = ", ".join(
    [
        _DENSE.format("offset_dims", 2),
        _DENSE.format("collapsed_slice_dims", 0),
        "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>",
        _DENSE.format("start_index_map", 0),
        "index_vector_dim = 1 : si64, slice_sizes = array<i64: 1, 128>, indices_are_sorted = false",
    ]
)
_CONVOLUTION = (
    "batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, "
    "input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, "
    "output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, "
    "input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, "
    "window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>"
)
_POOLING = (
    "pooling_method = #ttir<pooling_method Average>, window_strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, "
    "window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>"
)
_ON_L1 = "64x128xf32, #metal_l1"
_ON_HOST = "64x128xf32, #metal_host"
_VALUE = "value = dense<1.0> : tensor<64x128xf32>"
_LIMITS = "min = -1.0 : f32, max = 1.0 : f32"
_IMAGE = "1x32x32x64xbf16; 64x64x3x3xbf16"


def _one(name: str, operands: str, results: str, attributes: str = "", regions: str = "") -> SingleOperation:
    return SingleOperation(name, operands, results, attributes, regions)


OTHERS: tuple[SingleOperation, ...] = (
    _one("ttir.all_gather", f"{_T}; 64x256xf32", "64x256xf32", "dim = -1 : si32"),
    _one("ttir.all_reduce", f"{_T}; {_T}", _T, "cluster_axis = 1 : ui32, reduce_type = 0 : i32"),
    _one("ttir.alloc", "", _ON_L1, _ALLOC),
    _one("ttir.mesh_shard", f"{_T}; 128x512xf32", "128x512xf32", _SHARDS),
    _one("ttnn.mesh_shard", f"{_T}; device", "128x512xf32", _SHARDS),
    _one("ttir.broadcast", f"1x128xf32; {_T}", _T, "dimension = [0]"),
    _one("ttir.clamp", f"{_T}; {_T}", _T, _LIMITS),
    _one("ttir.concat", f"{_T}; 64x64xf32; 64x192xf32", "64x192xf32", "dim = -1 : si32"),
    _one("ttir.constant", "", _T, "value = dense<1> : tensor<64x128xi32>"),
    _one("ttir.conv2d", f"{_IMAGE}; 1x1x1x64xbf16; 1x30x30x64xbf16", "1x30x30x64xbf16", _CONV2D),
    _one("ttir.conv2d", f"{_IMAGE}; 1x30x30x64xbf16", "1x30x30x64xbf16", _CONV2D),
    _one(
        "ttir.convolution",
        "1x3x100x100xbf16; 7x3x3x3xbf16; 1x1x1x7xbf16; 1x7x100x100xbf16",
        "1x7x100x100xbf16",
        _CONVOLUTION,
    ),
    _one("ttir.dealloc", _ON_L1, ""),
    _one("ttir.embedding", "32xf32; 512x128xf32; 32x128xf32", "32x128xf32"),
    _one("ttir.fill", _T, _T, _VALUE),
    _one("ttir.gather", "512x128xf32; 1x32xi32; 1x32x128xf32", "1x32x128xf32", _GATHER),
    _one(
        "ttir.generic",
        f"{_T} | {_T} | {_T}",
        _T,
        "grid = #tt.grid<1x1>, indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], "
        "iterator_types = [#tt.iterator_type<parallel>, #tt.iterator_type<parallel>], operand_cb_mapping = array<i64: 0, -1>",
        '({\n  ^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):\n    "ttir.yield"() : () -> ()\n  })',
    ),
    _one("ttir.get_dimension_size", _T, "1xi32", "dimension = 1 : i32"),
    _one(
        "ttir.index",
        f"{_T}; 64x32xf32",
        "64x32xf32",
        "dim = 1 : i32, begin = 0 : i32, end = -1 : i32, step = 4 : i32",
    ),
    _one("ttir.kernel", f"{_T}; {_T} | {_T}", _T, "op = @add, kind = @eltwise"),
    _one("ttir.matmul", "7x64x128xf32; 128x96xf32; 7x64x96xf32", "7x64x96xf32"),
    *(
        _one(f"ttir.{name}", f"{_T}; 64x1xf32", "64x1xf32", "keep_dim = true, dim_arg = [1 : i32]")
        for name in ("max", "mean", "sum")
    ),
    _one(
        "ttir.max_pool2d",
        "1x4x4x8xbf16; 1x2x2x8xbf16",
        "1x2x2x8xbf16",
        "ceil_mode = false, "
        + _numbers(_SI32, **_WINDOW, padding_left=0, padding_right=0, padding_top=0, padding_bottom=0),
    ),
    _one("ttir.pooling", f"{_T} | {_T}", _T, _POOLING),
    _one("ttir.fill_cache", "2x4x64x32xf32; 1x4x32x32xf32", "2x4x64x32xf32", "batch_offset = 1 : i32"),
    _one(
        "ttir.update_cache", "2x4x64x32xf32; 1x4x2x32xf32; 1xi32", "2x4x64x32xf32", "batch_offset = 0 : i32"
    ),
    _one("ttnn.copy", f"{_T}; {_T}", _T),
    _one("ttnn.fill_cache", "2x4x64x32xf32; 1x4x32x32xf32", "2x4x64x32xf32", "batch_offset = 1 : i32"),
    _one(
        "ttnn.update_cache", "2x4x64x32xf32; 1x4x2x32xf32; 1xi32", "2x4x64x32xf32", "batch_offset = 0 : i32"
    ),
    _one("ttir.reshape", f"{_T}; 8192xf32", "8192xf32", "shape = [-1 : i32]"),
    _one("ttir.slice", f"{_T}; 32x64xf32", "32x64xf32", _SLICE),
    _one("ttir.softmax", f"{_T}; {_T}", _T, "dimension = -1 : si32"),
    _one("ttir.squeeze", f"64x1x128xf32; {_T}", _T, "dim = -2 : si32"),
    _one("ttir.to_layout", f"{_T}; 64x128xbf16", "64x128xbf16"),
    _one(
        "ttir.reduce_scatter",
        f"64x256xf32; {_T}",
        _T,
        "cluster_axis = 0 : ui32, reduce_type = 2 : i32, scatter_dim = 1 : si32",
    ),
    _one("ttir.transpose", f"{_T}; 128x64xf32", "128x64xf32", "dim0 = 0 : si32, dim1 = -1 : si32"),
    _one("ttir.unsqueeze", f"{_T}; 64x1x128xf32", "64x1x128xf32", "dim = 1 : si32"),
    _one("ttnn.all_gather", _T, "64x256xf32", "dim = 1 : si32, num_links = 1 : si32"),
    _one(
        "ttnn.alloc",
        "",
        "64x128xf32, #l1",
        "address = 4096 : i64, buffer_type = #ttnn.buffer_type<l1>, size = 32768 : i64",
    ),
    _one("ttnn.clamp", _T, _T, _LIMITS),
    _one("ttnn.concat", f"{_T}; 64x64xf32; 64x192xf32", "64x192xf32", "dim = 1 : si32"),
    _one(
        "ttnn.conv2d",
        f"{_IMAGE}; 1x1x1x64xbf16; 1x1x900x64xbf16; device",
        "1x1x900x64xbf16",
        _CONV2D_ON_DEVICE,
    ),
    _one("ttnn.deallocate", _T, "", "force = false"),
    _one("ttnn.embedding", "32xf32; 32x128xf32; 512x128xf32", "32x128xf32"),
    _one(
        "ttnn.empty",
        "device",
        "64x128xf32, #dram",
        "shape = #ttnn.shape<64x128>, dtype = #tt.supportedDataTypes<f32>, "
        f"layout = #ttnn.layout<tile>, {_CONFIG}",
    ),
    _one("ttnn.from_device", "64x128xf32, #dram", "64x128xf32, #host"),
    _one("ttnn.full", "device", "64x128xf32, #dram", "fillValue = 2.5 : f32"),
    _one("ttnn.get_device", "", "device", "mesh_shape = #ttnn<mesh_shape 1x1>"),
    _one("ttnn.matmul", "64x128xf32; 128x96xf32; 64x96xf32", "64x96xf32"),
    *(
        _one(f"ttnn.{name}", _T, "64xf32", "keep_dim = false, dim_arg = [1 : i32]")
        for name in ("max", "mean", "sum")
    ),
    _one(
        "ttnn.max_pool2d",
        "1x1x16x8xbf16; 1x1x4x8xbf16; device",
        "1x1x4x8xbf16",
        "ceil_mode = false, "
        + _numbers(
            _SI32,
            batch_size=1,
            input_height=4,
            input_width=4,
            channels=8,
            **_WINDOW,
            padding_height=0,
            padding_width=0,
        ),
    ),
    _one(
        "ttnn.reduce_scatter",
        "64x256xf32",
        _T,
        "scatter_split_dim = 1 : si32, math_op = 0 : i32, num_links = 2 : si32",
    ),
    _one("ttnn.reshape", _T, "8192xf32", "shape = [8192 : i32]"),
    _one("ttnn.slice", f"{_T}; 32x64xf32", "32x64xf32", _SLICE),
    _one("ttnn.softmax", _T, _T, "dimension = 1 : si32"),
    _one("ttnn.to_device", "64x128xf32, #host; device", "64x128xf32, #dram", _CONFIG),
    _one(
        "ttnn.to_layout",
        "64x128xf32, #host; device",
        "64x128xf32, #dram",
        f"layout = #ttnn.layout<tile>, dtype = #tt.supportedDataTypes<f32>, {_CONFIG}",
    ),
    _one("ttnn.to_memory_config", "64x128xf32, #dram", "64x128xf32, #l1_sharded", _CONFIG),
    _one("ttnn.transpose", _T, "128x64xf32", "dim0 = 0 : si32, dim1 = 1 : si32"),
    _one("ttnn.typecast", _T, "64x128xbf16", "dtype = #tt.supportedDataTypes<bf16>"),
    _one("ttmetal.alloc", "", _ON_L1, _ALLOC),
    _one("ttmetal.dealloc", _ON_L1, ""),
    _one(
        "ttmetal.dispatch",
        f"{_ON_L1} | {_ON_L1}",
        _ON_L1,
        "core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>]",
        "({\n  ^bb0(%arg9: " + _CB + '):\n    "ttkernel.return"() : () -> ()\n  })',
    ),
    _one("ttmetal.host_read", f"{_ON_L1}; {_ON_HOST}", _ON_HOST),
    _one("ttmetal.host_write", _ON_L1, _ON_L1, _VALUE),
)


def _elementwise(row: Row) -> SingleOperation:
    count = 3 if row.mnemonic == "where" else 2 if row.mnemonic in _BINARY else 1
    attributes = "parameter = 0.1 : f32" if "parameter" in row.attribute_named else ""
    return _one(row.name, f"{'; '.join([_T] * count)} | {_T}", _T, attributes)


def _kernel(row: Row) -> SingleOperation:
    return _one(
        row.name,
        "; ".join(_KERNEL_TYPES[operand.kind] for operand in row.operands),
        "; ".join(_KERNEL_TYPES[result.kind] for result in row.results),
        ", ".join(f"{item.name} = {_ENTRIES[item.kind]}" for item in row.attributes),
    )


_TT_LANG = 'kernel_id = "pkg.add::v1", version_tag = "1", arg_roles = "in,in,out", shard_spec = ""'
_TILED = f"{_T}, #dram"
TT_LANG = (
    _one("ttir.tt_lang_op", f"{_T}; {_T}; {_T}", _T, _TT_LANG),
    _one(
        "ttnn.tt_lang_op",
        f"{_TILED}; {_TILED}; {_TILED}",
        _TILED,
        f'{_TT_LANG}, kernel_artifact = "{{\\22format_version\\22: 2}}"',
    ),
    _one(
        "ttnn.generic",
        f"{_TILED}; {_TILED}",
        _TILED,
        'program = #ttnn.program<[#ttnn.compute_kernel<{source = "void kernel_main() {}"}>], '
        "[#ttnn.kernel_cb<{buffer_index = 0}>], {}>",
    ),
)

# All of them but terminators, which have no place of their own.
VALID: tuple[SingleOperation, ...] = (
    *map(_elementwise, (row for row in all_rows() if row.elementwise)),
    *OTHERS,
    *TT_LANG,
    *map(
        _kernel, (row for row in all_rows() if row.dialect == "ttkernel" and "Terminator" not in row.traits)
    ),
)
