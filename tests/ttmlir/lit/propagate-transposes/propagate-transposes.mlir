// RUN: ttmlir-opt --ttir-propagate-transposes %s | FileCheck %s
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline=propagate-transposes=true %s | FileCheck %s --check-prefix=TTNN
#tiles = #tt.operand_constraint<dram|l1|tile|none|interleaved|any_layout|any_device_tile>
// The activation and the residual sum between two poolings are computed with channels last, and the offset of each channel is
// reshaped for that: nothing is transposed there any more.
// CHECK-LABEL: func.func @between(
// CHECK-NOT: ttir.transpose
// CHECK: "ttir.max_pool2d"
// CHECK: "ttir.relu"({{.*}}) {{.*}} -> tensor<1x8x8x32xbf16>
// CHECK: "ttir.reshape"(%arg1, {{.*}}) {{.*}} -> tensor<1x1x1x32xbf16>
// CHECK: "ttir.add"({{.*}}) {{.*}} -> tensor<1x8x8x32xbf16>
// CHECK: "ttir.max_pool2d"
// CHECK-NOT: ttir.transpose
// CHECK: return
// TTNN-LABEL: func.func @between(
// TTNN-NOT: ttnn.transpose
// TTNN: return
func.func @between(%x: tensor<1x16x16x32xbf16>, %offset: tensor<1x32x1x1xbf16>) -> tensor<1x4x4x32xbf16> {
  %e0 = tensor.empty() : tensor<1x8x8x32xbf16>
  %0 = "ttir.max_pool2d"(%x, %e0) <{ceil_mode = false, dilation_height = 1 : si32, dilation_width = 1 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, padding_bottom = 0 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, stride_height = 2 : si32, stride_width = 2 : si32, operand_constraints = [#tiles, #tiles]}> : (tensor<1x16x16x32xbf16>, tensor<1x8x8x32xbf16>) -> tensor<1x8x8x32xbf16>
  %e1 = tensor.empty() : tensor<1x8x32x8xbf16>
  %1 = "ttir.transpose"(%0, %e1) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#tiles, #tiles]}> : (tensor<1x8x8x32xbf16>, tensor<1x8x32x8xbf16>) -> tensor<1x8x32x8xbf16>
  %e2 = tensor.empty() : tensor<1x32x8x8xbf16>
  %2 = "ttir.transpose"(%1, %e2) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#tiles, #tiles]}> : (tensor<1x8x32x8xbf16>, tensor<1x32x8x8xbf16>) -> tensor<1x32x8x8xbf16>
  %e3 = tensor.empty() : tensor<1x32x8x8xbf16>
  %3 = "ttir.relu"(%2, %e3) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#tiles, #tiles]}> : (tensor<1x32x8x8xbf16>, tensor<1x32x8x8xbf16>) -> tensor<1x32x8x8xbf16>
  %e4 = tensor.empty() : tensor<1x32x8x8xbf16>
  %4 = "ttir.add"(%3, %offset, %e4) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#tiles, #tiles, #tiles]}> : (tensor<1x32x8x8xbf16>, tensor<1x32x1x1xbf16>, tensor<1x32x8x8xbf16>) -> tensor<1x32x8x8xbf16>
  %e5 = tensor.empty() : tensor<1x8x32x8xbf16>
  %5 = "ttir.transpose"(%4, %e5) <{dim0 = 1 : si32, dim1 = 2 : si32, operand_constraints = [#tiles, #tiles]}> : (tensor<1x32x8x8xbf16>, tensor<1x8x32x8xbf16>) -> tensor<1x8x32x8xbf16>
  %e6 = tensor.empty() : tensor<1x8x8x32xbf16>
  %6 = "ttir.transpose"(%5, %e6) <{dim0 = 2 : si32, dim1 = 3 : si32, operand_constraints = [#tiles, #tiles]}> : (tensor<1x8x32x8xbf16>, tensor<1x8x8x32xbf16>) -> tensor<1x8x8x32xbf16>
  %e7 = tensor.empty() : tensor<1x4x4x32xbf16>
  %7 = "ttir.max_pool2d"(%6, %e7) <{ceil_mode = false, dilation_height = 1 : si32, dilation_width = 1 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, padding_bottom = 0 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, stride_height = 2 : si32, stride_width = 2 : si32, operand_constraints = [#tiles, #tiles]}> : (tensor<1x8x8x32xbf16>, tensor<1x4x4x32xbf16>) -> tensor<1x4x4x32xbf16>
  return %7 : tensor<1x4x4x32xbf16>
}
