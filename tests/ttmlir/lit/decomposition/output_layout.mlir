// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// Channels last on both sides: no transposes. A result laid out otherwise than the input is brought there (the real project
// takes the way of the input back, and the type of the result is wrong).
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
func.func @channels_last(%x: tensor<2x32x40x3xbf16>, %w: tensor<8x3x3x3xbf16>) -> tensor<2x16x20x8xbf16> {
  %0 = tensor.empty() : tensor<2x16x20x8xbf16>
  %1 = "ttir.convolution"(%x, %w, %0) <{window_strides = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 3>, input_dilation = array<i64: 1, 1>, weight_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, false>, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 3, input_spatial_dimensions = 1x2, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 3, output_spatial_dimensions = 1x2>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<2x32x40x3xbf16>, tensor<8x3x3x3xbf16>, tensor<2x16x20x8xbf16>) -> tensor<2x16x20x8xbf16>
  return %1 : tensor<2x16x20x8xbf16>
}
// CHECK-LABEL: func.func @channels_last(
// CHECK-NOT: ttir.transpose
// CHECK: "ttir.conv2d"
// CHECK-SAME: dilation_height = 1 : si32, dilation_width = 2 : si32
// CHECK-SAME: padding_bottom = 0 : si32, padding_left = 0 : si32, padding_right = 3 : si32, padding_top = 1 : si32
// CHECK-NOT: ttir.transpose
// CHECK: return

func.func @channels_first_to_last(%x: tensor<2x3x32x40xbf16>, %w: tensor<3x3x3x8xbf16>) -> tensor<2x20x16x8xbf16> {
  %0 = tensor.empty() : tensor<2x20x16x8xbf16>
  %1 = "ttir.convolution"(%x, %w, %0) <{window_strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, input_dilation = array<i64: 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 3, kernel_input_feature = 2, kernel_spatial_dimensions = 0x1, output_batch = 0, output_feature = 3, output_spatial_dimensions = 2x1>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<2x3x32x40xbf16>, tensor<3x3x3x8xbf16>, tensor<2x20x16x8xbf16>) -> tensor<2x20x16x8xbf16>
  return %1 : tensor<2x20x16x8xbf16>
}
// CHECK-LABEL: func.func @channels_first_to_last(
// CHECK: "ttir.transpose"(%arg0, %{{.*}}) <{dim0 = 1 : si32, dim1 = 2 : si32
// CHECK: "ttir.transpose"(%{{.*}}) <{dim0 = 2 : si32, dim1 = 3 : si32
// CHECK: "ttir.transpose"(%arg1, %{{.*}}) <{dim0 = 0 : si32, dim1 = 3 : si32
// CHECK: "ttir.transpose"(%{{.*}}) <{dim0 = 1 : si32, dim1 = 2 : si32
// CHECK: "ttir.transpose"(%{{.*}}) <{dim0 = 2 : si32, dim1 = 3 : si32
// CHECK: "ttir.conv2d"{{.*}} -> tensor<2x16x20x8xbf16>
// CHECK: "ttir.transpose"(%{{.*}}) <{dim0 = 1 : si32, dim1 = 2 : si32{{.*}} -> tensor<2x20x16x8xbf16>
// CHECK-NEXT: return
