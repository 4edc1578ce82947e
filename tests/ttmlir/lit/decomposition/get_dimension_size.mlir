// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// Shapes are static: an extent is a constant of the type of the result.
func.func @extent(%a: tensor<13x21x3xf32>) -> tensor<1xi32> {
  %0 = "ttir.get_dimension_size"(%a) <{dimension = 1 : i32}> : (tensor<13x21x3xf32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
// CHECK-LABEL: func.func @extent(
// CHECK-NEXT: %[[SIZE:.*]] = "ttir.constant"() <{value = dense<21> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: return %[[SIZE]]
