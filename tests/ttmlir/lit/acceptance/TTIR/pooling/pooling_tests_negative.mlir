// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for pooling operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @g0(%arg0: tensor<1x32x128x128xbf16>) -> tensor<1x32x64x64xbf16> {
  // CHECK: error: 'ttir.pooling' op Window strides must have the same{{.*}}
  %0 = tensor.empty() : tensor<1x32x64x64xbf16>
  %1 = "ttir.pooling"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 2, 2>, operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<1x32x128x128xbf16>, tensor<1x32x64x64xbf16>) -> tensor<1x32x64x64xbf16>
  return %1 : tensor<1x32x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @g1(%arg0: tensor<1x32x128x128xbf16>) -> tensor<1x32x64x64xbf16> {
  // CHECK: error: 'ttir.pooling' op Window dilations must have the same{{.*}}
  %0 = tensor.empty() : tensor<1x32x64x64xbf16>
  %1 = "ttir.pooling"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<1x32x128x128xbf16>, tensor<1x32x64x64xbf16>) -> tensor<1x32x64x64xbf16>
  return %1 : tensor<1x32x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @g2(%arg0: tensor<1x32x128x128xbf16>) -> tensor<1x32x64x64xbf16> {
  // CHECK: error: 'ttir.pooling' op Window dimensions must have the same{{.*}}
  %0 = tensor.empty() : tensor<1x32x64x64xbf16>
  %1 = "ttir.pooling"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<1x32x128x128xbf16>, tensor<1x32x64x64xbf16>) -> tensor<1x32x64x64xbf16>
  return %1 : tensor<1x32x64x64xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @g3(%arg0: tensor<1x32x128x128xbf16>) -> tensor<1x32x64x64xbf16> {
  // CHECK: error: 'ttir.pooling' op Padding must have the same number of elements{{.*}}
  %0 = tensor.empty() : tensor<1x32x64x64xbf16>
  %1 = "ttir.pooling"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<1x32x128x128xbf16>, tensor<1x32x64x64xbf16>) -> tensor<1x32x64x64xbf16>
  return %1 : tensor<1x32x64x64xbf16>
}
