// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for slice operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s0(%arg0: tensor<bf16>) -> tensor<1xbf16> {
  // CHECK: error: 'ttir.slice' op Input must be at least a 1D tensor
  %0 = tensor.empty() : tensor<1xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32], ends = [0: i32], step = [1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
  return %1 : tensor<1xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s1(%arg0: tensor<3x128x64xbf16>) -> tensor<1x64x64xbf16> {
  // CHECK: error: 'ttir.slice' op Begins, ends, and step attributes must{{.*}}
  %0 = tensor.empty() : tensor<1x64x64xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32, 0: i32], ends = [0: i32, 63: i32, 63: i32], step = [1: i32, 1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
  return %1 : tensor<1x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s2(%arg0: tensor<3x128x64xbf16>) -> tensor<1x64x64xf32> {
  // CHECK: error: 'ttir.slice' op {{.*}}must have the same element type
  %0 = tensor.empty() : tensor<1x64x64xf32>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32, 0: i32, 0: i32], ends = [1: i32, 64: i32, 64: i32], step = [1: i32, 1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  return %1 : tensor<1x64x64xf32>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s3(%arg0: tensor<3x128x64xbf16>) -> tensor<64x64xbf16> {
  // CHECK: error: 'ttir.slice' op {{.*}}must have the same rank as
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32, 0: i32, 0: i32], ends = [1: i32, 64: i32, 64: i32], step = [1: i32, 1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s4(%arg0: tensor<10x3x128x64xbf16>) -> tensor<4x1x16x8xbf16> {
  // CHECK: error: 'ttir.slice' op Invalid begin index for dimension 1. Expected value in range {{\[-3, 3\)}}, got 3. Input shape: (10, 3, 128, 64)
  %0 = tensor.empty() : tensor<4x1x16x8xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [3: i32, 3: i32, 32: i32, 0: i32], ends = [7: i32, 1: i32, 48: i32, 8: i32], step = [1: i32, 1: i32, 1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<10x3x128x64xbf16>, tensor<4x1x16x8xbf16>) -> tensor<4x1x16x8xbf16>
  return %1 : tensor<4x1x16x8xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s5(%arg0: tensor<10x3x128x64xbf16>) -> tensor<4x1x16x16xbf16> {
  // CHECK: error: 'ttir.slice' op Invalid end index for dimension 1. Expected value in range {{\[-3, 3\]}}, got 4. Input shape: (10, 3, 128, 64)
  %0 = tensor.empty() : tensor<4x1x16x16xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [3: i32, 0: i32, 32: i32, 0: i32], ends = [7: i32, 4: i32, 48: i32, 16: i32], step = [1: i32, 1: i32, 1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<10x3x128x64xbf16>, tensor<4x1x16x16xbf16>) -> tensor<4x1x16x16xbf16>
  return %1 : tensor<4x1x16x16xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s6(%arg0: tensor<3x128x64xbf16>) -> tensor<1x64x64xbf16> {
  // CHECK: error: 'ttir.slice' op Step value for dimension 1 cannot be zero
  %0 = tensor.empty() : tensor<1x64x64xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32, 0: i32, 0: i32], ends = [1: i32, 64: i32, 64: i32], step = [1: i32, 0: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
  return %1 : tensor<1x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s7(%arg0: tensor<3x128x64xbf16>) -> tensor<1x64x64xbf16> {
  // CHECK: error: 'ttir.slice' op For positive step, begin index must be {{.*}}
  %0 = tensor.empty() : tensor<1x64x64xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32, 70: i32, 0: i32], ends = [1: i32, 64: i32, 64: i32], step = [1: i32, 1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
  return %1 : tensor<1x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s8(%arg0: tensor<3x128x64xbf16>) -> tensor<1x64x64xbf16> {
  // CHECK: error: 'ttir.slice' op For negative step, begin index must be {{.*}}
  %0 = tensor.empty() : tensor<1x64x64xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32, 0: i32, 0: i32], ends = [1: i32, 64: i32, 64: i32], step = [1: i32, -1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
  return %1 : tensor<1x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @s9(%arg0: tensor<3x128x64xbf16>) -> tensor<1x64x32xbf16> {
  // CHECK: error: 'ttir.slice' op Mismatch in dimension 2 of the output tensor: expected size 64, but got 32
  %0 = tensor.empty() : tensor<1x64x32xbf16>
  %1 = "ttir.slice"(%arg0, %0) <{begins = [0: i32, 0: i32, 0: i32], ends = [1: i32, 64: i32, 64: i32], step = [1: i32, 1: i32, 1: i32], operand_constraints = [#any_device, #any_device]}> : (tensor<3x128x64xbf16>, tensor<1x64x32xbf16>) -> tensor<1x64x32xbf16>
  return %1 : tensor<1x64x32xbf16>
}
