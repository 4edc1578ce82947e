// RUN: ttmlir-opt --ttir-to-ttir-decomposition --verify-diagnostics %s
// RUN: not ttmlir-opt --ttir-to-ttir-decomposition %s 2>&1 | FileCheck %s
// Everything that cannot be decomposed is reported in one run, with the condition that failed and its values.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
func.func @dilated(%x: tensor<2x3x32x40xbf16>, %w: tensor<8x3x3x3xbf16>) -> tensor<2x8x16x40xbf16> {
  %0 = tensor.empty() : tensor<2x8x16x40xbf16>
  // expected-error@+1 {{failed to legalize operation 'ttir.convolution' that was explicitly marked illegal}}
  %1 = "ttir.convolution"(%x, %w, %0) <{window_strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, input_dilation = array<i64: 1, 2>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<2x3x32x40xbf16>, tensor<8x3x3x3xbf16>, tensor<2x8x16x40xbf16>) -> tensor<2x8x16x40xbf16>
  return %1 : tensor<2x8x16x40xbf16>
}
// CHECK: note: input_dilation has to be 1, and is 1, 2
func.func @three_dimensions(%x: tensor<2x16x18x20xbf16>) -> tensor<2x8x9x10xbf16> {
  %0 = tensor.empty() : tensor<2x8x9x10xbf16>
  // expected-error@+1 {{failed to legalize operation 'ttir.pooling' that was explicitly marked illegal}}
  %1 = "ttir.pooling"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dimensions = array<i64: 1, 2, 2, 2>, window_strides = array<i64: 1, 2, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x18x20xbf16>, tensor<2x8x9x10xbf16>) -> tensor<2x8x9x10xbf16>
  return %1 : tensor<2x8x9x10xbf16>
}
// CHECK: note: No decompositions for a pooling op whose window has 3 dimensions greater than 1 (window_dimensions 1, 2, 2, 2)
func.func @average(%x: tensor<2x16x18x20xi32>) -> tensor<2x16x9x10xi32> {
  %0 = tensor.empty() : tensor<2x16x9x10xi32>
  // expected-error@+1 {{failed to legalize operation 'ttir.pooling' that was explicitly marked illegal}}
  %1 = "ttir.pooling"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x18x20xi32>, tensor<2x16x9x10xi32>) -> tensor<2x16x9x10xi32>
  return %1 : tensor<2x16x9x10xi32>
}
// CHECK: note: means need floats, but the elements are i32
func.func @strides(%x: tensor<2x16x18x20xbf16>) -> tensor<2x9x17x10xbf16> {
  %0 = tensor.empty() : tensor<2x9x17x10xbf16>
  // expected-error@+1 {{failed to legalize operation 'ttir.pooling' that was explicitly marked illegal}}
  %1 = "ttir.pooling"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 2, 1, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 1, 0, 0, 0, 0, 0>, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x18x20xbf16>, tensor<2x9x17x10xbf16>) -> tensor<2x9x17x10xbf16>
  return %1 : tensor<2x9x17x10xbf16>
}
// CHECK: note: strides have to be 1 where the window is: window_dimensions is 1, 1, 2, 2, window_strides 1, 2, 1, 2
// CHECK: note: padding has to be 0 where the window is 1, and is 0, 0, 1, 0, 0, 0, 0, 0
func.func @of_f32(%w: tensor<448x384xf32>, %i: tensor<1x2xi32>) -> tensor<1x2x384xf32> {
  %0 = tensor.empty() : tensor<1x2x384xf32>
  // expected-error@+1 {{failed to legalize operation 'ttir.gather' that was explicitly marked illegal}}
  %1 = "ttir.gather"(%w, %i, %0) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : si64, slice_sizes = array<i64: 1, 384>, indices_are_sorted = false, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<448x384xf32>, tensor<1x2xi32>, tensor<1x2x384xf32>) -> tensor<1x2x384xf32>
  return %1 : tensor<1x2x384xf32>
}
// CHECK: note: the table has to be of bf16, and it is tensor<448x384xf32>
func.func @columns(%w: tensor<448x384xbf16>, %i: tensor<1x2x3xi32>) -> tensor<1x448x2x3xbf16> {
  %0 = tensor.empty() : tensor<1x448x2x3xbf16>
  // expected-error@+1 {{failed to legalize operation 'ttir.gather' that was explicitly marked illegal}}
  %1 = "ttir.gather"(%w, %i, %0) <{offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 1>, index_vector_dim = 3 : si64, slice_sizes = array<i64: 448, 1>, indices_are_sorted = false, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<448x384xbf16>, tensor<1x2x3xi32>, tensor<1x448x2x3xbf16>) -> tensor<1x448x2x3xbf16>
  return %1 : tensor<1x448x2x3xbf16>
}
// CHECK: note: the result has to have 3 dimensions, and it is tensor<1x448x2x3xbf16>
// CHECK: note: slice_sizes has to begin with 1, 3 (one row, as wide as the result), and is 448, 1
// CHECK: note: rows have to be taken whole: they are 384 wide, and the result is 3 wide
// CHECK: note: offset_dims has to be 2, and is 1
// CHECK: note: collapsed_slice_dims has to be 0, and is 1
// CHECK: note: start_index_map has to be 0, and is 1
