// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// Whole rows of a table: ttir.embedding, with numbers that stand in vectors of one taken out first.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @gather(%w: tensor<448x384xbf16>, %i: tensor<1x2x1xi32>) -> tensor<1x2x384xbf16> {
  %0 = tensor.empty() : tensor<1x2x384xbf16>
  %1 = "ttir.gather"(%w, %i, %0) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : si64, slice_sizes = array<i64: 1, 384>, indices_are_sorted = false, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<448x384xbf16>, tensor<1x2x1xi32>, tensor<1x2x384xbf16>) -> tensor<1x2x384xbf16>
  return %1 : tensor<1x2x384xbf16>
}
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<448x384xbf16>, %[[V1:[a-z0-9_]+]]: tensor<1x2x1xi32>) -> tensor<1x2x384xbf16>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<1x2x384xbf16>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<1x2xi32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.reshape"(%[[V1]], %[[V3]]) <{operand_constraints = [#any_device, #any_device, #any_device], shape = [1 : i32, 2 : i32]}> : (tensor<1x2x1xi32>, tensor<1x2xi32>) -> tensor<1x2xi32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = "ttir.embedding"(%[[V4]], %[[V0]], %[[V2]]) <{operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<1x2xi32>, tensor<448x384xbf16>, tensor<1x2x384xbf16>) -> tensor<1x2x384xbf16>
// CHECK-NEXT: {{.*}}return %[[V5]] : tensor<1x2x384xbf16>
