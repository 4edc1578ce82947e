// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.alloc refuse.

// CHECK: error: 'ttnn.alloc' op Result type missing layout attribute
func.func @forward() {
  %0 = "ttnn.alloc"() <{address = 4096 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<l1>}> : () -> tensor<64x128xf32>
  return
}

// -----

// CHECK: error: 'ttnn.alloc' op Alloc size must be non-zero
#l1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1>>, interleaved>
func.func @forward() {
  %0 = "ttnn.alloc"() <{address = 4096 : i64, size = 0 : i64, buffer_type = #ttnn.buffer_type<l1>}> : () -> tensor<64x128xf32, #l1>
  return
}

// -----

// CHECK: error: 'ttnn.alloc' op Input tensor layout memory space must match alloc memory space
#l1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1>>, interleaved>
func.func @forward() {
  %0 = "ttnn.alloc"() <{address = 4096 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<dram>}> : () -> tensor<64x128xf32, #l1>
  return
}

// -----

// CHECK: error: 'ttnn.alloc' op Allocating from system memory space must have address set to 0
#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>>
func.func @forward() {
  %0 = "ttnn.alloc"() <{address = 4096 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<system_memory>}> : () -> tensor<64x128xf32, #host>
  return
}

// -----

// CHECK: error: 'ttnn.alloc' op Allocating from a device memory space must have address set to a non-zero value
#l1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1>>, interleaved>
func.func @forward() {
  %0 = "ttnn.alloc"() <{address = 0 : i64, size = 32768 : i64, buffer_type = #ttnn.buffer_type<l1>}> : () -> tensor<64x128xf32, #l1>
  return
}
