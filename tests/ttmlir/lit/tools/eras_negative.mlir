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

// -----
// The module of the introduction.
// CHECK: error: expected '{'
// CHECK: note: this is an older form of #tt.system_desc: it has the host's processors first
module attributes {tt.system_desc = #tt.system_desc<[<#tt.arch<wormhole_b0>, #tt.grid<8x8>>], [0], [<pcie|host_mmio>], [<0, 0, 0, 0>]>} {}

// -----
// The devices of the page on devices.
// CHECK: error: expected 'l1Map'
// CHECK: note: this is an older form of #tt.device: l1Map and dramMap stand between workerGrid and meshShape; leave tt.device out
module attributes {tt.device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, meshShape = 1, chipIds = [0]>} {}

// -----
// CHECK: error: expected 'workerGrid'
// CHECK: note: this is an older form of #tt.device: its parts are named
module attributes {tt.device = #tt.device<#tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, [0]>} {}

// -----
// The examples of ttir.fill and ttir.to_layout.
// CHECK: error: 'ttir.fill' op requires attribute 'operand_constraints'
// CHECK: note: operations of ttir need a constraint on the place of each operand: operand_constraints = [#c, #c]
func.func @fill(%arg0: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %1 = "ttir.fill"(%arg0) {value = dense<0> : tensor<2x3xi32>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %1 : tensor<2x3xi32>
}

// -----
// CHECK: error: invalid kind of type specified: expected builtin.tensor, but found '() -> tensor<2x3xi32>'
// CHECK: note: this is an older form of tensor.empty: the type after the colon must be the type of its result only
func.func @empty() -> tensor<2x3xi32> {
  %0 = tensor.empty() : () -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----
// CHECK: error: expected an affine map
// CHECK: note: this is an older form of #tt.layout, with strides
#layout1 = #tt.layout<8192x128x1, undef, <1x1>, memref<64x128xf32, #tt.memory_space<l1>>>
func.func @layout(%arg0: tensor<64x128xf32, #layout1>) { return }
