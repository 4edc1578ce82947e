// RUN: not ttmlir-opt --convert-ttir-to-ttnn --split-input-file %s 2>&1 | FileCheck %s
// A pass on its own that the passes before it were not run for says which they are.
// CHECK: error: failed to legalize operation 'tensor.empty'
// CHECK: note: the tensor tensor<4x4xf32> has no ttnn.ttnn_layout
// CHECK: note: what works: the passes ttir-load-system-desc, ttir-implicit-device and ttnn-layout in front of this one
func.func @no_layout(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tensor.empty() : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK: error: failed to legalize operation 'arith.addf'
// CHECK: note: arith.addf is not an operation of TTIR
// CHECK: error: failed to legalize operation 'ttir.index'
// CHECK: note: ttir.index has to be decomposed into operations of TTNN first
// CHECK: note: what works: the pass ttir-to-ttir-decomposition in front of this one
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @not_of_ttir(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = arith.addf %arg0, %arg0 : tensor<4x4xf32>
  %1 = tensor.empty() : tensor<4x4xf32>
  %2 = "ttir.index"(%0, %1) <{dim = 0 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32, operand_constraints = [#any_device, #any_device]}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
