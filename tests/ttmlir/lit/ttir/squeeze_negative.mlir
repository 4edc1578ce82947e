// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.squeeze refuse.

// CHECK: error: 'ttir.squeeze' op Invalid dimension 3 for squeezing.
func.func @forward(%arg0: tensor<1x2x64xf32>, %arg1: tensor<2x64xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = 3 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  return
}

// -----

// CHECK: error: 'ttir.squeeze' op Invalid dimension -4 for squeezing.
func.func @forward(%arg0: tensor<1x2x64xf32>, %arg1: tensor<2x64xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = -4 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  return
}

// -----

// CHECK: error: 'ttir.squeeze' op Dimension 1 in the input tensor must be 1.
func.func @forward(%arg0: tensor<1x2x64xf32>, %arg1: tensor<1x64xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = 1 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

// CHECK: error: 'ttir.squeeze' op Output tensor must have at least one dimension.
func.func @forward(%arg0: tensor<1xf32>, %arg1: tensor<f32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// CHECK: error: 'ttir.squeeze' op Output tensor rank must be one less than the input tensor rank.
func.func @forward(%arg0: tensor<1x2x64xf32>, %arg1: tensor<1x2x64xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<1x2x64xf32>) -> tensor<1x2x64xf32>
  return
}

// -----

// CHECK: error: 'ttir.squeeze' op Dimensions of the output tensor must be the same as the input tensor except for dimension 0.
func.func @forward(%arg0: tensor<1x2x64xf32>, %arg1: tensor<2x63xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1x2x64xf32>, tensor<2x63xf32>) -> tensor<2x63xf32>
  return
}
