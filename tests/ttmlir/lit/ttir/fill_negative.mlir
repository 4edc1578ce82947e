// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.fill refuse.

// CHECK: error: 'ttir.fill' op failed to verify that all of {value, result} have same shape
func.func @forward(%arg0: tensor<2x3xf32>) {
  %0 = "ttir.fill"(%arg0) <{value = dense<1.0> : tensor<3x2xf32>, operand_constraints = []}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
