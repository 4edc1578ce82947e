// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for matmul operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @matmul_negative_1d_inner(%arg0: tensor<64xbf16>, %arg1: tensor<128xbf16>) -> tensor<1xbf16> {
  // CHECK: error: 'ttir.matmul' op Input A{{\[-1\]}}(64) and B{{\[-2\]}}(128) must have matching inner dimensions
  %0 = tensor.empty() : tensor<1xbf16>
  %1 = "ttir.matmul"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64xbf16>, tensor<128xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
  return %1 : tensor<1xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @matmul_negative_batch(%arg0: tensor<7x64x128xbf16>, %arg1: tensor<2x128x64xbf16>) -> tensor<7x64x64xbf16> {
  // CHECK: error: 'ttir.matmul' op Batch dimensions of input A(7) and B(2) are not broadcast compatible
  %0 = tensor.empty() : tensor<7x64x64xbf16>
  %1 = "ttir.matmul"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<7x64x128xbf16>, tensor<2x128x64xbf16>, tensor<7x64x64xbf16>) -> tensor<7x64x64xbf16>
  return %1 : tensor<7x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @matmul_negative_two_batches(%arg0: tensor<7x4x64x128xbf16>, %arg1: tensor<7x3x128x64xbf16>) -> tensor<7x4x64x64xbf16> {
  // CHECK: error: 'ttir.matmul' op Batch dimensions of input A(7,4) and B(7,3) are not broadcast compatible
  %0 = tensor.empty() : tensor<7x4x64x64xbf16>
  %1 = "ttir.matmul"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<7x4x64x128xbf16>, tensor<7x3x128x64xbf16>, tensor<7x4x64x64xbf16>) -> tensor<7x4x64x64xbf16>
  return %1 : tensor<7x4x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @matmul_negative_scalar(%arg0: tensor<64xbf16>, %arg1: tensor<64xbf16>) -> tensor<2xbf16> {
  // CHECK: error: 'ttir.matmul' op Scalar output must be a 1D tensor
  %0 = tensor.empty() : tensor<2xbf16>
  %1 = "ttir.matmul"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64xbf16>, tensor<64xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %1 : tensor<2xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @matmul_negative_rank(%arg0: tensor<64x128xbf16>, %arg1: tensor<128x64xbf16>) -> tensor<1x64x64xbf16> {
  // CHECK: error: 'ttir.matmul' op Output shape rank(3) must match the expected output shape rank(2)
  %0 = tensor.empty() : tensor<1x64x64xbf16>
  %1 = "ttir.matmul"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
  return %1 : tensor<1x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @matmul_negative_dim(%arg0: tensor<64x128xbf16>, %arg1: tensor<128x64xbf16>) -> tensor<64x128xbf16> {
  // CHECK: error: 'ttir.matmul' op Output shape dimension{{\[1\]}}(128) doesn't match
  %0 = tensor.empty() : tensor<64x128xbf16>
  %1 = "ttir.matmul"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %1 : tensor<64x128xbf16>
}
