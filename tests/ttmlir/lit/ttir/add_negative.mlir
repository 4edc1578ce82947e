// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.add refuse.

// CHECK: error: 'ttir.add' op Operands are not broadcast compatible
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.add"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// -----

// CHECK: error: 'ttir.add' op Result shape must match operand shapes after broadcasting
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<2x64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.add"(%arg0, %arg1, %arg2) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x128xf32>, tensor<2x64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}
