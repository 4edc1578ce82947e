// RUN: ttmlir-opt --symbol-dce %s | FileCheck %s
// A private function that no public one reaches is erased, also where such functions call each other.
// CHECK: @kept
// CHECK-NOT: @first
// CHECK-NOT: @second
// CHECK: @main
func.func private @kept(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
func.func private @first(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @second(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @second(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @first(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @kept(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
