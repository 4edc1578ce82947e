// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.relu refuse.

// CHECK: error: 'ttir.relu' op expected type of operand #1 ('tensor<64x128xf32>') to match type of corresponding result ('tensor<64x128xbf16>')
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.relu"(%arg0, %arg1) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xbf16>
  return
}
