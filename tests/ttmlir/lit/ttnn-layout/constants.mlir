// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Equal constants are one, and the later ones stand first; one that is only returned stays on the host.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @constants(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %k0 = "ttir.constant"() <{value = dense<0.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %e0 = tensor.empty() : tensor<32x32xf32>
  %s = "ttir.add"(%a, %k0, %e0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %k1 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %e1 = tensor.empty() : tensor<32x32xf32>
  %t = "ttir.add"(%s, %k1, %e1) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %k2 = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %e2 = tensor.empty() : tensor<32x32xf32>
  %u = "ttir.multiply"(%t, %k2, %e2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %u : tensor<32x32xf32>
}
func.func @on_host() -> tensor<32x32xbf16> {
  %0 = "ttir.constant"() <{value = dense<1.5> : tensor<32x32xbf16>}> : () -> tensor<32x32xbf16>
  return %0 : tensor<32x32xbf16>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xbf16, #system_memory>>
// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.constant"() <{value = dense<0.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V3]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.add"(%[[V4]], %[[V2]], %[[V5]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.add"(%[[V6]], %[[V1]], %[[V7]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.multiply"(%[[V8]], %[[V1]], %[[V9]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = "ttir.to_layout"(%[[V10]], %[[V11]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V12]] : tensor<32x32xf32, #ttnn_layout>
// CHECK-LABEL: func.func @on_host(
// CHECK-SAME: ) -> tensor<32x32xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = "ttir.constant"() <{value = dense<1.500000e+00> : tensor<32x32xbf16>}> : () -> tensor<32x32xbf16, #ttnn_layout2>
// CHECK-NEXT: {{.*}}return %[[V0]] : tensor<32x32xbf16, #ttnn_layout2>
