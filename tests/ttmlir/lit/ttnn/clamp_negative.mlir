// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.clamp refuse.

// CHECK: error: 'ttnn.clamp' op expects one tensor as input.
func.func @forward(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  %0 = "ttnn.clamp"(%arg0, %arg1) <{min = 0.0 : f32, max = 1.0 : f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK: error: 'ttnn.clamp' op generates one tensor as output.
func.func @forward(%arg0: tensor<4xf32>) {
  %0:2 = "ttnn.clamp"(%arg0) <{min = 0.0 : f32, max = 1.0 : f32}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// CHECK: error: 'ttnn.clamp' op input and output must have same shape.
func.func @forward(%arg0: tensor<4xf32>) {
  %0 = "ttnn.clamp"(%arg0) <{min = 0.0 : f32, max = 1.0 : f32}> : (tensor<4xf32>) -> tensor<4xbf16>
  return
}
