// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// To ttir.max_pool2d between transposes. Padding of height is top and bottom (the real project exchanges it with that of width).
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @pooling(%x: tensor<2x16x17x20xbf16>) -> tensor<2x16x9x12xbf16> {
  %0 = tensor.empty() : tensor<2x16x9x12xbf16>
  %1 = "ttir.pooling"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Max>,
    window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>,
    padding = array<i64: 0, 0, 0, 0, 1, 1, 2, 2>, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x17x20xbf16>, tensor<2x16x9x12xbf16>) -> tensor<2x16x9x12xbf16>
  return %1 : tensor<2x16x9x12xbf16>
}
// CHECK-LABEL: func.func @pooling(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<2x16x17x20xbf16>) -> tensor<2x16x9x12xbf16>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<2x16x9x12xbf16>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<2x17x16x20xbf16>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = "ttir.transpose"(%[[V0]], %[[V2]]) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x16x17x20xbf16>, tensor<2x17x16x20xbf16>) -> tensor<2x17x16x20xbf16>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.empty() : tensor<2x17x20x16xbf16>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = "ttir.transpose"(%[[V3]], %[[V4]]) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x17x16x20xbf16>, tensor<2x17x20x16xbf16>) -> tensor<2x17x20x16xbf16>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.empty() : tensor<2x9x12x16xbf16>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = "ttir.max_pool2d"(%[[V5]], %[[V6]]) <{ceil_mode = false, dilation_height = 1 : si32, dilation_width = 1 : si32, kernel_height = 3 : si32, kernel_width = 2 : si32, operand_constraints = [#any_device, #any_device], padding_bottom = 1 : si32, padding_left = 2 : si32, padding_right = 2 : si32, padding_top = 1 : si32, stride_height = 2 : si32, stride_width = 2 : si32}> : (tensor<2x17x20x16xbf16>, tensor<2x9x12x16xbf16>) -> tensor<2x9x12x16xbf16>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.empty() : tensor<2x9x16x12xbf16>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = "ttir.transpose"(%[[V7]], %[[V8]]) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x9x12x16xbf16>, tensor<2x9x16x12xbf16>) -> tensor<2x9x16x12xbf16>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = tensor.empty() : tensor<2x16x9x12xbf16>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = "ttir.transpose"(%[[V9]], %[[V10]]) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<2x9x16x12xbf16>, tensor<2x16x9x12xbf16>) -> tensor<2x16x9x12xbf16>
// CHECK-NEXT: {{.*}}return %[[V11]] : tensor<2x16x9x12xbf16>
