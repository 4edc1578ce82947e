// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// Negative tests for max_pool2d operation

#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @x0(%arg0: tensor<64x64x32xbf16>) -> tensor<64x64x32xbf16> {
  // CHECK: error: 'ttir.max_pool2d' op Input tensor rank must be 4. Recieved input{{.*}}
  %0 = tensor.empty() : tensor<64x64x32xbf16>
  %1 = "ttir.max_pool2d"(%arg0, %0) <{kernel_height=2: si32, kernel_width=2: si32, stride_height=1: si32, stride_width=1: si32, dilation_height=1: si32, dilation_width=1: si32, ceil_mode=false, padding_left=0: si32, padding_right=0: si32, padding_top=0: si32, padding_bottom=0: si32, operand_constraints = [#any_device, #any_device]}> : (tensor<64x64x32xbf16>, tensor<64x64x32xbf16>) -> tensor<64x64x32xbf16>
  return %1 : tensor<64x64x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @x1(%arg0: tensor<1x16x16x32xbf16>) -> tensor<1x16x16x32xbf16> {
  // CHECK: error: 'ttir.max_pool2d' op Kernel height 17 is greater than input height{{.*}}
  %0 = tensor.empty() : tensor<1x16x16x32xbf16>
  %1 = "ttir.max_pool2d"(%arg0, %0) <{kernel_height=17: si32, kernel_width=2: si32, stride_height=1: si32, stride_width=1: si32, dilation_height=1: si32, dilation_width=1: si32, ceil_mode=false, padding_left=0: si32, padding_right=0: si32, padding_top=0: si32, padding_bottom=0: si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x16x16x32xbf16>, tensor<1x16x16x32xbf16>) -> tensor<1x16x16x32xbf16>
  return %1 : tensor<1x16x16x32xbf16>
}

// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @x2(%arg0: tensor<1x16x16x32xbf16>) -> tensor<1x16x16x32xbf16> {
  // CHECK: error: 'ttir.max_pool2d' op Kernel width 18 is greater than input width{{.*}}
  %0 = tensor.empty() : tensor<1x16x16x32xbf16>
  %1 = "ttir.max_pool2d"(%arg0, %0) <{kernel_height=2: si32, kernel_width=18: si32, stride_height=1: si32, stride_width=1: si32, dilation_height=1: si32, dilation_width=1: si32, ceil_mode=false, padding_left=0: si32, padding_right=0: si32, padding_top=0: si32, padding_bottom=0: si32, operand_constraints = [#any_device, #any_device]}> : (tensor<1x16x16x32xbf16>, tensor<1x16x16x32xbf16>) -> tensor<1x16x16x32xbf16>
  return %1 : tensor<1x16x16x32xbf16>
}
