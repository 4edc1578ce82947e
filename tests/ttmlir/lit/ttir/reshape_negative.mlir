// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.reshape refuse.

// CHECK: error: 'ttir.reshape' op Shape attribute size must match output tensor rank
func.func @forward(%arg0: tensor<2x4xf32>, %arg1: tensor<8xf32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [2 : i32, 4 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// CHECK: error: 'ttir.reshape' op Shape attribute must be non-empty
func.func @forward(%arg0: tensor<f32>, %arg1: tensor<f32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [], operand_constraints = []}> : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// CHECK: error: 'ttir.reshape' op Shape attribute must have at most 5 elements
func.func @forward(%arg0: tensor<2x4xf32>, %arg1: tensor<1x1x1x1x2x4xf32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 2 : i32, 4 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<1x1x1x1x2x4xf32>) -> tensor<1x1x1x1x2x4xf32>
  return
}

// -----

// CHECK: error: 'ttir.reshape' op Input and output tensors must have the same number of elements
func.func @forward(%arg0: tensor<2x4xf32>, %arg1: tensor<2x5xf32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [2 : i32, 5 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

// CHECK: error: 'ttir.reshape' op Shape attribute must have at most one -1 element
func.func @forward(%arg0: tensor<2x4xf32>, %arg1: tensor<4x2xf32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [-1 : i32, -1 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// CHECK: error: 'ttir.reshape' op All dimensions must be positive
func.func @forward(%arg0: tensor<2x4xf32>, %arg1: tensor<4x2xf32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [-4 : i32, -2 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// CHECK: error: 'ttir.reshape' op Shape attribute must match the output tensor shape
func.func @forward(%arg0: tensor<2x4xf32>, %arg1: tensor<4x2xf32>) {
  %0 = "ttir.reshape"(%arg0, %arg1) <{shape = [2 : i32, 4 : i32], operand_constraints = []}> : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
