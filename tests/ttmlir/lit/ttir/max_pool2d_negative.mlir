// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.max_pool2d refuse.

// CHECK: error: 'ttir.max_pool2d' op Input tensor rank must be 4. Recieved input with rank 3. Shape: (4, 4, 8)
func.func @forward(%arg0: tensor<4x4x8xbf16>, %arg1: tensor<1x3x3x8xbf16>) {
  %0 = "ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.max_pool2d' op Kernel height 5 is greater than input height 4.
func.func @forward(%arg0: tensor<1x4x4x8xbf16>, %arg1: tensor<1x3x3x8xbf16>) {
  %0 = "ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 5 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.max_pool2d' op Kernel width 6 is greater than input width 4.
func.func @forward(%arg0: tensor<1x4x4x8xbf16>, %arg1: tensor<1x3x3x8xbf16>) {
  %0 = "ttir.max_pool2d"(%arg0, %arg1) <{ceil_mode = false, kernel_height = 2 : si32, kernel_width = 6 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32, operand_constraints = []}> : (tensor<1x4x4x8xbf16>, tensor<1x3x3x8xbf16>) -> tensor<1x3x3x8xbf16>
  return
}
