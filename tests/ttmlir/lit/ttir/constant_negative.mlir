// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.constant refuse.

// CHECK: error: 'ttir.constant' op failed to verify that all of {value, result} have same shape
func.func @forward() {
  %0 = "ttir.constant"() <{value = dense<1.0> : tensor<3x2xf32>}> : () -> tensor<2x3xf32>
  return
}
