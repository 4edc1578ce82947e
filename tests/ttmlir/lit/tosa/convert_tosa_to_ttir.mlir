// RUN: ttmlir-opt --convert-tosa-to-ttir %s | FileCheck %s
// RUN: ttmlir-opt %s | FileCheck %s --check-prefix=TEXT
// Each of the six becomes the operation of TTIR, on a tensor.empty of its own and in tiles; types stay.
func.func @forward(%a: tensor<13x21x3xf32>, %b: tensor<13x1x3xf32>) -> tensor<13x21x3xi1> {
  // TEXT: tosa.abs %arg0 : (tensor<13x21x3xf32>) -> tensor<13x21x3xf32>
  // CHECK: %[[E0:.*]] = tensor.empty() : tensor<13x21x3xf32>
  // CHECK-NEXT: %[[ABS:.*]] = "ttir.abs"(%arg0, %[[E0]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<13x21x3xf32>, tensor<13x21x3xf32>) -> tensor<13x21x3xf32>
  %0 = tosa.abs %a : (tensor<13x21x3xf32>) -> tensor<13x21x3xf32>
  // CHECK-NEXT: %[[E1:.*]] = tensor.empty() : tensor<13x21x3xf32>
  // CHECK-NEXT: %[[ADD:.*]] = "ttir.add"(%[[ABS]], %arg1, %[[E1]]) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}>
  %1 = tosa.add %0, %b : (tensor<13x21x3xf32>, tensor<13x1x3xf32>) -> tensor<13x21x3xf32>
  // TEXT: tosa.mul %{{.*}}, %{{.*}} {shift = 0 : i8} : (tensor<13x21x3xf32>, tensor<13x21x3xf32>) -> tensor<13x21x3xf32>
  // CHECK: "ttir.multiply"(%[[ADD]], %[[ABS]], %{{.*}}) <{operandSegmentSizes = array<i32: 2, 1>
  %2 = tosa.mul %1, %0 {shift = 0 : i8} : (tensor<13x21x3xf32>, tensor<13x21x3xf32>) -> tensor<13x21x3xf32>
  // CHECK: "ttir.neg"
  %3 = tosa.negate %2 : (tensor<13x21x3xf32>) -> tensor<13x21x3xf32>
  // CHECK: "ttir.subtract"
  %4 = tosa.sub %3, %a : (tensor<13x21x3xf32>, tensor<13x21x3xf32>) -> tensor<13x21x3xf32>
  // CHECK: tensor.empty() : tensor<13x21x3xi1>
  // CHECK-NEXT: "ttir.ge"({{.*}}) -> tensor<13x21x3xi1>
  %5 = tosa.greater_equal %4, %a : (tensor<13x21x3xf32>, tensor<13x21x3xf32>) -> tensor<13x21x3xi1>
  return %5 : tensor<13x21x3xi1>
}
