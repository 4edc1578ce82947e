// RUN: ttmlir-opt %s | FileCheck %s --match-full-lines

// Definitions: by depth, then by name, then by first appearance. The memories of both dialects share the name l1.
// CHECK:      #any_device_tile = #tt.operand_constraint<dram|l1|tile|none|interleaved|single_bank|height_sharded|width_sharded|block_sharded|any_layout|any_device_tile>
// CHECK-NEXT: #device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>
// CHECK-NEXT: #dram = #ttnn.buffer_type<dram>
// CHECK-NEXT: #l1_ = #tt.memory_space<l1>
// CHECK-NEXT: #l1_1 = #ttnn.buffer_type<l1>
// CHECK-NEXT: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-NEXT: #layout = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #l1_>>
// CHECK-NEXT: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #system_memory>>
// CHECK-NEXT: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x4>, memref<1x1x!tt.tile<32x32, f32>, #l1_1>, block_sharded>
// CHECK-NEXT: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #dram>, interleaved>
// CHECK-NEXT: module attributes {tt.device = #device} {
module attributes {tt.device = #tt.device<workerGrid = #tt.grid<8x8, (y, x) -> (0, y, x)>, l1Map = (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>} {
  // CHECK-NEXT: func.func @forward(%arg0: tensor<64x128xf32, #layout>, %arg1: tensor<64x128xf32, #ttnn_layout>, %arg2: tensor<64x128xf32, #ttnn_layout1>) -> tensor<64x128xf32, #ttnn_layout2> {
  func.func @forward(%arg0: tensor<64x128xf32, #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>>,
                     %arg1: tensor<64x128xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>>>,
                     %arg2: tensor<64x128xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x4>, memref<1x1x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1>>, block_sharded>>)
      -> tensor<64x128xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32 x 32, f32>, #ttnn.buffer_type<dram>>, interleaved>> {
    // CHECK-NEXT: %0 = tensor.empty() : tensor<64x128xf32, #ttnn_layout2>
    %0 = tensor.empty() : tensor<64x128xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>>
    // CHECK-NEXT: %1 = "ttir.constant"() <{value = dense<0.000000e+00> : tensor<2xf32>}> {config = #ttnn.memory_config<<block_sharded>, #l1_1, <<1x1>>>, constraint = #any_device_tile} : () -> tensor<2xf32>
    %1 = "ttir.constant"() <{value = dense<0.0> : tensor<2xf32>}> {config = #ttnn.memory_config<<block_sharded>, <l1>, <<1x1>>>, constraint = #tt.operand_constraint<any_device_tile>} : () -> tensor<2xf32>
    return %0 : tensor<64x128xf32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>>
  }
}
