// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// The body of a private function is laid out where it was called.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func private @h(%a: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
  %0 = tensor.empty() : tensor<512x1024xbf16>
  %1 = "ttir.softmax"(%a, %0) <{dimension = -1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  %2 = tensor.empty() : tensor<512x1xbf16>
  %3 = "ttir.sum"(%1, %2) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<512x1xbf16>) -> tensor<512x1xbf16>
  return %3 : tensor<512x1xbf16>
}
func.func @main(%a: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
  %0 = call @h(%a) : (tensor<512x1024xbf16>) -> tensor<512x1xbf16>
  return %0 : tensor<512x1xbf16>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<512x1024xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<512x1xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<512x1024xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<512x1xbf16, #dram>, interleaved>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<512x1024xbf16, #ttnn_layout>) -> tensor<512x1xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<512x1024xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<512x1024xbf16, #ttnn_layout>, tensor<512x1024xbf16, #ttnn_layout2>) -> tensor<512x1024xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<512x1024xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.softmax"(%[[V2]], %[[V3]]) <{dimension = -1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16, #ttnn_layout2>, tensor<512x1024xbf16, #ttnn_layout2>) -> tensor<512x1024xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<512x1xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.sum"(%[[V4]], %[[V5]]) <{dim_arg = [1 : i32], keep_dim = true, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16, #ttnn_layout2>, tensor<512x1xbf16, #ttnn_layout3>) -> tensor<512x1xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<512x1xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.to_layout"(%[[V6]], %[[V7]]) : (tensor<512x1xbf16, #ttnn_layout3>, tensor<512x1xbf16, #ttnn_layout1>) -> tensor<512x1xbf16, #ttnn_layout1>
// CHECK-NEXT: {{.*}}return %[[V8]] : tensor<512x1xbf16, #ttnn_layout1>
