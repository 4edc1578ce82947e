// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttmetal.host_write refuse.

// CHECK: error: 'ttmetal.host_write' op Output tensor missing layout attribute
func.func @forward(%arg0: tensor<64x128xf32>) {
  %0 = "ttmetal.host_write"(%arg0) <{value = dense<0.0> : tensor<64x128xf32>}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// -----

// CHECK: error: 'ttmetal.host_write' op Output tensor must be in device memory space, got system
#metal_host = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<system>>>
func.func @forward(%arg0: tensor<64x128xf32, #metal_host>) {
  %0 = "ttmetal.host_write"(%arg0) <{value = dense<0.0> : tensor<64x128xf32>}> : (tensor<64x128xf32, #metal_host>) -> tensor<64x128xf32, #metal_host>
  return
}
