// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module @jit_convolution {
  func.func public @test_NCHW_IOHW_to_NHWC_OIHW_conv2d(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>) -> tensor<1x7x100x100xbf16> {
    %0 = tensor.empty() : tensor<1x7x100x100xbf16>
    // CHECK: %[[INIT:.*]] = tensor.empty() : tensor<1x100x100x7xbf16>
    // CHECK: %[[T0:.*]] = "ttir.transpose"(%arg0, %{{.*}}) <{dim0 = 1 : si32, dim1 = 2 : si32
    // CHECK-SAME: (tensor<1x3x100x100xbf16>, tensor<1x100x3x100xbf16>) -> tensor<1x100x3x100xbf16>
    // CHECK: %[[T1:.*]] = "ttir.transpose"(%[[T0]], %{{.*}}) <{dim0 = 2 : si32, dim1 = 3 : si32
    // CHECK: %[[CONV:.*]] = "ttir.conv2d"(%[[T1]], %arg1, %[[INIT]])
    // CHECK-SAME: dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32
    // CHECK-SAME: padding_bottom = 1 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 1 : si32, stride_height = 1 : si32, stride_width = 1 : si32
    // CHECK: %[[T2:.*]] = "ttir.transpose"(%[[CONV]], %{{.*}}) <{dim0 = 2 : si32, dim1 = 3 : si32
    // CHECK: "ttir.transpose"(%[[T2]], %{{.*}}) <{dim0 = 1 : si32, dim1 = 2 : si32
    // CHECK-SAME: -> tensor<1x7x100x100xbf16>
    %1 = "ttir.convolution"(%arg0, %arg1, %0) <{
      batch_group_count = 1 : i64,
      convolution_layout = #ttir<convolution_layout
        input_batch = 0,
        input_feature = 1,
        input_spatial_dimensions = 2x3,
        kernel_output_feature = 0,
        kernel_input_feature = 1,
        kernel_spatial_dimensions = 2x3,
        output_batch = 0,
        output_feature = 1,
        output_spatial_dimensions = 2x3
      >,
      feature_group_count = 1 : i64,
      input_dilation = array<i64: 1, 1>,
      operand_constraints = [#any_device, #any_device, #any_device],
      padding = array<i64: 1, 1, 1, 1>,
      weight_dilation = array<i64: 1, 1>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 1, 1>
      }> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
    return %1 : tensor<1x7x100x100xbf16>
  }
}
