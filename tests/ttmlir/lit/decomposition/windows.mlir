// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// Means are convolutions of each channel by itself; a window along one dimension has an extent of 1 along another.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
// CHECK-LABEL: func.func @average
// CHECK: %[[W:.*]] = "ttir.constant"() <{value = dense<2.500000e-01> : tensor<16x1x2x2xbf16>}>
// CHECK: "ttir.conv2d"(%{{.*}}, %[[W]], %{{.*}}) <{{.*}}groups = 16 : si32{{.*}}stride_height = 2 : si32, stride_width = 2 : si32}> : (tensor<2x18x20x16xbf16>, tensor<16x1x2x2xbf16>, tensor<2x9x10x16xbf16>) -> tensor<2x9x10x16xbf16>
func.func @average(%x: tensor<2x16x18x20xbf16>) -> tensor<2x16x9x10xbf16> {
  %0 = tensor.empty() : tensor<2x16x9x10xbf16>
  %1 = "ttir.pooling"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Average>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x18x20xbf16>, tensor<2x16x9x10xbf16>) -> tensor<2x16x9x10xbf16>
  return %1 : tensor<2x16x9x10xbf16>
}
// CHECK-LABEL: func.func @one_dimension
// CHECK: "ttir.max_pool2d"{{.*}}kernel_height = 1 : si32, kernel_width = 2 : si32
func.func @one_dimension(%x: tensor<2x16x18x20xbf16>) -> tensor<2x16x18x19xbf16> {
  %0 = tensor.empty() : tensor<2x16x18x19xbf16>
  %1 = "ttir.pooling"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dimensions = array<i64: 1, 1, 1, 2>, window_strides = array<i64: 1, 1, 1, 1>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x18x20xbf16>, tensor<2x16x18x19xbf16>) -> tensor<2x16x18x19xbf16>
  return %1 : tensor<2x16x18x19xbf16>
}
// A reversed window has reversed filters; groups of the batch are convolved one by one.
// CHECK-LABEL: func.func @groups
// CHECK-COUNT-3: "ttir.slice"(%arg1
// CHECK: %[[REVERSED:.*]] = "ttir.concat"{{.*}}dim = 3 : si32{{.*}} -> tensor<8x3x3x3xbf16>
// CHECK: "ttir.slice"(%{{.*}}) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 32 : i32, 40 : i32, 3 : i32]
// CHECK: "ttir.slice"(%[[REVERSED]]
// CHECK: "ttir.conv2d"{{.*}} -> tensor<2x16x20x4xbf16>
// CHECK: "ttir.slice"(%[[REVERSED]]
// CHECK: "ttir.conv2d"{{.*}} -> tensor<2x16x20x4xbf16>
// CHECK: "ttir.concat"{{.*}}dim = 3 : si32{{.*}} -> tensor<2x16x20x8xbf16>
func.func @groups(%x: tensor<4x3x32x40xbf16>, %w: tensor<8x3x3x3xbf16>) -> tensor<2x8x16x20xbf16> {
  %0 = tensor.empty() : tensor<2x8x16x20xbf16>
  %1 = "ttir.convolution"(%x, %w, %0) <{window_strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, input_dilation = array<i64: 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, batch_group_count = 2 : i64, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<4x3x32x40xbf16>, tensor<8x3x3x3xbf16>, tensor<2x8x16x20xbf16>) -> tensor<2x8x16x20xbf16>
  return %1 : tensor<2x8x16x20xbf16>
}
// Constants of several numbers: neighbours of one number together, rows that are the same once.
// CHECK-LABEL: func.func @table
// CHECK-DAG: %[[ONE:.*]] = "ttir.constant"() <{value = dense<1> : tensor<1x1xi32>}>
// CHECK-DAG: %[[TWO:.*]] = "ttir.constant"() <{value = dense<2> : tensor<1x2xi32>}>
// CHECK: %[[ROW:.*]] = "ttir.concat"(%[[ONE]], %[[TWO]], %{{.*}}) <{dim = 1 : si32
// CHECK: "ttir.concat"(%[[ROW]], %[[ROW]], %{{.*}}) <{dim = 0 : si32{{.*}} -> tensor<2x3xi32>
// CHECK-NOT: ttir.constant
func.func @table() -> tensor<2x3xi32> {
  %0 = "ttir.constant"() <{value = dense<[[1, 2, 2], [1, 2, 2]]> : tensor<2x3xi32>}> : () -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
