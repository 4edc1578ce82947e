// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.all_gather refuse.

// CHECK: error: 'ttir.all_gather' op Invalid dimension for all gather op.
func.func @forward(%arg0: tensor<1x32xbf16>, %arg1: tensor<1x128xbf16>) {
  %0 = "ttir.all_gather"(%arg0, %arg1) <{dim = 2 : si32, operand_constraints = []}> : (tensor<1x32xbf16>, tensor<1x128xbf16>) -> tensor<1x128xbf16>
  return
}
