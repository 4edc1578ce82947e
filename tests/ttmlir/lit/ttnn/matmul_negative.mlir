// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttnn.matmul refuse.

// CHECK: error: 'ttnn.matmul' op Input A must be at least a 1D tensor
func.func @forward(%arg0: tensor<bf16>, %arg1: tensor<128xbf16>, %arg2: tensor<1xbf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<bf16>, tensor<128xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.matmul' op Input B must be at least a 1D tensor
func.func @forward(%arg0: tensor<128xbf16>, %arg1: tensor<bf16>, %arg2: tensor<1xbf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<128xbf16>, tensor<bf16>, tensor<1xbf16>) -> tensor<1xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.matmul' op Input A[-1](128) and B[-2](64) must have matching inner dimensions
func.func @forward(%arg0: tensor<64x128xbf16>, %arg1: tensor<64xbf16>, %arg2: tensor<64xbf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xbf16>, tensor<64xbf16>, tensor<64xbf16>) -> tensor<64xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.matmul' op Batch dimensions of input A(7,2) and B(3) are not broadcast compatible
func.func @forward(%arg0: tensor<7x2x64x128xbf16>, %arg1: tensor<3x128x64xbf16>, %arg2: tensor<7x2x64x64xbf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<7x2x64x128xbf16>, tensor<3x128x64xbf16>, tensor<7x2x64x64xbf16>) -> tensor<7x2x64x64xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.matmul' op Scalar output is not supported, output must be at least a 1D tensor
func.func @forward(%arg0: tensor<128xbf16>, %arg1: tensor<128xbf16>, %arg2: tensor<bf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<128xbf16>, tensor<128xbf16>, tensor<bf16>) -> tensor<bf16>
  return
}

// -----

// CHECK: error: 'ttnn.matmul' op Scalar output must be a 1D tensor of size 1
func.func @forward(%arg0: tensor<128xbf16>, %arg1: tensor<128xbf16>, %arg2: tensor<2xbf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<128xbf16>, tensor<128xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.matmul' op Output shape rank(3) must match the expected output shape rank(2)
func.func @forward(%arg0: tensor<64x128xbf16>, %arg1: tensor<128x64xbf16>, %arg2: tensor<1x64x64xbf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<1x64x64xbf16>) -> tensor<1x64x64xbf16>
  return
}

// -----

// CHECK: error: 'ttnn.matmul' op Output shape dimension[1](63) doesn't match the expected output shape dimension[1](64)
func.func @forward(%arg0: tensor<64x128xbf16>, %arg1: tensor<128x64xbf16>, %arg2: tensor<64x63xbf16>) {
  %0 = "ttnn.matmul"(%arg0, %arg1, %arg2) : (tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x63xbf16>) -> tensor<64x63xbf16>
  return
}
