// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for softmax operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @m0(%arg0: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  // CHECK: error: 'ttir.softmax' op Dimension attribute must be within the bounds
  %0 = tensor.empty() : tensor<512x1024xbf16>
  %1 = "ttir.softmax"(%arg0, %0) <{dimension = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %1 : tensor<512x1024xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @m1(%arg0: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
  // CHECK: error: 'ttir.softmax' op Dimension attribute must be within the bounds
  %0 = tensor.empty() : tensor<512x1024xbf16>
  %1 = "ttir.softmax"(%arg0, %0) <{dimension = -3 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
  return %1 : tensor<512x1024xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @m2(%arg0: tensor<512x1024xbf16>) -> tensor<1x512x1024xbf16> {
  // CHECK: error: 'ttir.softmax' op Input and output shapes must be the same
  %0 = tensor.empty() : tensor<1x512x1024xbf16>
  %1 = "ttir.softmax"(%arg0, %0) <{dimension = 1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<1x512x1024xbf16>) -> tensor<1x512x1024xbf16>
  return %1 : tensor<1x512x1024xbf16>
}
