// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for index operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @i0(%arg0: tensor<bf16>) -> tensor<1xbf16> {
  // CHECK: error: 'ttir.index' op Input must be at least a 1D tensor
  %0 = tensor.empty() : tensor<1xbf16>
  %1 = "ttir.index"(%arg0, %0) <{dim = 0: i32, begin = 0: i32, end = 0: i32, step = 1: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
  return %1 : tensor<1xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @i1(%arg0: tensor<3x128x64xbf16>) -> tensor<3x128x64xbf16> {
  // CHECK: error: 'ttir.index' op Invalid dimension index 3. Input tensor rank is 3
  %0 = tensor.empty() : tensor<3x128x64xbf16>
  %1 = "ttir.index"(%arg0, %0) <{dim = 3: i32, begin = 0: i32, end = 64: i32, step = 1: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<3x128x64xbf16>) -> tensor<3x128x64xbf16>
  return %1 : tensor<3x128x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @i2(%arg0: tensor<3x128x64xbf16>) -> tensor<3x128x32xf32> {
  // CHECK: error: 'ttir.index' op {{.*}}must have the same element type
  %0 = tensor.empty() : tensor<3x128x32xf32>
  %1 = "ttir.index"(%arg0, %0) <{dim = 2: i32, begin = 0: i32, end = 32: i32, step = 1: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<3x128x32xf32>) -> tensor<3x128x32xf32>
  return %1 : tensor<3x128x32xf32>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @i3(%arg0: tensor<3x128x64xbf16>) -> tensor<3x128x32xbf16> {
  // CHECK: error: 'ttir.index' op Invalid begin index for dimension 2. Expected value in range {{\[-64, 64\)}}, got 64. Input shape: (3, 128, 64)
  %0 = tensor.empty() : tensor<3x128x32xbf16>
  %1 = "ttir.index"(%arg0, %0) <{dim = 2: i32, begin = 64: i32, end = 32: i32, step = 1: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<3x128x32xbf16>) -> tensor<3x128x32xbf16>
  return %1 : tensor<3x128x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @i4(%arg0: tensor<3x128x64xbf16>) -> tensor<3x128x32xbf16> {
  // CHECK: error: 'ttir.index' op Invalid end index for dimension 2. Expected value in range {{\[-64, 64\]}}, got 65. Input shape: (3, 128, 64)
  %0 = tensor.empty() : tensor<3x128x32xbf16>
  %1 = "ttir.index"(%arg0, %0) <{dim = 2: i32, begin = 0: i32, end = 65: i32, step = 1: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<3x128x32xbf16>) -> tensor<3x128x32xbf16>
  return %1 : tensor<3x128x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @i5(%arg0: tensor<3x128x64xbf16>) -> tensor<3x128x32xbf16> {
  // CHECK: error: 'ttir.index' op Step value for dimension 2 cannot be zero
  %0 = tensor.empty() : tensor<3x128x32xbf16>
  %1 = "ttir.index"(%arg0, %0) <{dim = 2: i32, begin = -64: i32, end = -1: i32, step = 0: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<3x128x32xbf16>) -> tensor<3x128x32xbf16>
  return %1 : tensor<3x128x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @i6(%arg0: tensor<3x128x64xbf16>) -> tensor<3x128x32xbf16> {
  // CHECK: error: 'ttir.index' op Mismatch in dimension 2 of the output tensor: expected size 16, but got 32
  %0 = tensor.empty() : tensor<3x128x32xbf16>
  %1 = "ttir.index"(%arg0, %0) <{dim = 2: i32, begin = 0: i32, end = 32: i32, step = 2: i32, operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<3x128x32xbf16>) -> tensor<3x128x32xbf16>
  return %1 : tensor<3x128x32xbf16>
}
