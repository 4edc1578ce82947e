// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for reshape operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @r0(%arg0: tensor<4x2x32x32xbf16>) -> tensor<2x4x32x32xbf16> {
  // CHECK: error: 'ttir.reshape' op Shape attribute size must match output tensor rank
  %0 = tensor.empty() : tensor<2x4x32x32xbf16>
  %1 = "ttir.reshape"(%arg0, %0) <{shape = [2: i32, 4: i32, 32: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<4x2x32x32xbf16>, tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
  return %1 : tensor<2x4x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @r1(%arg0: tensor<2x3x4x5x6x1xbf16>) -> tensor<2x3x4x5x6x1xbf16> {
  // CHECK: error: 'ttir.reshape' op {{.*}}must have at most 5 elements
  %0 = tensor.empty() : tensor<2x3x4x5x6x1xbf16>
  %1 = "ttir.reshape"(%arg0, %0) <{shape = [2: i32, 3: i32, 4: i32, 5: i32, 6: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<2x3x4x5x6x1xbf16>, tensor<2x3x4x5x6x1xbf16>) -> tensor<2x3x4x5x6x1xbf16>
  return %1 : tensor<2x3x4x5x6x1xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @r2(%arg0: tensor<4x2x32x32xbf16>) -> tensor<2x4x16x32xbf16> {
  // CHECK: error: 'ttir.reshape' op {{.*}}must have the same number of elements
  %0 = tensor.empty() : tensor<2x4x16x32xbf16>
  %1 = "ttir.reshape"(%arg0, %0) <{shape = [2: i32, 4: i32, 16: i32, 32: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<4x2x32x32xbf16>, tensor<2x4x16x32xbf16>) -> tensor<2x4x16x32xbf16>
  return %1 : tensor<2x4x16x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @r3(%arg0: tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16> {
  // CHECK: error: 'ttir.reshape' op {{.*}}at most one -1 element
  %0 = tensor.empty() : tensor<2x4x32x32xbf16>
  %1 = "ttir.reshape"(%arg0, %0) <{shape = [-1: i32, -1: i32, 32: i32, 32: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
  return %1 : tensor<2x4x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @r4(%arg0: tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16> {
  // CHECK: error: 'ttir.reshape' op All dimensions must be positive
  %0 = tensor.empty() : tensor<2x4x32x32xbf16>
  %1 = "ttir.reshape"(%arg0, %0) <{shape = [0: i32, 4: i32, 32: i32, 32: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
  return %1 : tensor<2x4x32x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @r5(%arg0: tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16> {
  // CHECK: error: 'ttir.reshape' op {{.*}}must match the output tensor shape
  %0 = tensor.empty() : tensor<2x4x32x32xbf16>
  %1 = "ttir.reshape"(%arg0, %0) <{shape = [4: i32, 2: i32, 32: i32, 32: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
  return %1 : tensor<2x4x32x32xbf16>
}
