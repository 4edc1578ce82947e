// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Of ttir.conv2d, only the destination is laid out: input, weight and bias stay as they are.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @convolution(%x: tensor<2x3x32x40xbf16>, %w: tensor<8x3x3x3xbf16>, %bias: tensor<1x1x1x8xbf16>) -> tensor<2x8x16x20xbf16> {
  %0 = tensor.empty() : tensor<2x8x16x20xbf16>
  %1 = "ttir.convolution"(%x, %w, %bias, %0) <{
    window_strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, input_dilation = array<i64: 1, 1>, weight_dilation = array<i64: 1, 1>,
    window_reversal = array<i1: false, false>,
    convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>,
    feature_group_count = 1 : i64, batch_group_count = 1 : i64, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<2x3x32x40xbf16>, tensor<8x3x3x3xbf16>, tensor<1x1x1x8xbf16>, tensor<2x8x16x20xbf16>) -> tensor<2x8x16x20xbf16>
  return %1 : tensor<2x8x16x20xbf16>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<192x40xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 9 + d1 * 3 + d2, d3), <1x1>, memref<72x3xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 + d1 + d2, d3), <1x1>, memref<1x8xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 128 + d1 * 16 + d2, d3), <1x1>, memref<256x20xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 32 + d2, d3), <1x1>, memref<192x40xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 96 + d1 * 3 + d2, d3), <1x1>, memref<192x40xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 1280 + d1 * 40 + d2, d3), <1x1>, memref<2560x3xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 320 + d1 * 20 + d2, d3), <1x1>, memref<640x8xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout8 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 128 + d1 * 8 + d2, d3), <1x1>, memref<256x20xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout9 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 128 + d1 * 16 + d2, d3), <1x1>, memref<256x20xbf16, #dram>, interleaved>
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<2x3x32x40xbf16, #ttnn_layout>, %[[V1:[a-z0-9_]+]]: tensor<8x3x3x3xbf16, #ttnn_layout1>, %[[V2:[a-z0-9_]+]]: tensor<1x1x1x8xbf16, #ttnn_layout2>) -> tensor<2x8x16x20xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<2x3x32x40xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V3]]) : (tensor<2x3x32x40xbf16, #ttnn_layout>, tensor<2x3x32x40xbf16, #ttnn_layout4>) -> tensor<2x3x32x40xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<2x32x3x40xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.transpose"(%[[V4]], %[[V5]]) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<2x3x32x40xbf16, #ttnn_layout4>, tensor<2x32x3x40xbf16, #ttnn_layout5>) -> tensor<2x32x3x40xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<2x32x40x3xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.transpose"(%[[V6]], %[[V7]]) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<2x32x3x40xbf16, #ttnn_layout5>, tensor<2x32x40x3xbf16, #ttnn_layout6>) -> tensor<2x32x40x3xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<2x16x20x8xbf16, #ttnn_layout7>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.conv2d"(%[[V8]], %[[V1]], %[[V2]], %[[V9]]) <{dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, operand_constraints = [#any_device, #any_device, #any_device, #any_device], padding_bottom = 1 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 1 : si32, stride_height = 2 : si32, stride_width = 2 : si32}> : (tensor<2x32x40x3xbf16, #ttnn_layout6>, tensor<8x3x3x3xbf16, #ttnn_layout1>, tensor<1x1x1x8xbf16, #ttnn_layout2>, tensor<2x16x20x8xbf16, #ttnn_layout7>) -> tensor<2x16x20x8xbf16, #ttnn_layout7>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = tensor.empty() : tensor<2x16x8x20xbf16, #ttnn_layout8>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = "ttir.transpose"(%[[V10]], %[[V11]]) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<2x16x20x8xbf16, #ttnn_layout7>, tensor<2x16x8x20xbf16, #ttnn_layout8>) -> tensor<2x16x8x20xbf16, #ttnn_layout8>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = tensor.empty() : tensor<2x8x16x20xbf16, #ttnn_layout9>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = "ttir.transpose"(%[[V12]], %[[V13]]) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : (tensor<2x16x8x20xbf16, #ttnn_layout8>, tensor<2x8x16x20xbf16, #ttnn_layout9>) -> tensor<2x8x16x20xbf16, #ttnn_layout9>
// CHECK-NEXT: %[[V15:[a-z0-9_]+]] = tensor.empty() : tensor<2x8x16x20xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V16:[a-z0-9_]+]] = "ttir.to_layout"(%[[V14]], %[[V15]]) : (tensor<2x8x16x20xbf16, #ttnn_layout9>, tensor<2x8x16x20xbf16, #ttnn_layout3>) -> tensor<2x8x16x20xbf16, #ttnn_layout3>
// CHECK-NEXT: {{.*}}return %[[V16]] : tensor<2x8x16x20xbf16, #ttnn_layout3>
