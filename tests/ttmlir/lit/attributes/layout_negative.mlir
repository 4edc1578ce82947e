// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// A #tt.layout is checked against its tensor, and tiles against what chips have.

#l1_ = #tt.memory_space<l1>
// CHECK: layout_negative.mlir:6:{{[0-9]+}}: error: 'func.func' op argument #0: the map of its tt.layout has 2 dimensions, and the tensor 3
func.func @rank_of_the_map(%arg0: tensor<64x256x1024xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<32x128xf32, #l1_>>>) { return }

// -----
#l1_ = #tt.memory_space<l1>
// CHECK: error: 'func.func' op argument #0: the map of its tt.layout has 2 results, the grid 3 dimensions and the memref 2: these are as many
func.func @rank_of_the_grid(%arg0: tensor<64x128xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x2x2>, memref<32x64xf32, #l1_>>>) { return }

// -----
#l1_ = #tt.memory_space<l1>
// CHECK: error: 'func.func' op argument #0: the memref of its tt.layout is 64x128, and a place of the grid 2x2 holds 32x64
func.func @shard(%arg0: tensor<64x128xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<64x128xf32, #l1_>>>) { return }

// -----
#l1_ = #tt.memory_space<l1>
// CHECK: error: 'func.func' op argument #0: the memref of its tt.layout is 2x2, and a place of the grid 2x2 holds 1x2 tiles of 32x32
func.func @tiles(%arg0: tensor<64x128xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<2x2x!tt.tile<32x32, f32>, #l1_>>>) { return }

// -----
#dram = #tt.memory_space<dram>
#l1_ = #tt.memory_space<l1>
// CHECK: error: 'func.func' op argument #0: its tt.layout is height_sharded in dram: shards lie in l1
func.func @shards_in_dram(%arg0: tensor<64x128xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <2x1>, memref<32x128xf32, #dram>, height_sharded>>) { return }

// -----
#l1_ = #tt.memory_space<l1>
// CHECK: error: 'tensor.empty' op result #0: the memref of its tt.layout is 64x64, and a place of the grid 1x1 holds 64x128
func.func @result() {
  %0 = tensor.empty() : tensor<64x128xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x64xf32, #l1_>>>
  return
}

// -----
// CHECK: error: no chip has tiles of 33x32: they have 1, 2, 4, 8, 16, 32 rows and 16 or 32 columns
func.func private @tile(memref<4x!tt.tile<33x32, f32>>)

// -----
// CHECK: error: no chip has tiles of 33x32
module attributes {a = #tt<tile_size 33x32>} {}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#parallel = #tt.iterator_type<parallel>
// CHECK: error: 'ttir.generic' op indexing_maps has 1 maps for 3 operands: each input and output has one
func.func @maps(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = "ttir.generic"(%arg0, %arg1, %arg2) <{grid = #tt.grid<1x1>, indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#parallel, #parallel], operandSegmentSizes = array<i32: 2, 0, 1>, operand_cb_mapping = array<i64: -1, -1, -1>, operand_constraints = [#any_device, #any_device, #any_device]}> ({
  ^bb0(%a: memref<64x128xf32>, %b: memref<64x128xf32>, %c: memref<64x128xf32>):
    "ttir.yield"() : () -> ()
  }) : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
