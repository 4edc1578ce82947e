// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Constraints that allow scalars: the operands come to DRAM row-major, one change of layout each; the result goes back to the host.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
module {
func.func @forward(%a: tensor<64x128xf32>, %b: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = tensor.empty() : tensor<64x128xf32>
  %1 = "ttir.multiply"(%a, %b, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x128xf32, #dram>, interleaved>
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x128xf32, #ttnn_layout>, %[[V1:[a-z0-9_]+]]: tensor<64x128xf32, #ttnn_layout>) -> tensor<64x128xf32, #ttnn_layout>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<64x128xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V2]]) : (tensor<64x128xf32, #ttnn_layout>, tensor<64x128xf32, #ttnn_layout1>) -> tensor<64x128xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.empty() : tensor<64x128xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = "ttir.to_layout"(%[[V1]], %[[V4]]) : (tensor<64x128xf32, #ttnn_layout>, tensor<64x128xf32, #ttnn_layout1>) -> tensor<64x128xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.empty() : tensor<64x128xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = "ttir.multiply"(%[[V3]], %[[V5]], %[[V6]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32, #ttnn_layout1>, tensor<64x128xf32, #ttnn_layout1>, tensor<64x128xf32, #ttnn_layout1>) -> tensor<64x128xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.empty() : tensor<64x128xf32, #ttnn_layout>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = "ttir.to_layout"(%[[V7]], %[[V8]]) : (tensor<64x128xf32, #ttnn_layout1>, tensor<64x128xf32, #ttnn_layout>) -> tensor<64x128xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V9]] : tensor<64x128xf32, #ttnn_layout>
