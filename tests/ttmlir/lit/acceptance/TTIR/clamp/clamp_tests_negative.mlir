// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for clamp operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @p0(%arg0: tensor<64x64xbf16>) -> tensor<64x128xbf16> {
  // CHECK: error: 'ttir.clamp' op input and output must have same shape.
  %0 = tensor.empty() : tensor<64x128xbf16>
  %1 = "ttir.clamp"(%arg0, %0) <{max = 3.0 : f32, min = 2.0 : f32, operand_constraints = [#any_device, #any_device]}> : (tensor<64x64xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %1 : tensor<64x128xbf16>
}
