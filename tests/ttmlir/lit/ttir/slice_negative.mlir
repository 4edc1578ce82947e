// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.slice refuse.

// CHECK: error: 'ttir.slice' op Input must be at least a 1D tensor
func.func @forward(%arg0: tensor<bf16>, %arg1: tensor<1xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32], ends = [0 : i32], step = [1 : i32], operand_constraints = []}> : (tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op Begins, ends, and step attributes must have the same number of elements as the input tensor rank
func.func @forward(%arg0: tensor<3x128xbf16>, %arg1: tensor<1x128xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 128 : i32, 0 : i32], step = [1 : i32, 1 : i32, 1 : i32], operand_constraints = []}> : (tensor<3x128xbf16>, tensor<1x128xbf16>) -> tensor<1x128xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op Output tensor must have the same element type as the input tensor
func.func @forward(%arg0: tensor<3x128xbf16>, %arg1: tensor<1x128xf32>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [1 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<3x128xbf16>, tensor<1x128xf32>) -> tensor<1x128xf32>
  return
}

// -----

// CHECK: error: 'ttir.slice' op Output tensor must have the same rank as the input tensor
func.func @forward(%arg0: tensor<3x128xbf16>, %arg1: tensor<1x128x1xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [1 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<3x128xbf16>, tensor<1x128x1xbf16>) -> tensor<1x128x1xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op Invalid begin index for dimension 0. Expected value in range [-10, 10), got 10. Input shape: (10, 128)
func.func @forward(%arg0: tensor<10x128xbf16>, %arg1: tensor<4x128xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [10 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op Invalid end index for dimension 1. Expected value in range [-128, 128], got -129. Input shape: (10, 128)
func.func @forward(%arg0: tensor<10x128xbf16>, %arg1: tensor<4x128xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, -129 : i32], step = [3 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op Step value for dimension 1 cannot be zero
func.func @forward(%arg0: tensor<10x128xbf16>, %arg1: tensor<4x128xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [3 : i32, 0 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op For positive step, begin index must be less than or equal to end index for dimension 0. Got begin: 6, end: 2 (-8), step: 1, input shape: (10, 128)
func.func @forward(%arg0: tensor<10x128xbf16>, %arg1: tensor<4x128xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [6 : i32, 0 : i32], ends = [-8 : i32, 128 : i32], step = [1 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op For negative step, begin index must be greater than or equal to end index for dimension 0. Got begin: 2 (-8), end: 6, step: -1, input shape: (10, 128)
func.func @forward(%arg0: tensor<10x128xbf16>, %arg1: tensor<4x128xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [-8 : i32, 0 : i32], ends = [6 : i32, 128 : i32], step = [-1 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x128xbf16>) -> tensor<4x128xbf16>
  return
}

// -----

// CHECK: error: 'ttir.slice' op Mismatch in dimension 1 of the output tensor: expected size 128, but got 126
func.func @forward(%arg0: tensor<10x128xbf16>, %arg1: tensor<4x126xbf16>) {
  %0 = "ttir.slice"(%arg0, %arg1) <{begins = [0 : i32, 0 : i32], ends = [10 : i32, 128 : i32], step = [3 : i32, 1 : i32], operand_constraints = []}> : (tensor<10x128xbf16>, tensor<4x126xbf16>) -> tensor<4x126xbf16>
  return
}
