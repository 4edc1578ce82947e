// RUN: ttmlir-opt --inline --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s
// Private functions that are called disappear, and so do those that nobody calls; what they did is at the place of the call.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>

// CHECK-NOT: @halve
// CHECK-NOT: @unused
func.func private @halve(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %dead = tensor.empty() : tensor<32x32xf32>
  %half = "ttir.constant"() <{value = dense<0.5> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %0 = tensor.empty() : tensor<32x32xf32> loc("e")
  %1 = "ttir.multiply"(%a, %half, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> loc("half")
  return %1 : tensor<32x32xf32>
}
func.func private @unused(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  return %a : tensor<32x32xf32>
}
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[A:.*]]: tensor<32x32xf32>
// CHECK-NEXT: %[[HALF:.*]] = "ttir.constant"() <{value = dense<5.000000e-01> : tensor<32x32xf32>}> {{.*}} loc(unknown)
// CHECK-NEXT: %[[E0:.*]] = tensor.empty() : tensor<32x32xf32> loc(callsite("e" at "first"))
// CHECK-NEXT: %[[M0:.*]] = "ttir.multiply"(%[[A]], %[[HALF]], %[[E0]]) {{.*}} loc(callsite("half" at "first"))
// CHECK-NEXT: %[[E1:.*]] = tensor.empty() : tensor<32x32xf32> loc(callsite("e" at "second"))
// CHECK-NEXT: %[[M1:.*]] = "ttir.multiply"(%[[M0]], %[[HALF]], %[[E1]]) {{.*}} loc(callsite("half" at "second"))
// CHECK-NEXT: return %[[M1]]
func.func @twice(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = call @halve(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32> loc("first")
  %1 = call @halve(%0) : (tensor<32x32xf32>) -> tensor<32x32xf32> loc("second")
  return %1 : tensor<32x32xf32>
}
// Public functions are inlined, too, and stay; what calls itself, and what has no body, is called.
// CHECK-LABEL: func.func @calls(
// CHECK-NOT: call @twice
// CHECK: call @again(
// CHECK: call @elsewhere(
func.func @calls(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = call @twice(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = call @again(%0) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = call @elsewhere(%1) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
// CHECK: func.func private @again(
func.func private @again(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = call @again(%a) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
// CHECK: func.func private @elsewhere(
func.func private @elsewhere(tensor<32x32xf32>) -> tensor<32x32xf32>
