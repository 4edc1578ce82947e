// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for convolution operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @n0(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>) -> tensor<1x7x100x100xbf16> {
  // CHECK: error: 'ttir.convolution' op {{.*}}must have the same number of spatial dimensions
  %0 = tensor.empty() : tensor<1x7x100x100xbf16>
  %1 = "ttir.convolution"(%arg0, %arg1, %arg2, %0) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return %1 : tensor<1x7x100x100xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @n1(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>) -> tensor<1x7x100x100xbf16> {
  // CHECK: error: 'ttir.convolution' op {{.*}}must have the same number of spatial dimensions
  %0 = tensor.empty() : tensor<1x7x100x100xbf16>
  %1 = "ttir.convolution"(%arg0, %arg1, %arg2, %0) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return %1 : tensor<1x7x100x100xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @n2(%arg0: tensor<1x3x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>) -> tensor<1x7x100xbf16> {
  // CHECK: error: 'ttir.convolution' op Input tensor must have the same number{{.*}}
  %0 = tensor.empty() : tensor<1x7x100xbf16>
  %1 = "ttir.convolution"(%arg0, %arg1, %arg2, %0) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<1x3x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100xbf16>) -> tensor<1x7x100xbf16>
  return %1 : tensor<1x7x100xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @n3(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>) -> tensor<1x7x100x100xbf16> {
  // CHECK: error: 'ttir.convolution' op Weight tensor must have the same number{{.*}}
  %0 = tensor.empty() : tensor<1x7x100x100xbf16>
  %1 = "ttir.convolution"(%arg0, %arg1, %arg2, %0) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return %1 : tensor<1x7x100x100xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @n4(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x7xbf16>) -> tensor<1x7x100x100xbf16> {
  // CHECK: error: 'ttir.convolution' op Bias must be a 4D tensor
  %0 = tensor.empty() : tensor<1x7x100x100xbf16>
  %1 = "ttir.convolution"(%arg0, %arg1, %arg2, %0) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return %1 : tensor<1x7x100x100xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @n5(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>) -> tensor<1x7x100x100xbf16> {
  // CHECK: error: 'ttir.convolution' op Window strides must have the same number{{.*}}
  %0 = tensor.empty() : tensor<1x7x100x100xbf16>
  %1 = "ttir.convolution"(%arg0, %arg1, %arg2, %0) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return %1 : tensor<1x7x100x100xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @n6(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>) -> tensor<1x7x100x100xbf16> {
  // CHECK: error: 'ttir.convolution' op attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive
  %0 = tensor.empty() : tensor<1x7x100x100xbf16>
  %1 = "ttir.convolution"(%arg0, %arg1, %arg2, %0) <{batch_group_count = 0 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return %1 : tensor<1x7x100x100xbf16>
}
