// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.embedding refuse.

// CHECK: error: 'ttnn.embedding' op Weight must be a 2D tensor
func.func @forward(%arg0: tensor<32xf32>, %arg1: tensor<32x512xf32>, %arg2: tensor<512xf32>) {
  %0 = "ttnn.embedding"(%arg0, %arg1, %arg2) : (tensor<32xf32>, tensor<32x512xf32>, tensor<512xf32>) -> tensor<32x512xf32>
  return
}

// -----

// CHECK: error: 'ttnn.embedding' op Output must have one dimension more than input
func.func @forward(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<64x512xf32>) {
  %0 = "ttnn.embedding"(%arg0, %arg1, %arg2) : (tensor<32xf32>, tensor<32xf32>, tensor<64x512xf32>) -> tensor<32xf32>
  return
}
