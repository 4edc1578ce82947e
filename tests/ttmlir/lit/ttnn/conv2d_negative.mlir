// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.conv2d refuse.

// CHECK: error: 'ttnn.conv2d' op Input must be at least a 3D tensor
func.func @forward(%arg0: tensor<32x32xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<1x1x1x64xbf16>, %arg3: tensor<1x30x30x64xbf16>, %arg4: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<32x32xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x30x30x64xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.conv2d' op Weight must be a 4D tensor
func.func @forward(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3xbf16>, %arg2: tensor<1x1x1x64xbf16>, %arg3: tensor<1x30x30x64xbf16>, %arg4: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3xbf16>, tensor<1x1x1x64xbf16>, tensor<1x30x30x64xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x30x30x64xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.conv2d' op Bias must be a 4D tensor
func.func @forward(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<64xbf16>, %arg3: tensor<1x30x30x64xbf16>, %arg4: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<64xbf16>, tensor<1x30x30x64xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x30x30x64xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.conv2d' op Bias must only have data on the final dimenstion
func.func @forward(%arg0: tensor<1x32x32x64xbf16>, %arg1: tensor<64x64x3x3xbf16>, %arg2: tensor<1x1x2x64xbf16>, %arg3: tensor<1x30x30x64xbf16>, %arg4: !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) {
  %0 = "ttnn.conv2d"(%arg0, %arg1, %arg2, %arg3, %arg4) <{in_channels = 1 : i32, out_channels = 1 : i32, batch_size = 1 : i32, input_height = 1 : i32, input_width = 1 : i32, kernel_height = 1 : i32, kernel_width = 1 : i32, stride_height = 1 : i32, stride_width = 1 : i32, padding_height = 1 : i32, padding_width = 1 : i32, dilation_height = 1 : i32, dilation_width = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>, tensor<1x1x2x64xbf16>, tensor<1x30x30x64xbf16>, !tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>) -> tensor<1x30x30x64xbf16>
  return
}
