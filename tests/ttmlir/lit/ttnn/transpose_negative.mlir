// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.transpose refuse.

// CHECK: error: 'ttnn.transpose' op Input must be at least a 2D tensor
func.func @forward(%arg0: tensor<64xf32>) {
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<64xf32>) -> tensor<64xf32>
  return
}

// -----

// CHECK: error: 'ttnn.transpose' op Input must have the same rank as output
func.func @forward(%arg0: tensor<2x64xf32>) {
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<2x64xf32>) -> tensor<64x2x1xf32>
  return
}

// -----

// CHECK: error: 'ttnn.transpose' op Dimension 0 attribute must be within the bounds of the input tensor
func.func @forward(%arg0: tensor<2x64xf32>) {
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 2 : si32, dim1 = 0 : si32}> : (tensor<2x64xf32>) -> tensor<64x2xf32>
  return
}

// -----

// CHECK: error: 'ttnn.transpose' op Dimension 1 attribute must be within the bounds of the input tensor
func.func @forward(%arg0: tensor<2x64xf32>) {
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = -3 : si32}> : (tensor<2x64xf32>) -> tensor<64x2xf32>
  return
}

// -----

// CHECK: error: 'ttnn.transpose' op Input-output transpose dimension mismatch.
func.func @forward(%arg0: tensor<2x64xf32>) {
  %0 = "ttnn.transpose"(%arg0) <{dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<2x64xf32>) -> tensor<2x64xf32>
  return
}
