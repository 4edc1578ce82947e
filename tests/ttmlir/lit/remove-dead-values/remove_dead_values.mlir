// RUN: ttmlir-opt --remove-dead-values %s | FileCheck %s
#ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xf32, #ttnn.buffer_type<system_memory>>>
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
// An empty tensor that nobody uses goes; what computes stays, used or not.
// CHECK-LABEL: func.func @empties(
// CHECK-NOT: ttnn.empty
// CHECK: "ttnn.softmax"
// CHECK: return
func.func @empties(%a: tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout> {
  %e = "ttnn.empty"() <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, shape = #ttnn.shape<32x32>}> : () -> tensor<32x32xf32, #ttnn_layout>
  %t = tensor.empty() : tensor<4xf32>
  %0 = "ttnn.softmax"(%a) <{dimension = 1 : si32}> : (tensor<32x32xf32, #ttnn_layout>) -> tensor<32x32xf32, #ttnn_layout>
  return %a : tensor<32x32xf32, #ttnn_layout>
}
// Arguments and results of a private function that no caller needs are not there any more.
// CHECK-LABEL: func.func private @both(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: arith.mulf
// CHECK: return %{{.*}} : tensor<4xf32>
func.func private @both(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = arith.addf %a, %a : tensor<4xf32>
  %1 = arith.mulf %b, %b : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @calls(
// CHECK-NEXT: %[[R:.*]] = call @both(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @calls(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0, %1 = call @both(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0 : tensor<4xf32>
}
