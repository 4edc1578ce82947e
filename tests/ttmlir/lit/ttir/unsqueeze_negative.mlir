// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.unsqueeze refuse.

// CHECK: error: 'ttir.unsqueeze' op Dimension attribute must be within the bounds of the input tensor
func.func @forward(%arg0: tensor<2x64xf32>, %arg1: tensor<2x64x1xf32>) {
  %0 = "ttir.unsqueeze"(%arg0, %arg1) <{dim = 3 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
  return
}

// -----

// CHECK: error: 'ttir.unsqueeze' op Dimension attribute must be within the bounds of the input tensor
func.func @forward(%arg0: tensor<2x64xf32>, %arg1: tensor<2x64x1xf32>) {
  %0 = "ttir.unsqueeze"(%arg0, %arg1) <{dim = -4 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
  return
}

// -----

// CHECK: error: 'ttir.unsqueeze' op Output tensor must have one more dimension than input tensor
func.func @forward(%arg0: tensor<2x64xf32>, %arg1: tensor<2x64xf32>) {
  %0 = "ttir.unsqueeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x64xf32>) -> tensor<2x64xf32>
  return
}

// -----

// CHECK: error: 'ttir.unsqueeze' op Dimension added must be of size 1
func.func @forward(%arg0: tensor<2x64xf32>, %arg1: tensor<2x2x64xf32>) {
  %0 = "ttir.unsqueeze"(%arg0, %arg1) <{dim = 1 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<2x2x64xf32>) -> tensor<2x2x64xf32>
  return
}

// -----

// CHECK: error: 'ttir.unsqueeze' op All dimensions of the input tensor must be the same in the output tensor
func.func @forward(%arg0: tensor<2x64xf32>, %arg1: tensor<1x2x63xf32>) {
  %0 = "ttir.unsqueeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<2x64xf32>, tensor<1x2x63xf32>) -> tensor<1x2x63xf32>
  return
}
