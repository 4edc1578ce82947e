// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Row-major for one operation, tiles for the next: a change of layout on the device between them.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @chain(%a: tensor<64x96xf32>) -> tensor<64x96xf32> {
  %0 = tensor.empty() : tensor<64x96xf32>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  %2 = tensor.empty() : tensor<64x96xf32>
  %3 = "ttir.relu"(%1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
  return %3 : tensor<64x96xf32>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x96xf32, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x96xf32, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x3x!tt.tile<32x32, f32>, #dram>, interleaved>
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x96xf32, #ttnn_layout>) -> tensor<64x96xf32, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x96xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<64x96xf32, #ttnn_layout>, tensor<64x96xf32, #ttnn_layout1>) -> tensor<64x96xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<64x96xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x96xf32, #ttnn_layout1>, tensor<64x96xf32, #ttnn_layout1>) -> tensor<64x96xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<64x96xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.to_layout"(%[[V4]], %[[V5]]) : (tensor<64x96xf32, #ttnn_layout1>, tensor<64x96xf32, #ttnn_layout2>) -> tensor<64x96xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<64x96xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.relu"(%[[V6]], %[[V7]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<64x96xf32, #ttnn_layout2>, tensor<64x96xf32, #ttnn_layout2>) -> tensor<64x96xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<64x96xf32, #ttnn_layout>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.to_layout"(%[[V8]], %[[V9]]) : (tensor<64x96xf32, #ttnn_layout2>, tensor<64x96xf32, #ttnn_layout>) -> tensor<64x96xf32, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V10]] : tensor<64x96xf32, #ttnn_layout>
