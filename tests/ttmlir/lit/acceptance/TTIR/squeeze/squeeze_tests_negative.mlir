// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for squeeze operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @q0(%arg0: tensor<1x2x1x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
  // CHECK: error: 'ttir.squeeze' op Invalid dimension 5 for squeezing.
  %0 = tensor.empty() : tensor<1x2x32x32xbf16>
  %1 = "ttir.squeeze"(%arg0, %0) <{dim = 5 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x2x1x32x32xbf16>, tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16>
  return %1 : tensor<1x2x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @q1(%arg0: tensor<1x2x1x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
  // CHECK: error: 'ttir.squeeze' op Invalid dimension {{-?[0-9]+}} for squeezing.
  %0 = tensor.empty() : tensor<1x2x32x32xbf16>
  %1 = "ttir.squeeze"(%arg0, %0) <{dim = -6 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x2x1x32x32xbf16>, tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16>
  return %1 : tensor<1x2x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @q2(%arg0: tensor<1x2x1x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
  // CHECK: error: 'ttir.squeeze' op Dimension 1 in the input tensor must be 1.
  %0 = tensor.empty() : tensor<1x2x32x32xbf16>
  %1 = "ttir.squeeze"(%arg0, %0) <{dim = 1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x2x1x32x32xbf16>, tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16>
  return %1 : tensor<1x2x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @q3(%arg0: tensor<1x2x1x32x32xbf16>) -> tensor<1x2x1x32x32xbf16> {
  // CHECK: error: 'ttir.squeeze' op Output tensor rank must be one less{{.*}}
  %0 = tensor.empty() : tensor<1x2x1x32x32xbf16>
  %1 = "ttir.squeeze"(%arg0, %0) <{dim = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x2x1x32x32xbf16>, tensor<1x2x1x32x32xbf16>) -> tensor<1x2x1x32x32xbf16>
  return %1 : tensor<1x2x1x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @q4(%arg0: tensor<1x2x1x32x32xbf16>) -> tensor<1x2x32x64xbf16> {
  // CHECK: error: 'ttir.squeeze' op {{.*}}same as the input tensor except for dimension 2
  %0 = tensor.empty() : tensor<1x2x32x64xbf16>
  %1 = "ttir.squeeze"(%arg0, %0) <{dim = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x2x1x32x32xbf16>, tensor<1x2x32x64xbf16>) -> tensor<1x2x32x64xbf16>
  return %1 : tensor<1x2x32x64xbf16>
}
