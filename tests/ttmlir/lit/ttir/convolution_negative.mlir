// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.convolution refuse.

// CHECK: error: 'ttir.convolution' op Convolution input and output must have the same number of spatial dimensions
func.func @forward(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>, %arg3: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}

// -----

// CHECK: error: 'ttir.convolution' op Convolution input and kernel must have the same number of spatial dimensions
func.func @forward(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>, %arg3: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}

// -----

// CHECK: error: 'ttir.convolution' op Input tensor must have the same number of spatial dimensions
func.func @forward(%arg0: tensor<1x3x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>, %arg3: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}

// -----

// CHECK: error: 'ttir.convolution' op Weight tensor must have the same number of spatial dimensions
func.func @forward(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>, %arg3: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}

// -----

// CHECK: error: 'ttir.convolution' op Bias must be a 4D tensor
func.func @forward(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<7xbf16>, %arg3: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}

// -----

// CHECK: error: 'ttir.convolution' op Window strides must have the same number of elements
func.func @forward(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x1x1x7xbf16>, %arg3: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2, %arg3) <{batch_group_count = 1 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1>, operand_constraints = []}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x1x1x7xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}
