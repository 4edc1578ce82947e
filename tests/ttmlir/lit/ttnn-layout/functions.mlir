// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Functions take and return tensors on the host; so do those that are called, also by what has come to the device. A layout that
// a function gives itself stays, and what it returns has it.
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_layout|any_device_tile>
#dram = #ttnn.buffer_type<dram>
#tiles = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!tt.tile<32x32, f32>, #dram>, interleaved>
// CHECK-DAG: #[[HOST:ttnn_layout[0-9]*]] = {{.*}}memref<32x32xf32, #system_memory>>
// CHECK-DAG: #[[TILES:ttnn_layout[0-9]*]] = {{.*}}memref<1x1x!tt.tile<32x32, f32>, #dram>, interleaved>
// CHECK: func.func private @elsewhere(tensor<32x32xf32, #[[HOST]]>) -> tensor<32x32xf32, #[[HOST]]>
func.func private @elsewhere(tensor<32x32xf32>) -> tensor<32x32xf32>
// CHECK-LABEL: func.func @calls(
// CHECK: %[[R:.*]] = "ttir.relu"({{.*}}) -> tensor<32x32xf32, #[[TILES]]>
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<32x32xf32, #[[HOST]]>
// CHECK-NEXT: %[[BACK:.*]] = "ttir.to_layout"(%[[R]], %[[E]])
// CHECK-NEXT: %[[C:.*]] = call @elsewhere(%[[BACK]]) : (tensor<32x32xf32, #[[HOST]]>) -> tensor<32x32xf32, #[[HOST]]>
// CHECK-NEXT: return %[[C]]
func.func @calls(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = call @elsewhere(%1) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
// CHECK-LABEL: func.func @on_device(
// CHECK-SAME: -> tensor<32x32xf32, #[[TILES]]>
// CHECK: %[[R:.*]] = "ttir.relu"({{.*}}) -> tensor<32x32xf32, #[[TILES]]>
// CHECK-NEXT: return %[[R]] : tensor<32x32xf32, #[[TILES]]>
func.func @on_device(%a: tensor<32x32xf32, #tiles>) -> tensor<32x32xf32, #tiles> {
  %0 = tensor.empty() : tensor<32x32xf32, #tiles>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<32x32xf32, #tiles>, tensor<32x32xf32, #tiles>) -> tensor<32x32xf32, #tiles>
  return %1 : tensor<32x32xf32, #tiles>
}
// CHECK-LABEL: func.func @identity(
// CHECK-NEXT: return %arg0
func.func @identity(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  return %a : tensor<32x32xf32>
}
