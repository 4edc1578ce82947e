// RUN: not ttmlir-opt --ttir-to-ttnn-backend-pipeline %s 2>&1 | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @f(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3x3xbf16>) -> tensor<1x31x32x64xbf16> {
    %0 = tensor.empty() : tensor<1x31x32x64xbf16>
    // CHECK: error: failed to legalize operation 'ttir.conv2d'
    // CHECK: note: TTNN pads both sides equally: padding_top = 1, padding_bottom = 0, padding_left = 1, padding_right = 1
    // CHECK: note: what works: the same padding on both sides
    %1 = "ttir.conv2d"(%arg0, %arg1, %0) <{dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, operand_constraints = [#any_device, #any_device, #any_device], padding_bottom = 0 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 1 : si32, stride_height = 1 : si32, stride_width = 1 : si32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x31x32x64xbf16>) -> tensor<1x31x32x64xbf16>
    return %1 : tensor<1x31x32x64xbf16>
  }
}
