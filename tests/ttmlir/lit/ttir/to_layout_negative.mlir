// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.to_layout refuse.

// CHECK: error: 'ttir.to_layout' op Input and output shapes must be the same
func.func @forward(%arg0: tensor<4x8xf32>, %arg1: tensor<4x9xf32>) {
  %0 = "ttir.to_layout"(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
  return
}
