// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.concat refuse.

// CHECK: error: 'ttnn.concat' op Invalid dimension 2 for concatenation.
func.func @forward(%arg0: tensor<32x32xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<32x96xf32>) {
  %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 2 : si32}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
  return
}

// -----

// CHECK: error: 'ttnn.concat' op Invalid dimension -3 for concatenation.
func.func @forward(%arg0: tensor<32x32xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<32x96xf32>) {
  %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = -3 : si32}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
  return
}

// -----

// CHECK: error: 'ttnn.concat' op All input tensors must have the same rank.
func.func @forward(%arg0: tensor<32x32xf32>, %arg1: tensor<32x64x1xf32>, %arg2: tensor<32x96xf32>) {
  %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = 1 : si32}> : (tensor<32x32xf32>, tensor<32x64x1xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
  return
}

// -----

// CHECK: error: 'ttnn.concat' op All input tensors must have the same dimensions, except for dimension 0.
func.func @forward(%arg0: tensor<32x32xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<32x96xf32>) {
  %0 = "ttnn.concat"(%arg0, %arg1, %arg2) <{dim = -2 : si32}> : (tensor<32x32xf32>, tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
  return
}

// -----

// CHECK: error: 'ttnn.concat' op At least one input tensor is needed
func.func @forward(%arg0: tensor<32x32xf32>) {
  %0 = "ttnn.concat"(%arg0) <{dim = 0 : si32}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return
}
