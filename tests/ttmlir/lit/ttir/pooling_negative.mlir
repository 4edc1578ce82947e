// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What the conditions of ttir.pooling refuse.

// CHECK: error: 'ttir.pooling' op At least one input tensor is needed
func.func @forward() {
  "ttir.pooling"() <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
  return
}

// -----

// CHECK: error: 'ttir.pooling' op All input tensors must have the same rank
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8x1xbf16>, %arg2: tensor<4x8xbf16>, %arg3: tensor<4x8x1xbf16>) {
  %0:2 = "ttir.pooling"(%arg0, %arg1, %arg2, %arg3) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 2, 2>}> : (tensor<4x8xbf16>, tensor<4x8x1xbf16>, tensor<4x8xbf16>, tensor<4x8x1xbf16>) -> (tensor<4x8xbf16>, tensor<4x8x1xbf16>)
  return
}

// -----

// CHECK: error: 'ttir.pooling' op Window strides must have the same number of elements
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.pooling' op Window dilations must have the same number of elements
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.pooling' op Window dimensions must have the same number of elements
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1>, padding = array<i64: 0, 0, 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}

// -----

// CHECK: error: 'ttir.pooling' op Padding must have the same number of elements
func.func @forward(%arg0: tensor<4x8xbf16>, %arg1: tensor<4x8xbf16>) {
  %0 = "ttir.pooling"(%arg0, %arg1) <{pooling_method = #ttir<pooling_method Max>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, padding = array<i64: 0, 0>, base_dilations = array<i64: 1, 1>, operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return
}
