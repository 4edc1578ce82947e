// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// What the real project ends in a loop or in an error with: a constant with two users that want it differently, or that is returned, too;
// a tensor.empty that several operations write to; a destination that is an argument, or the result of another operation.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#tiles = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @constant_returned(%a: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %k = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.add"(%a, %k, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1, %k : tensor<32x32xf32>, tensor<32x32xf32>
}
func.func @constant_of_two_kinds(%a: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %k = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.add"(%a, %k, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = tensor.empty() : tensor<32x32xf32>
  %3 = "ttir.add"(%a, %k, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#tiles, #tiles, #tiles]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %4 = tensor.empty() : tensor<32x32xf32>
  %5 = "ttir.add"(%1, %k, %4) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %5, %3 : tensor<32x32xf32>, tensor<32x32xf32>
}
func.func @shared_empty(%a: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = "ttir.relu"(%1, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = "ttir.relu"(%2, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#tiles, #tiles]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2, %3 : tensor<32x32xf32>, tensor<32x32xf32>
}
func.func @argument_as_destination(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %1 = "ttir.relu"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc("r")
  %2 = "ttir.relu"(%1, %b) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#tiles, #tiles]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc("s")
  return %1, %2 : tensor<32x32xf32>, tensor<32x32xf32>
}
func.func @result_as_destination(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = "ttir.relu"(%b, %1) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!tt.tile<32x32, f32>, #dram>, interleaved>
// CHECK-LABEL: func.func @constant_returned(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>) -> (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>)
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V3]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.add"(%[[V4]], %[[V2]], %[[V5]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.to_layout"(%[[V6]], %[[V7]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V8]], %[[V1]] : tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>
// CHECK-LABEL: func.func @constant_of_two_kinds(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>) -> (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>)
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V3]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.add"(%[[V4]], %[[V2]], %[[V5]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V7]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout2>) -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.add"(%[[V8]], %[[V1]], %[[V9]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<32x32xf32, #ttnn_layout2>, tensor<32x32xf32, #ttnn_layout2>, tensor<32x32xf32, #ttnn_layout2>) -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = "ttir.add"(%[[V6]], %[[V2]], %[[V11]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = "ttir.to_layout"(%[[V12]], %[[V13]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = "ttir.to_layout"(%[[V10]], %[[V15]]) : (tensor<32x32xf32, #ttnn_layout2>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V14]], %[[V16]] : tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>
// CHECK-LABEL: func.func @shared_empty(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>) -> (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>)
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.relu"(%[[V4]], %[[V5]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.to_layout"(%[[V6]], %[[V7]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout2>) -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.relu"(%[[V8]], %[[V9]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<32x32xf32, #ttnn_layout2>, tensor<32x32xf32, #ttnn_layout2>) -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = "ttir.to_layout"(%[[V6]], %[[V11]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = "ttir.to_layout"(%[[V10]], %[[V13]]) : (tensor<32x32xf32, #ttnn_layout2>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V12]], %[[V14]] : tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>
// CHECK-LABEL: func.func @argument_as_destination(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>, %[[V1:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>) -> (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>)
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V2]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = "ttir.relu"(%[[V3]], %[[V4]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = "ttir.to_layout"(%[[V5]], %[[V6]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout2>) -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = "ttir.to_layout"(%[[V1]], %[[V8]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout2>) -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.relu"(%[[V7]], %[[V9]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<32x32xf32, #ttnn_layout2>, tensor<32x32xf32, #ttnn_layout2>) -> tensor<32x32xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = "ttir.to_layout"(%[[V5]], %[[V11]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = "ttir.to_layout"(%[[V10]], %[[V13]]) : (tensor<32x32xf32, #ttnn_layout2>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V12]], %[[V14]] : tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout>
// CHECK-LABEL: func.func @result_as_destination(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>, %[[V1:[a-z0-9_]+]]: tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V2]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = "ttir.relu"(%[[V3]], %[[V4]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = "ttir.to_layout"(%[[V1]], %[[V6]]) : (tensor<32x32xf32, #ttnn_layout>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.relu"(%[[V7]], %[[V5]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout1>) -> tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.to_layout"(%[[V8]], %[[V9]]) : (tensor<32x32xf32, #ttnn_layout1>, tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V10]] : tensor<32x32xf32, #ttnn_layout>

// A destination that somebody else reads is not written to: not a result, not a constant.
// CHECK-LABEL: func.func @read_destinations(
// CHECK: ttir.to_layout
// CHECK-NEXT: %[[E0:.*]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[R0:.*]] = "ttir.relu"(%{{.*}}, %[[E0]])
// CHECK-NEXT: %[[E1:.*]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[R1:.*]] = "ttir.relu"(%[[R0]], %[[E1]])
// CHECK-NEXT: %[[E2:.*]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: %[[R2:.*]] = "ttir.add"(%[[R1]], %{{.*}}, %[[E2]])
// CHECK-NEXT: %[[E3:.*]] = tensor.empty() : tensor<32x32xf32, #ttnn_layout1>
// CHECK-NEXT: "ttir.add"(%[[R0]], %[[R2]], %[[E3]])
func.func @read_destinations(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %k = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = "ttir.relu"(%1, %1) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = "ttir.add"(%2, %k, %k) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %4 = tensor.empty() : tensor<32x32xf32>
  %5 = "ttir.add"(%1, %3, %4) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %5 : tensor<32x32xf32>
}
