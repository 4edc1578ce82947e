// RUN: ttmlir-opt --ttir-to-ttir-decomposition --inline --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// An index of i32 is in tiles of u32.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_layout|any_device|any_device_tile>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @gather(%w: tensor<448x384xbf16>, %i: tensor<1x2x1xi32>) -> tensor<1x2x384xbf16> {
  %0 = tensor.empty() : tensor<1x2x384xbf16>
  %1 = "ttir.gather"(%w, %i, %0) <{offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1 : si64, slice_sizes = array<i64: 1, 384>, indices_are_sorted = false, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<448x384xbf16>, tensor<1x2x1xi32>, tensor<1x2x384xbf16>) -> tensor<1x2x384xbf16>
  return %1 : tensor<1x2x384xbf16>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<448x384xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2 + d1, d2), <1x1>, memref<2x1xi32, #system_memory>>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2 + d1, d2), <1x1>, memref<2x384xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2 + d1, d2), <1x1>, memref<2x1xi32, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2xi32, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!tt.tile<32x32, u32>, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<14x12x!tt.tile<32x32, bf16>, #dram>, interleaved>
// CHECK-DAG: #ttnn_layout7 = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 2 + d1, d2), <1x1>, memref<1x12x!tt.tile<32x32, bf16>, #dram>, interleaved>
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<448x384xbf16, #ttnn_layout>, %[[V1:[a-z0-9_]+]]: tensor<1x2x1xi32, #ttnn_layout1>) -> tensor<1x2x384xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = tensor.empty() : tensor<1x2x1xi32, #ttnn_layout3>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = "ttir.to_layout"(%[[V1]], %[[V2]]) : (tensor<1x2x1xi32, #ttnn_layout1>, tensor<1x2x1xi32, #ttnn_layout3>) -> tensor<1x2x1xi32, #ttnn_layout3>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = tensor.empty() : tensor<1x2xi32, #ttnn_layout4>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = "ttir.reshape"(%[[V3]], %[[V4]]) <{operand_constraints = [#any_device, #any_device, #any_device], shape = [1 : i32, 2 : i32]}> : (tensor<1x2x1xi32, #ttnn_layout3>, tensor<1x2xi32, #ttnn_layout4>) -> tensor<1x2xi32, #ttnn_layout4>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = tensor.empty() : tensor<1x2xi32, #ttnn_layout5>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = "ttir.to_layout"(%[[V5]], %[[V6]]) : (tensor<1x2xi32, #ttnn_layout4>, tensor<1x2xi32, #ttnn_layout5>) -> tensor<1x2xi32, #ttnn_layout5>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = tensor.empty() : tensor<448x384xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V8]]) : (tensor<448x384xbf16, #ttnn_layout>, tensor<448x384xbf16, #ttnn_layout6>) -> tensor<448x384xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = tensor.empty() : tensor<1x2x384xbf16, #ttnn_layout7>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = "ttir.embedding"(%[[V7]], %[[V9]], %[[V10]]) <{operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<1x2xi32, #ttnn_layout5>, tensor<448x384xbf16, #ttnn_layout6>, tensor<1x2x384xbf16, #ttnn_layout7>) -> tensor<1x2x384xbf16, #ttnn_layout7>
// CHECK-NEXT: %[[V12:[a-z0-9_]+]] = tensor.empty() : tensor<1x2x384xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V13:[a-z0-9_]+]] = "ttir.to_layout"(%[[V11]], %[[V12]]) : (tensor<1x2x384xbf16, #ttnn_layout7>, tensor<1x2x384xbf16, #ttnn_layout2>) -> tensor<1x2x384xbf16, #ttnn_layout2>
// CHECK-NEXT: {{.*}}return %[[V13]] : tensor<1x2x384xbf16, #ttnn_layout2>
