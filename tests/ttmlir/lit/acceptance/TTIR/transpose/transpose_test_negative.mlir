// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for transpose operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @t0(%arg0: tensor<64xbf16>) -> tensor<64xbf16> {
  // CHECK: error: 'ttir.transpose' op Input must be at least a 2D tensor
  %0 = tensor.empty() : tensor<64xbf16>
  %1 = "ttir.transpose"(%arg0, %0) <{dim0 = 0 : si32, dim1 = 0 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
  return %1 : tensor<64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @t1(%arg0: tensor<64x32xbf16>) -> tensor<64xbf16> {
  // CHECK: error: 'ttir.transpose' op Input must have the same rank as output
  %0 = tensor.empty() : tensor<64xbf16>
  %1 = "ttir.transpose"(%arg0, %0) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<64x32xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
  return %1 : tensor<64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @t2(%arg0: tensor<64x32xbf16>) -> tensor<32x64xbf16> {
  // CHECK: error: 'ttir.transpose' op Dimension 0 attribute must be within{{.*}}
  %0 = tensor.empty() : tensor<32x64xbf16>
  %1 = "ttir.transpose"(%arg0, %0) <{dim0 = 2 : si32, dim1 = 1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<64x32xbf16>, tensor<32x64xbf16>) -> tensor<32x64xbf16>
  return %1 : tensor<32x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @t3(%arg0: tensor<64x32xbf16>) -> tensor<32x64xbf16> {
  // CHECK: error: 'ttir.transpose' op Dimension 1 attribute must be within{{.*}}
  %0 = tensor.empty() : tensor<32x64xbf16>
  %1 = "ttir.transpose"(%arg0, %0) <{dim0 = 0 : si32, dim1 = -3 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<64x32xbf16>, tensor<32x64xbf16>) -> tensor<32x64xbf16>
  return %1 : tensor<32x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @t4(%arg0: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  // CHECK: error: 'ttir.transpose' op Input-output transpose dimension mismatch.
  %0 = tensor.empty() : tensor<64x32xbf16>
  %1 = "ttir.transpose"(%arg0, %0) <{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %1 : tensor<64x32xbf16>
}
