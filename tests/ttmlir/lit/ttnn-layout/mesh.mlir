// RUN: ttmlir-opt --ttir-load-system-desc="path=n300" --ttir-implicit-device="mesh-shape=2,1,1" --ttnn-layout %s | FileCheck %s
// Layouts have a grid of as many dimensions as the device.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (0, d0, d1), <1x1x1>, memref<1x64x128xf32, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (0, d0, d1), <1x1x1>, memref<1x64x128xf32, #dram>, interleaved>
// CHECK: "ttir.relu"({{.*}}) -> tensor<64x128xf32, #ttnn_layout1>
func.func @forward(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = tensor.empty() : tensor<64x128xf32>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
