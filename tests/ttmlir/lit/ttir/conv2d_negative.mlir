// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.conv2d refuse.

// CHECK: error: 'ttir.conv2d' op Input must be at least a 3D tensor
func.func @forward(%arg0: tensor<32x32xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<1x1x1x64xbf16>, %arg3: tensor<1x30x30x64xbf16>) {
  %0 = "ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<32x32xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
  return
}

// -----

// CHECK: error: 'ttir.conv2d' op Weight must be a 4D tensor
func.func @forward(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3xbf16>, %arg2: tensor<1x1x1x64xbf16>, %arg3: tensor<1x30x30x64xbf16>) {
  %0 = "ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
  return
}

// -----

// CHECK: error: 'ttir.conv2d' op Bias must be a 4D tensor
func.func @forward(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<64xbf16>, %arg3: tensor<1x30x30x64xbf16>) {
  %0 = "ttir.conv2d"(%arg0, %arg1, %arg2, %arg3) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<64xbf16>, tensor<1x30x30x64xbf16>) -> tensor<1x30x30x64xbf16>
  return
}
