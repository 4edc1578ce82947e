// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for all_gather operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @a0(%arg0: tensor<1x1x32x32xbf16>) -> tensor<1x1x32x128xbf16> {
  // CHECK: error: 'ttir.all_gather' op Invalid dimension for all gather op.
  %0 = tensor.empty() : tensor<1x1x32x128xbf16>
  %1 = "ttir.all_gather"(%arg0, %0) <{dim = 4 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x1x32x32xbf16>, tensor<1x1x32x128xbf16>) -> tensor<1x1x32x128xbf16>
  return %1 : tensor<1x1x32x128xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @a1(%arg0: tensor<1x1x32x32xbf16>) -> tensor<1x1x32x128xbf16> {
  // CHECK: error: 'ttir.all_gather' op Invalid dimension for all gather op.
  %0 = tensor.empty() : tensor<1x1x32x128xbf16>
  %1 = "ttir.all_gather"(%arg0, %0) <{dim = -5 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x1x32x32xbf16>, tensor<1x1x32x128xbf16>) -> tensor<1x1x32x128xbf16>
  return %1 : tensor<1x1x32x128xbf16>
}
