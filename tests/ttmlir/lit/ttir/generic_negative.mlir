// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.generic refuse.

// CHECK: error: 'ttir.generic' op The number of input and output operands and region/block arguments must match
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) {
  %0 = "ttir.generic"(%arg0, %arg1) <{grid = #tt.grid<1x1>, indexing_maps = [], iterator_types = [], operand_cb_mapping = array<i64: -1, -1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%arg9: memref<64x128xf32>):
    "ttir.yield"() : () -> ()
  }) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}

// -----

// CHECK: error: 'ttir.generic' op CB index out of bounds
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<64x128xf32>) {
  %0 = "ttir.generic"(%arg0, %arg1, %arg2) <{grid = #tt.grid<1x1>, indexing_maps = [], iterator_types = [], operand_cb_mapping = array<i64: -1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%arg8: memref<64x128xf32>, %arg9: memref<64x128xf32>):
    "ttir.yield"() : () -> ()
  }) : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return
}
