// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.softmax refuse.

// CHECK: error: 'ttir.softmax' op Input and output shapes must be the same
func.func @forward(%arg0: tensor<512x1024xbf16>, %arg1: tensor<512x1023xbf16>) {
  %0 = "ttir.softmax"(%arg0, %arg1) <{dimension = -1 : si32, operand_constraints = []}> : (tensor<512x1024xbf16>, tensor<512x1023xbf16>) -> tensor<512x1023xbf16>
  return
}

// -----

// CHECK: error: 'ttir.softmax' op Dimension attribute must be within the bounds of the input tensor
func.func @forward(%arg0: tensor<512x1024xbf16>, %arg1: tensor<512x1024xbf16>) {
  %0 = "ttir.softmax"(%arg0, %arg1) <{dimension = 2 : si32, operand_constraints = []}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return
}
