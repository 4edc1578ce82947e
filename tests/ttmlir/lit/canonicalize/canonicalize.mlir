// RUN: ttmlir-opt --canonicalize %s | FileCheck %s
// Equal constants become one; a later one that does not follow another goes before the earlier ones; an unused tensor.empty
// disappears, an unused operation or constant of TTIR does not.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
// CHECK-LABEL: func.func @constants(
// CHECK-NEXT: dense<4.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[TWO:.*]] = "ttir.constant"() <{value = dense<2.000000e+00> : tensor<4xf32>}>
// CHECK-NEXT: %[[ONE:.*]] = "ttir.constant"() <{value = dense<1.000000e+00> : tensor<4xf32>}>
// CHECK-NEXT: dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[E0:.*]] = tensor.empty()
// CHECK-NEXT: %[[S:.*]] = "ttir.add"(%arg0, %[[ONE]], %[[E0]])
// CHECK-NEXT: %[[E1:.*]] = tensor.empty()
// CHECK-NEXT: %[[T:.*]] = "ttir.add"(%[[S]], %[[TWO]], %[[E1]])
// CHECK-NEXT: %[[E2:.*]] = tensor.empty()
// CHECK-NEXT: "ttir.add"(%[[T]], %[[ONE]], %[[E2]])
// CHECK-NEXT: return %[[T]]
func.func @constants(%a: tensor<4xf32>) -> tensor<4xf32> {
  %one = "ttir.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %three = "ttir.constant"() <{value = dense<3.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %dead = tensor.empty() : tensor<4xf32>
  %two = "ttir.constant"() <{value = dense<2.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %e0 = tensor.empty() : tensor<4xf32>
  %s = "ttir.add"(%a, %one, %e0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %t = "ttir.add"(%s, %two, %e1) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %one_again = "ttir.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %four = "ttir.constant"() <{value = dense<4.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4xf32>
  %u = "ttir.add"(%t, %one_again, %e2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %t : tensor<4xf32>
}
// The same value in another type is another constant. A dimension size has a value, and nothing to make a constant of it.
// CHECK-LABEL: func.func @kinds(
// CHECK-DAG: "ttir.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}>
// CHECK-DAG: "ttir.constant"() <{value = dense<0.000000e+00> : tensor<4xbf16>}>
// CHECK: ttir.get_dimension_size
func.func @kinds(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<1xi32>) {
  %0 = "ttir.constant"() <{value = dense<0.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %1 = "ttir.constant"() <{value = dense<0.0> : tensor<4xbf16>}> : () -> tensor<4xbf16>
  %2 = "ttir.get_dimension_size"(%a) <{dimension = 0 : i32}> : (tensor<4xf32>) -> tensor<1xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xbf16>, tensor<1xi32>
}
// What MLIR's own operations know of themselves is folded.
// CHECK-LABEL: func.func @arith(
// CHECK-NEXT: %[[C:.*]] = arith.constant 5 : i32
// CHECK-NEXT: return %[[C]]
func.func @arith() -> i32 {
  %0 = arith.constant 2 : i32
  %1 = arith.constant 3 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
