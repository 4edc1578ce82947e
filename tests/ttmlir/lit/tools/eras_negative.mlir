// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'ttir.add' op operand count (2)
// CHECK: note: operations of ttir take the tensor that they write
func.func @without_destination(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %1 = "ttir.add"(%arg0, %arg1) <{operand_constraints = []}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// -----
// CHECK: error: this is text of 2025 or later, and 1 of its operations has no form in the dialects of 2024-11-21
// CHECK: note: 'ttir.erf': it has no form of 2024-11-21
module attributes {x.y = #ttcore.grid<8x8>} {
  func.func @newer(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %0 = "ttir.erf"(%arg0) : (tensor<64x128xf32>) -> tensor<64x128xf32>
    return %0 : tensor<64x128xf32>
  }
}

// -----
// CHECK: error: 'tt.metal_layout' is not registered
// CHECK: note: tt.layout was called metal_layout a week after
module attributes {x.y = #tt.metal_layout<(d0) -> (d0)>} {}

// -----
// CHECK: error: operation being parsed with an unregistered dialect ('onnx.Add')
// CHECK: note: a module has to be in TTIR
%0 = "onnx.Add"() : () -> i32
