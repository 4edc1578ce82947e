// RUN: not ttmlir-opt --split-input-file %s 2>&1 | FileCheck %s
// What is asked of every operation, in MLIR's order: counts, sizes of groups, attributes, types, destinations.

// Counts come before attributes.
// CHECK: error: 'ttir.matmul' op expected 3 operands, but found 1
func.func @f(%arg0: tensor<4xf32>) {
  %0 = "ttir.matmul"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK: error: 'ttir.softmax' op requires one result
func.func @f(%arg0: tensor<4xf32>) {
  "ttir.softmax"(%arg0, %arg0) <{dimension = 0 : si32, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

// CHECK: error: 'ttir.concat' op expected 1 or more operands, but found 0
func.func @f() {
  %0 = "ttir.concat"() <{dim = 0 : si32, operand_constraints = []}> : () -> tensor<4xf32>
  return
}

// -----

// CHECK: error: 'ttir.softmax' op requires zero regions
func.func @f(%arg0: tensor<4xf32>) {
  %0 = "ttir.softmax"(%arg0, %arg0) <{dimension = 0 : si32, operand_constraints = []}> ({}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK: error: 'ttir.add' op operand count (3) does not match with the total size (0) specified in attribute 'operandSegmentSizes'
func.func @f(%arg0: tensor<4xf32>) {
  %0 = "ttir.add"(%arg0, %arg0, %arg0) <{operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK: error: 'ttir.add' op 'operandSegmentSizes' attribute cannot have negative elements
func.func @f(%arg0: tensor<4xf32>) {
  %0 = "ttir.add"(%arg0, %arg0, %arg0) <{operandSegmentSizes = array<i32: 4, -1>, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Attributes are asked for in the order of their names.
// CHECK: error: 'ttir.transpose' op requires attribute 'dim0'
func.func @f(%arg0: tensor<4x4xf32>) {
  %0 = "ttir.transpose"(%arg0, %arg0) <{operand_constraints = []}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// CHECK: error: 'ttir.transpose' op requires attribute 'operand_constraints'
func.func @f(%arg0: tensor<4x4xf32>) {
  %0 = "ttir.transpose"(%arg0, %arg0) <{dim0 = 0 : i32, dim1 = 1 : si32}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// CHECK: error: 'ttir.transpose' op attribute 'dim0' failed to satisfy constraint: 32-bit signed integer attribute
func.func @f(%arg0: tensor<4x4xf32>) {
  %0 = "ttir.transpose"(%arg0, %arg0) <{dim0 = 0 : i32, dim1 = 1 : si32, operand_constraints = []}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// CHECK: error: 'ttir.relu' op attribute 'operand_constraints' failed to satisfy constraint:
func.func @f(%arg0: tensor<4x4xf32>) {
  %0 = "ttir.relu"(%arg0, %arg0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [1 : i32]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// CHECK: error: 'ttir.convolution' op attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive
func.func @f(%arg0: tensor<1x3x100x100xbf16>, %arg1: tensor<7x3x3x3xbf16>, %arg2: tensor<1x7x100x100xbf16>) {
  %0 = "ttir.convolution"(%arg0, %arg1, %arg2) <{batch_group_count = 0 : i64, convolution_layout = #ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>, feature_group_count = 1 : i64, input_dilation = array<i64: 1, 1>, operand_constraints = [], padding = array<i64: 1, 1, 1, 1>, weight_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<1x3x100x100xbf16>, tensor<7x3x3x3xbf16>, tensor<1x7x100x100xbf16>) -> tensor<1x7x100x100xbf16>
  return
}

// -----

// CHECK: error: 'ttir.squeeze' op operand #1 must be ranked tensor of any type values, but got 'memref<4xf32>'
func.func @f(%arg0: tensor<1x4xf32>, %arg1: memref<4xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1x4xf32>, memref<4xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK: error: 'ttir.relu' op operand #0 must be variadic of ranked tensor of any type values, but got 'tensor<*xf32>'
func.func @f(%arg0: tensor<*xf32>) {
  %0 = "ttir.relu"(%arg0, %arg0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = []}> : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// CHECK: error: 'ttir.squeeze' op result #0 must be ranked tensor of any type values, but got 'f32'
func.func @f(%arg0: tensor<1x4xf32>, %arg1: tensor<4xf32>) {
  %0 = "ttir.squeeze"(%arg0, %arg1) <{dim = 0 : si32, operand_constraints = []}> : (tensor<1x4xf32>, tensor<4xf32>) -> f32
  return
}

// -----

// CHECK: error: 'ttir.softmax' op expected type of operand #1 ('tensor<4xbf16>') to match type of corresponding result ('tensor<4xf32>')
func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<4xbf16>) {
  %0 = "ttir.softmax"(%arg0, %arg1) <{dimension = 0 : si32, operand_constraints = []}> : (tensor<4xf32>, tensor<4xbf16>) -> tensor<4xf32>
  return
}

// -----

// CHECK: error: 'ttir.multiply' op expected the number of tensor results (2) to be equal to the number of output tensors (1)
func.func @f(%arg0: tensor<4xf32>) {
  %0:2 = "ttir.multiply"(%arg0, %arg0, %arg0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// CHECK: error: block with no terminator, has %{{.*}} = "ttir.softmax"
func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) {
  %0 = "ttir.softmax"(%arg0, %arg1) <{dimension = 0 : si32, operand_constraints = []}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// -----

// CHECK: error: 'ttir.yield' op must be the last operation in the parent block
func.func @f() {
  "ttir.yield"() : () -> ()
  return
}
