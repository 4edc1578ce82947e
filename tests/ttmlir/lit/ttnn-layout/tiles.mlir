// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// A chain with tiles needs no change of layout between its operations.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @index(%a: tensor<4x32x32xbf16>) -> tensor<4x32x16xbf16> {
  %0 = tensor.empty() : tensor<4x32x16xbf16>
  %1 = "ttir.index"(%a, %0) <{dim = 2 : i32, begin = 0 : i32, end = -1 : i32, step = 2 : i32, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x32x32xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  %2 = tensor.empty() : tensor<4x32x16xbf16>
  %3 = "ttir.relu"(%1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  return %3 : tensor<4x32x16xbf16>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<128x32xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<128x16xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<4x1x!tt.tile<32x32, bf16>, #dram>, interleaved>
// CHECK-LABEL: func.func @index(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<4x32x32xbf16, #ttnn_layout>) -> tensor<4x32x16xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<4x32x32xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<4x32x32xbf16, #ttnn_layout>, tensor<4x32x32xbf16, #ttnn_layout2>) -> tensor<4x32x32xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<4x32x16xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.slice"(%[[V2]], %[[V3]]) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [4 : i32, 32 : i32, -1 : i32], operand_constraints = [#any_device_tile, #any_device_tile], step = [1 : i32, 1 : i32, 2 : i32]}> : (tensor<4x32x32xbf16, #ttnn_layout2>, tensor<4x32x16xbf16, #ttnn_layout2>) -> tensor<4x32x16xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<4x32x16xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.relu"(%[[V4]], %[[V5]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x32x16xbf16, #ttnn_layout2>, tensor<4x32x16xbf16, #ttnn_layout2>) -> tensor<4x32x16xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<4x32x16xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.to_layout"(%[[V6]], %[[V7]]) : (tensor<4x32x16xbf16, #ttnn_layout2>, tensor<4x32x16xbf16, #ttnn_layout1>) -> tensor<4x32x16xbf16, #ttnn_layout1>
// CHECK-NEXT: {{.*}}return %[[V8]] : tensor<4x32x16xbf16, #ttnn_layout1>
