// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.alloc refuse.

// CHECK: error: 'ttir.alloc' op Result type missing layout attribute
func.func @forward() {
  %0 = "ttir.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32>
  return
}

// -----

// CHECK: error: 'ttir.alloc' op Alloc size must be non-zero
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward() {
  %0 = "ttir.alloc"() <{address = 4096 : i64, size = 0 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32, #metal_l1>
  return
}

// -----

// CHECK: error: 'ttir.alloc' op Input tensor layout memory space must match alloc memory space
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward() {
  %0 = "ttir.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<dram>}> : () -> tensor<64x128xf32, #metal_l1>
  return
}

// -----

// CHECK: error: 'ttir.alloc' op Allocating from system memory space must have address set to 0
#metal_host = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<system>>>
func.func @forward() {
  %0 = "ttir.alloc"() <{address = 4096 : i64, size = 32768 : i64, memory_space = #tt.memory_space<system>}> : () -> tensor<64x128xf32, #metal_host>
  return
}

// -----

// CHECK: error: 'ttir.alloc' op Allocating from a device memory space must have address set to a non-zero value
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward() {
  %0 = "ttir.alloc"() <{address = 0 : i64, size = 32768 : i64, memory_space = #tt.memory_space<l1>}> : () -> tensor<64x128xf32, #metal_l1>
  return
}
