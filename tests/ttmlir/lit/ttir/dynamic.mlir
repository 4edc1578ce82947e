// RUN: ttmlir-opt %s | FileCheck %s
// Extents that are not known.

// CHECK: func.func @rows(%arg0: tensor<?x8xf32>, %arg1: tensor<8x?xf32>) -> tensor<8x?xf32>
func.func @rows(%arg0: tensor<?x8xf32>, %arg1: tensor<8x?xf32>) -> tensor<8x?xf32> {
  // CHECK: "ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = []}> : (tensor<?x8xf32>, tensor<8x?xf32>) -> tensor<8x?xf32>
  %0 = "ttir.transpose"(%arg0, %arg1) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = []}> : (tensor<?x8xf32>, tensor<8x?xf32>) -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}
