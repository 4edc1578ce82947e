// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.all_gather refuse.

// CHECK: error: 'ttnn.all_gather' op Invalid dimension for all gather op.
func.func @forward(%arg0: tensor<1x32xbf16>) {
  %0 = "ttnn.all_gather"(%arg0) <{dim = 2 : si32}> : (tensor<1x32xbf16>) -> tensor<1x128xbf16>
  return
}
