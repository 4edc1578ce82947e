// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.index refuse.

// CHECK: error: 'ttir.index' op Input must be at least a 1D tensor
func.func @forward(%arg0: tensor<bf16>, %arg1: tensor<1xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 0 : i32, begin = 0 : i32, end = 1 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op Output tensor must have the same element type as the input tensor
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xf32>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 0 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// CHECK: error: 'ttir.index' op Output tensor must have the same rank as the input tensor
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<8xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 0 : i32, begin = 0 : i32, end = 1 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op Invalid dimension index 2. Input tensor rank is 2
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 2 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op Invalid dimension index -1. Input tensor rank is 2
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = -1 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op Invalid begin index for dimension 1. Expected value in range [-8, 8), got -9. Input shape: (4, 8)
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = -9 : i32, end = 8 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op Invalid end index for dimension 1. Expected value in range [-8, 8], got 9. Input shape: (4, 8)
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = 9 : i32, step = 1 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op Step value for dimension 1 cannot be zero
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = 8 : i32, step = 0 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op For positive step, begin index must be less than or equal to end index for dimension 1. Got begin: 5, end: 3, step: 2, input shape: (4, 8)
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 5 : i32, end = 3 : i32, step = 2 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.index' op Mismatch in dimension 1 of the output tensor: expected size 4, but got 3
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x3xbf16>) {
  %0 = "ttir.index"(%arg0, %arg1) <{dim = 1 : i32, begin = 0 : i32, end = 8 : i32, step = 2 : i32, operand_constraints = []}> : (tensor<4x8xbf16>, tensor<4x3xbf16>) -> tensor<4x3xbf16>
  return
}
