// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Every result of the decomposition gets a layout of its own shape.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @pooling(%x: tensor<2x16x17x20xbf16>) -> tensor<2x16x9x12xbf16> {
  %0 = tensor.empty() : tensor<2x16x9x12xbf16>
  %1 = "ttir.pooling"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Max>,
    window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>,
    padding = array<i64: 0, 0, 0, 0, 1, 1, 2, 2>, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x17x20xbf16>, tensor<2x16x9x12xbf16>) -> tensor<2x16x9x12xbf16>
  return %1 : tensor<2x16x9x12xbf16>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 272 + d1 * 17 + d2, d3), <1x1>, memref<544x20xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 144 + d1 * 9 + d2, d3), <1x1>, memref<288x12xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 272 + d1 * 17 + d2, d3), <1x1>, memref<544x20xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 272 + d1 * 16 + d2, d3), <1x1>, memref<544x20xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 340 + d1 * 20 + d2, d3), <1x1>, memref<680x16xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 108 + d1 * 12 + d2, d3), <1x1>, memref<216x16xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 144 + d1 * 16 + d2, d3), <1x1>, memref<288x12xbf16, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 144 + d1 * 9 + d2, d3), <1x1>, memref<288x12xbf16, #dram>, interleaved>
// CHECK-LABEL: func.func @pooling(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<2x16x17x20xbf16, #ttnn_layout>) -> tensor<2x16x9x12xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<2x16x17x20xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<2x16x17x20xbf16, #ttnn_layout>, tensor<2x16x17x20xbf16, #ttnn_layout2>) -> tensor<2x16x17x20xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<2x17x16x20xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.transpose"(%[[V2]], %[[V3]]) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x17x20xbf16, #ttnn_layout2>, tensor<2x17x16x20xbf16, #ttnn_layout3>) -> tensor<2x17x16x20xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<2x17x20x16xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.transpose"(%[[V4]], %[[V5]]) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x17x16x20xbf16, #ttnn_layout3>, tensor<2x17x20x16xbf16, #ttnn_layout4>) -> tensor<2x17x20x16xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = tensor.empty() : tensor<2x9x12x16xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = "ttir.max_pool2d"(%[[V6]], %[[V7]]) <{ceil_mode = false, dilation_height = 1 : si32, dilation_width = 1 : si32, kernel_height = 3 : si32, kernel_width = 2 : si32, operand_constraints = [#any_device, #any_device], padding_bottom = 1 : si32, padding_left = 2 : si32, padding_right = 2 : si32, padding_top = 1 : si32, stride_height = 2 : si32, stride_width = 2 : si32}> : (tensor<2x17x20x16xbf16, #ttnn_layout4>, tensor<2x9x12x16xbf16, #ttnn_layout5>) -> tensor<2x9x12x16xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = tensor.empty() : tensor<2x9x16x12xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = "ttir.transpose"(%[[V8]], %[[V9]]) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x9x12x16xbf16, #ttnn_layout5>, tensor<2x9x16x12xbf16, #ttnn_layout6>) -> tensor<2x9x16x12xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = tensor.empty() : tensor<2x16x9x12xbf16, #ttnn_layout7>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = "ttir.transpose"(%[[V10]], %[[V11]]) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x9x16x12xbf16, #ttnn_layout6>, tensor<2x16x9x12xbf16, #ttnn_layout7>) -> tensor<2x16x9x12xbf16, #ttnn_layout7>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = tensor.empty() : tensor<2x16x9x12xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V14:[a-z0-9_]+]] = "ttir.to_layout"(%[[V12]], %[[V13]]) : (tensor<2x16x9x12xbf16, #ttnn_layout7>, tensor<2x16x9x12xbf16, #ttnn_layout1>) -> tensor<2x16x9x12xbf16, #ttnn_layout1>
// CHECK-NEXT: {{.*}}return %[[V14]] : tensor<2x16x9x12xbf16, #ttnn_layout1>
