// RUN: ttmlir-opt --canonicalize %s | FileCheck %s
// Constants of one value and type merge, go to the top, later ones first; what is empty and unused goes, and nothing else.

// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[THREE:.*]] = "ttir.constant"() <{value = dense<3.000000e+00> : tensor<4xf32>}>
// CHECK-NEXT: %[[ONE:.*]] = "ttir.constant"() <{value = dense<1.000000e+00> : tensor<4xf32>}>
// CHECK-NOT: ttir.constant
// CHECK-NOT: tensor.empty
// CHECK: "ttir.add"(%{{.*}}, %[[ONE]], %{{.*}})
// CHECK: "ttir.add"(%{{.*}}, %[[THREE]], %{{.*}})
// CHECK: "ttir.add"(%{{.*}}, %[[ONE]], %{{.*}})
func.func @constants(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
  %unused = tensor.empty() : tensor<4xf32>
  %0 = "ttir.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %1 = "ttir.add"(%arg0, %0, %arg1) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "ttir.constant"() <{value = dense<3.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %3 = "ttir.add"(%1, %2, %arg1) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "ttir.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %5 = "ttir.add"(%3, %4, %arg1) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// The extent is known, but the dialect has no operation for a folded value: it stays.
// CHECK-LABEL: func.func @extent
// CHECK: "ttir.get_dimension_size"
func.func @extent(%arg0: tensor<4x8xf32>) -> tensor<1xi32> {
  %0 = "ttir.get_dimension_size"(%arg0) <{dimension = 1 : i32}> : (tensor<4x8xf32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// No operation but constants and empties says that it has no effect.
// CHECK-LABEL: func.func @unused
// CHECK: "ttir.relu"
func.func @unused(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  %0 = "ttir.relu"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
