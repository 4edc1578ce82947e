// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// The result of a clamp is of the type of its operand; where the destination is to lie elsewhere, it is brought there.
#tiles = #tt.operand_constraint<dram|tile|interleaved>
#l1 = #tt.operand_constraint<l1|tile|interleaved>
// CHECK-LABEL: func.func @clamped
func.func @clamped(%x: tensor<64x128xbf16>) -> tensor<64x128xbf16> {
  %0 = tensor.empty() {read = 1 : i32} : tensor<64x128xbf16>
  // CHECK: %[[OPERAND:.*]] = "ttir.to_layout"(%arg0
  // CHECK: %[[CLAMP:.*]] = "ttir.clamp"(%[[OPERAND]], %{{.*}} -> tensor<64x128xbf16, #[[DRAM:.*]]>
  // CHECK: %{{.*}} = "ttir.to_layout"(%[[CLAMP]], %{{.*}}) : (tensor<64x128xbf16, #[[DRAM]]>, tensor<64x128xbf16, #[[L1:.*]]>) -> tensor<64x128xbf16, #[[L1]]>
  %1 = "ttir.clamp"(%x, %0) <{max = 1.0 : f32, min = 0.0 : f32, operand_constraints = [#tiles, #l1]}> : (tensor<64x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %1 : tensor<64x128xbf16>
}
