// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttmetal.dispatch refuse.

// CHECK: error: 'ttmetal.dispatch' op Input tensor missing layout attribute
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg9: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>):
    "ttkernel.return"() : () -> ()
  }) : (tensor<64x128xf32>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}

// -----

// CHECK: error: 'ttmetal.dispatch' op Input tensor must be in device memory space, got system
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
#metal_host = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<system>>>
func.func @forward(%arg0: tensor<64x128xf32, #metal_host>, %arg1: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg9: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>):
    "ttkernel.return"() : () -> ()
  }) : (tensor<64x128xf32, #metal_host>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}

// -----

// CHECK: error: 'ttmetal.dispatch' op The number of core ranges must match the number of regions: 0 core ranges, 1 regions
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward(%arg0: tensor<64x128xf32, #metal_l1>, %arg1: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg9: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>):
    "ttkernel.return"() : () -> ()
  }) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}

// -----

// CHECK: error: 'ttmetal.dispatch' op The number of kernel configs must match the number of regions: 0 kernel configs, 1 regions
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward(%arg0: tensor<64x128xf32, #metal_l1>, %arg1: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg9: !ttkernel.cb<cb_in0, 1024, memref<64x128xf32, #tt.memory_space<l1>>, 4096, 1>):
    "ttkernel.return"() : () -> ()
  }) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}

// -----

// CHECK: error: 'ttmetal.dispatch' op Block inputs must be CBType, got 'i32' in region #0
#metal_l1 = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @forward(%arg0: tensor<64x128xf32, #metal_l1>, %arg1: tensor<64x128xf32, #metal_l1>) {
  %0 = "ttmetal.dispatch"(%arg0, %arg1) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.noc_config<noc0>], operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg9: i32):
    "ttkernel.return"() : () -> ()
  }) : (tensor<64x128xf32, #metal_l1>, tensor<64x128xf32, #metal_l1>) -> tensor<64x128xf32, #metal_l1>
  return
}
