// RUN: not ttmlir-opt --split-input-file --ttir-to-ttir-decomposition %s 2>&1 | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @three_dimensions(%arg0: tensor<1x32x128x128xbf16>) -> tensor<1x32x64x64xbf16> {
  %0 = tensor.empty() : tensor<1x32x64x64xbf16>
  // CHECK: error: failed to legalize operation 'ttir.pooling' that was explicitly marked illegal
  %1 = "ttir.pooling"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, pooling_method = #ttir<pooling_method Max>, window_dimensions = array<i64: 1, 3, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 1, 1, 1, 1, 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<1x32x128x128xbf16>, tensor<1x32x64x64xbf16>) -> tensor<1x32x64x64xbf16>
  return %1 : tensor<1x32x64x64xbf16>
}
// -----
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @gather_f32(%operand: tensor<448x384xf32>, %start_indices: tensor<1x2x1xi32>) -> tensor<1x2x384xf32> {
  %0 = tensor.empty() : tensor<1x2x384xf32>
  // CHECK: error: failed to legalize operation 'ttir.gather' that was explicitly marked illegal
  %1 = "ttir.gather"(%operand, %start_indices, %0) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : si64, slice_sizes = array<i64: 1, 384>, operand_constraints = [#any_device, #any_device, #any_device], indices_are_sorted = false}> : (tensor<448x384xf32>, tensor<1x2x1xi32>, tensor<1x2x384xf32>) -> tensor<1x2x384xf32>
  return %1 : tensor<1x2x384xf32>
}
