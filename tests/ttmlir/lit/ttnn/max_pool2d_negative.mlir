// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.max_pool2d refuse.

// CHECK: error: 'ttnn.max_pool2d' op Maxpool2d currently only supports an input type of bfloat16. Recieved f32.
func.func @forward(%arg0: tensor<1x1x16x8xf32>, %arg1: tensor<1x1x9x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xf32>, tensor<1x1x9x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x9x8xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.max_pool2d' op Kernel height 5 is greater than input height 4.
func.func @forward(%arg0: tensor<1x1x16x8xbf16>, %arg1: tensor<1x1x9x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 5 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x9x8xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.max_pool2d' op Kernel width 5 is greater than input width 4.
func.func @forward(%arg0: tensor<1x1x16x8xbf16>, %arg1: tensor<1x1x9x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 5 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x9x8xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.max_pool2d' op Input tensor rank must be 4. Recieved input with rank 3.
func.func @forward(%arg0: tensor<1x16x8xbf16>, %arg1: tensor<1x1x9x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x16x8xbf16>, tensor<1x1x9x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x9x8xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.max_pool2d' op Maxpool input must be in the form (1, 1, N*H*W, C)
func.func @forward(%arg0: tensor<1x4x4x8xbf16>, %arg1: tensor<1x1x9x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x4x4x8xbf16>, tensor<1x1x9x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x9x8xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.max_pool2d' op Maxpool shape (1, 1, 16, 8) at dim -2 must be equal to N*H*W (32), got 16
func.func @forward(%arg0: tensor<1x1x16x8xbf16>, %arg1: tensor<1x1x9x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 2 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 8 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x9x8xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.max_pool2d' op Maxpool shape (1, 1, 16, 8) at dim -3 must be equal to C (4), got 8
func.func @forward(%arg0: tensor<1x1x16x8xbf16>, %arg1: tensor<1x1x9x8xbf16>, %arg2: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.max_pool2d"(%arg0, %arg1, %arg2) <{ceil_mode = false, batch_size = 1 : si32, input_height = 4 : si32, input_width = 4 : si32, channels = 4 : si32, kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, padding_height = 0 : si32, padding_width = 0 : si32}> : (tensor<1x1x16x8xbf16>, tensor<1x1x9x8xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x1x9x8xbf16>
  return
}
