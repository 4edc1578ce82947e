// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.get_dimension_size refuse.

// CHECK: error: 'ttir.get_dimension_size' op Invalid dimension 2. Operand tensor rank is 2
func.func @forward(%arg0: tensor<13x21xf32>) {
  %0 = "ttir.get_dimension_size"(%arg0) <{dimension = 2 : i32}> : (tensor<13x21xf32>) -> tensor<1xi32>
  return
}
