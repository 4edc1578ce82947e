// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.clamp refuse.

// CHECK: error: 'ttir.clamp' op input and output must have same shape.
func.func @forward(%arg0: tensor<64x64xbf16>, %arg1: tensor<64x128xbf16>) {
  %0 = "ttir.clamp"(%arg0, %arg1) <{min = 0.0 : f32, max = 1.0 : f32, operand_constraints = []}> : (tensor<64x64xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return
}
