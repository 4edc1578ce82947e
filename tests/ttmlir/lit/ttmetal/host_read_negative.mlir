// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttmetal.host_read refuse.

// CHECK: error: 'ttmetal.host_read' op Input tensor missing layout attribute
#metal_host = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<system>>>
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32, #metal_host>) {
  %0 = "ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
  return
}

// -----

// CHECK: error: 'ttmetal.host_read' op Input tensor must be in device memory space, got system
#metal_host = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<system>>>
func.func @forward(%arg0: tensor<64x128xf32, #metal_host>, %arg1: tensor<64x128xf32, #metal_host>) {
  %0 = "ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32, #metal_host>, tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
  return
}

// -----

// CHECK: error: 'ttmetal.host_read' op Output tensor must be in system memory space, got l1
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward(%arg0: tensor<64x128xf32, #metal_l1>, %arg1: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.host_read"(%arg0, %arg1) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}
