// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: 'ttir.add' op operand count (2)
// CHECK: note: operations of ttir take the tensor that they write
func.func @without_destination(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %1 = "ttir.add"(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// -----
// CHECK: error: 'ttcore.grid' is not registered
// CHECK: note: this is text of 2025 or later, where the dialect tt is called ttcore
module attributes {x.y = #ttcore.grid<8x8>} {}

// -----
// CHECK: error: 'tt.metal_layout' is not registered
// CHECK: note: tt.layout was called metal_layout a week after
module attributes {x.y = #tt.metal_layout<(d0) -> (d0)>} {}

// -----
// CHECK: error: operation being parsed with an unregistered dialect ('onnx.Add')
// CHECK: note: a module has to be in TTIR
%0 = "onnx.Add"() : () -> i32
