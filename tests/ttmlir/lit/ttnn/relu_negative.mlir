// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.relu refuse.

// CHECK: error: 'ttnn.relu' op expected the number of tensor results (1) to be equal to the number of output tensors (2)
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttnn.relu"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 1, 2>}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}
