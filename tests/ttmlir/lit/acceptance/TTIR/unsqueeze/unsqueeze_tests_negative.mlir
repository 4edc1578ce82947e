// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for unsqueeze operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @u0(%arg0: tensor<4x2x32x32xbf16>) -> tensor<4x2x1x32x32xbf16> {
  // CHECK: error: 'ttir.unsqueeze' op Dimension attribute must be within the bounds{{.*}}
  %0 = tensor.empty() : tensor<4x2x1x32x32xbf16>
  %1 = "ttir.unsqueeze"(%arg0, %0) <{dim = 5 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<4x2x32x32xbf16>, tensor<4x2x1x32x32xbf16>) -> tensor<4x2x1x32x32xbf16>
  return %1 : tensor<4x2x1x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @u1(%arg0: tensor<4x2x32x32xbf16>) -> tensor<4x2x32x32xbf16> {
  // CHECK: error: 'ttir.unsqueeze' op {{.*}}must have one more dimension{{.*}}
  %0 = tensor.empty() : tensor<4x2x32x32xbf16>
  %1 = "ttir.unsqueeze"(%arg0, %0) <{dim = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<4x2x32x32xbf16>, tensor<4x2x32x32xbf16>) -> tensor<4x2x32x32xbf16>
  return %1 : tensor<4x2x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @u2(%arg0: tensor<4x2x32x32xbf16>) -> tensor<4x2x2x32x32xbf16> {
  // CHECK: error: 'ttir.unsqueeze' op Dimension added must be of size 1
  %0 = tensor.empty() : tensor<4x2x2x32x32xbf16>
  %1 = "ttir.unsqueeze"(%arg0, %0) <{dim = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<4x2x32x32xbf16>, tensor<4x2x2x32x32xbf16>) -> tensor<4x2x2x32x32xbf16>
  return %1 : tensor<4x2x2x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @u3(%arg0: tensor<4x2x32x32xbf16>) -> tensor<4x2x1x64x32xbf16> {
  // CHECK: error: 'ttir.unsqueeze' op All dimensions of the input tensor must be{{.*}}
  %0 = tensor.empty() : tensor<4x2x1x64x32xbf16>
  %1 = "ttir.unsqueeze"(%arg0, %0) <{dim = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<4x2x32x32xbf16>, tensor<4x2x1x64x32xbf16>) -> tensor<4x2x1x64x32xbf16>
  return %1 : tensor<4x2x1x64x32xbf16>
}
