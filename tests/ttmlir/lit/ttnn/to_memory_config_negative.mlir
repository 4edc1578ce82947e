// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.to_memory_config refuse.

// CHECK: error: 'ttnn.to_memory_config' op Input tensor type missing layout attribute
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
func.func @forward(%arg0: tensor<64x128xf32>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32>) -> tensor<64x128xf32, #dram>
  return
}

// -----

// CHECK: error: 'ttnn.to_memory_config' op Output tensor type missing layout attribute
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
func.func @forward(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32>
  return
}

// -----

// CHECK: error: 'ttnn.to_memory_config' op System memory space only supports undef memory layout
#host_interleaved = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>, interleaved>
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
func.func @forward(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #host_interleaved>
  return
}

// -----

// CHECK: error: 'ttnn.to_memory_config' op Device memory space only supports interleaved or sharded memory layouts
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
#dram_none = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>>
func.func @forward(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram_none>
  return
}

// -----

// CHECK: error: 'ttnn.to_memory_config' op Device DRAM memory space only supports interleaved memory layout
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
#dram_sharded = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>, height_sharded>
func.func @forward(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #dram_sharded>
  return
}

// -----

// CHECK: error: 'ttnn.to_memory_config' op Sharded tensors layout must reside in L1
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
#small_sharded = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<l1_small>>, height_sharded>
func.func @forward(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #small_sharded>
  return
}

// -----

// CHECK: error: 'ttnn.to_memory_config' op Shard shape must be 2D
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
#l1_sharded_cube = #ttnn.ttnn_layout<(d0, d1) -> (0, d0, d1), <1x1x1>, memref<1x64x128xf32, #ttnn.buffer_type<l1>>, height_sharded>
func.func @forward(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #l1_sharded_cube>
  return
}

// -----

// CHECK: error: 'ttnn.to_memory_config' op Shard shape (16, 32) must divide tile shape (32, 32) evenly
#dram = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>
#l1_blocks = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x4>, memref<16x32xf32, #ttnn.buffer_type<l1>>, block_sharded>
func.func @forward(%arg0: tensor<64x128xf32, #dram>) {
  %0 = "ttnn.to_memory_config"(%arg0) <{memory_config = #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>}> : (tensor<64x128xf32, #dram>) -> tensor<64x128xf32, #l1_blocks>
  return
}
