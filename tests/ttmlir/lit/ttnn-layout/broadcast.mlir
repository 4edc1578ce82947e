// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Constraints without scalars: 32x32 tiles.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @broadcast(%a: tensor<1x1xf32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = tensor.empty() : tensor<1x64xf32>
  %1 = "ttir.broadcast"(%a, %0) <{dimension = [1], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %2 = tensor.empty() : tensor<32x64xf32>
  %3 = "ttir.broadcast"(%1, %2) <{dimension = [0], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %4 = tensor.empty() : tensor<32x64xf32>
  %5 = "ttir.multiply"(%b, %3, %4) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %5 : tensor<32x64xf32>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1xf32, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x64xf32, #system_memory>>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!tt.tile<32x32, f32>, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!tt.tile<32x32, f32>, #dram>, interleaved>
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<1x1xf32, #ttnn_layout>, %[[V1:[a-z0-9_]+]]: tensor<32x64xf32, #ttnn_layout1>) -> tensor<32x64xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<1x1xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V2]]) : (tensor<1x1xf32, #ttnn_layout>, tensor<1x1xf32, #ttnn_layout2>) -> tensor<1x1xf32, #ttnn_layout2>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.empty() : tensor<1x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = "ttir.broadcast"(%[[V3]], %[[V4]]) <{dimension = [1], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x1xf32, #ttnn_layout2>, tensor<1x64xf32, #ttnn_layout3>) -> tensor<1x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.empty() : tensor<32x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = "ttir.broadcast"(%[[V5]], %[[V6]]) <{dimension = [0], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x64xf32, #ttnn_layout3>, tensor<32x64xf32, #ttnn_layout3>) -> tensor<32x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.empty() : tensor<32x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = "ttir.to_layout"(%[[V1]], %[[V8]]) : (tensor<32x64xf32, #ttnn_layout1>, tensor<32x64xf32, #ttnn_layout3>) -> tensor<32x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = tensor.empty() : tensor<32x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = "ttir.multiply"(%[[V9]], %[[V7]], %[[V10]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<32x64xf32, #ttnn_layout3>, tensor<32x64xf32, #ttnn_layout3>, tensor<32x64xf32, #ttnn_layout3>) -> tensor<32x64xf32, #ttnn_layout3>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = tensor.empty() : tensor<32x64xf32, #ttnn_layout1>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = "ttir.to_layout"(%[[V11]], %[[V12]]) : (tensor<32x64xf32, #ttnn_layout3>, tensor<32x64xf32, #ttnn_layout1>) -> tensor<32x64xf32, #ttnn_layout1>
// CHECK-NEXT: {{.*}}return %[[V13]] : tensor<32x64xf32, #ttnn_layout1>
