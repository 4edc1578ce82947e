// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for embedding operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @e0(%arg0: tensor<1x32xbf16>, %arg1: tensor<1x512x128xbf16>) -> tensor<1x32x128xbf16> {
  // CHECK: error: 'ttir.embedding' op Weight must be a 2D tensor
  %0 = tensor.empty() : tensor<1x32x128xbf16>
  %1 = "ttir.embedding"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<1x32xbf16>, tensor<1x512x128xbf16>, tensor<1x32x128xbf16>) -> tensor<1x32x128xbf16>
  return %1 : tensor<1x32x128xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @e1(%arg0: tensor<1x32xbf16>, %arg1: tensor<512x128xbf16>) -> tensor<32x128xbf16> {
  // CHECK: error: 'ttir.embedding' op Output must have one dimension more than input
  %0 = tensor.empty() : tensor<32x128xbf16>
  %1 = "ttir.embedding"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<1x32xbf16>, tensor<512x128xbf16>, tensor<32x128xbf16>) -> tensor<32x128xbf16>
  return %1 : tensor<32x128xbf16>
}
