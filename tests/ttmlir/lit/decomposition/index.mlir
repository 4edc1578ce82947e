// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// A range of one dimension is one of every dimension; negative ends stay.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @index(%a: tensor<4x32x32xbf16>) -> tensor<4x32x16xbf16> {
  %0 = tensor.empty() : tensor<4x32x16xbf16>
  %1 = "ttir.index"(%a, %0) <{dim = 2 : i32, begin = 0 : i32, end = -1 : i32, step = 2 : i32, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x32x32xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  %2 = tensor.empty() : tensor<4x32x16xbf16>
  %3 = "ttir.relu"(%1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
  return %3 : tensor<4x32x16xbf16>
}
// CHECK-LABEL: func.func @index(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<4x32x32xbf16>) -> tensor<4x32x16xbf16>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<4x32x16xbf16>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.slice"(%[[V0]], %[[V1]]) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [4 : i32, 32 : i32, -1 : i32], operand_constraints = [#any_device_tile, #any_device_tile], step = [1 : i32, 1 : i32, 2 : i32]}> : (tensor<4x32x32xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<4x32x16xbf16>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) -> tensor<4x32x16xbf16>
// CHECK-NEXT: {{.*}}return %[[V4]] : tensor<4x32x16xbf16>
