// RUN: not ttmlir-opt --split-input-file --ttir-to-ttmetal-backend-pipeline %s 2>&1 | FileCheck %s
// What no kernel does is said for all operations of a module, each at its place, with its condition and what works.

#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
#l1_ = #tt.memory_space<l1>
#whole = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<8x24xf32, #l1_>>
#parts = #tt.layout<(d0, d1) -> (d0, d1), undef, <2x2>, memref<4x12xf32, #l1_>>
func.func @several(%arg0: tensor<64x64xi32>, %arg1: tensor<64x40xf32>, %arg2: tensor<8x24xf32, #whole>, %arg3: tensor<2x32x64xf32>) -> tensor<64x1xf32> {
  %0 = tensor.empty() : tensor<64x64xi32>
  // CHECK: refusals.mlir:12:8: error: failed to legalize operation 'ttir.add' that was explicitly marked illegal
  // CHECK: note: its elements are i32
  %1 = "ttir.add"(%arg0, %arg0, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<64x64xi32>, tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi32>
  %2 = tensor.empty() : tensor<64x40xf32>
  // CHECK: error: failed to legalize operation 'ttir.cbrt'
  // CHECK: note: no kernel computes 'ttir.cbrt'
  %3 = "ttir.cbrt"(%arg1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<64x40xf32>, tensor<64x40xf32>) -> tensor<64x40xf32>
  %4 = tensor.empty() : tensor<64x1xf32>
  // CHECK: error: failed to legalize operation 'ttir.sum'
  // CHECK: note: it reduces 40 numbers of each row or column, but the padding of the last tile is not known
  // CHECK: note: what works: reductions of a multiple of 32 numbers
  %5 = "ttir.sum"(%3, %4) <{dim_arg = [-1 : i32], keep_dim = true, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<64x40xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  %6 = tensor.empty() : tensor<8x24xf32, #parts>
  // CHECK: error: failed to legalize operation 'ttir.to_layout'
  // CHECK: note: a core moves 48 bytes at once, and the network moves multiples of 32 bytes
  %7 = "ttir.to_layout"(%arg2, %6) : (tensor<8x24xf32, #whole>, tensor<8x24xf32, #parts>) -> tensor<8x24xf32, #parts>
  %8 = tensor.empty() : tensor<2x1x64xf32>
  // CHECK: error: failed to legalize operation 'ttir.max'
  // CHECK: note: it reduces only some of the dimensions that form the rows of a matrix
  %9 = "ttir.max"(%arg3, %8) <{dim_arg = [1 : i32], keep_dim = true, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<2x32x64xf32>, tensor<2x1x64xf32>) -> tensor<2x1x64xf32>
  return %5 : tensor<64x1xf32>
}

// -----

// CHECK: error: out of memory: 16777216 bytes of l1 for argument 0, beside 0 bytes in use, of 1494016
// CHECK: note: what works: tensors on a grid of more cores
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @large(%arg0: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %0 = tensor.empty() : tensor<2048x2048xf32>
  %1 = "ttir.exp"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %1 : tensor<2048x2048xf32>
}

// -----

func.func private @g(%arg0: tensor<32x32xf32>) -> tensor<32x32xf32> {
  return %arg0 : tensor<32x32xf32>
}
func.func @calls(%arg0: tensor<32x32xf32>) -> tensor<32x32xf32> {
  // CHECK: error: failed to legalize operation 'func.call'
  // CHECK: note: what works: --inline in front of the other passes
  %0 = call @g(%arg0) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
