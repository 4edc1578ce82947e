// RUN: ttmlir-opt --cse %s | FileCheck %s
// tensor.empty has no effect, so equal ones are one. Operations of TTIR do not say so and stay, equal or not, used or not.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #ttnn.buffer_type<system_memory>>>
// CHECK-LABEL: func.func @empties(
// CHECK-NEXT: %[[E:.*]] = tensor.empty()
// CHECK-NEXT: "ttir.relu"(%arg0, %[[E]])
// CHECK-NEXT: "ttir.relu"(%arg0, %[[E]])
// CHECK-NEXT: return
func.func @empties(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e0 = tensor.empty() : tensor<4xf32>
  %unused = tensor.empty() : tensor<8xf32>
  %0 = "ttir.relu"(%a, %e0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %1 = "ttir.relu"(%a, %e1) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// Memory that is written to is not shared (the real project shares it).
// CHECK-LABEL: func.func @memory(
// CHECK-COUNT-2: ttnn.empty
func.func @memory(%a: tensor<32x32xf32, #ttnn_layout>) -> (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>) {
  %e0 = "ttnn.empty"() <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, shape = #ttnn.shape<32x32>}> : () -> tensor<32x32xf32, #ttnn_layout>
  %e1 = "ttnn.empty"() <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, shape = #ttnn.shape<32x32>}> : () -> tensor<32x32xf32, #ttnn_layout>
  %0 = "ttnn.relu"(%a, %e0) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
  %1 = "ttnn.neg"(%a, %e1) <{operandSegmentSizes = array<i32: 1, 1>}> : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
  return %0, %1 : tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>
}
