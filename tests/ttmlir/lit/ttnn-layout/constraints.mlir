// RUN: ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout %s | FileCheck %s
// Memory: DRAM if it may, else L1, else the host. Interleaved if it may, else the first that may. Tiles unless scalars may be.
// A constraint that names no memory layout gives none.
#host = #tt.operand_constraint<system|scalar|none>
#l1 = #tt.operand_constraint<l1|scalar|interleaved>
#l1_tiles = #tt.operand_constraint<l1|tile|interleaved>
#block = #tt.operand_constraint<l1_block_sharded>
#height = #tt.operand_constraint<l1|tile|height_sharded|width_sharded>
#bank = #tt.operand_constraint<dram|l1|scalar|tile|single_bank|height_sharded>
#bare = #tt.operand_constraint<dram|l1|tile>
func.func @host(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#host, #host]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
func.func @l1(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#l1, #l1]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
func.func @l1_tiles(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#l1_tiles, #l1_tiles]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
func.func @block(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#block, #block]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
func.func @height(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#height, #height]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
func.func @bank(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#bank, #bank]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
func.func @bare(%a: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = tensor.empty() : tensor<64x64xbf16>
  %1 = "ttir.relu"(%a, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#bare, #bare]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
// CHECK-DAG: #dram = #ttnn.buffer_type<dram>
// CHECK-DAG: #l1_ = #ttnn.buffer_type<l1>
// CHECK-DAG: #l1_block_sharded = #tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>
// CHECK-DAG: #system_memory = #ttnn.buffer_type<system_memory>
// CHECK-DAG: #ttnn_layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #system_memory>>
// CHECK-DAG: #ttnn_layout1 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #l1_>, interleaved>
// CHECK-DAG: #ttnn_layout2 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!tt.tile<32x32, bf16>, #l1_>, interleaved>
// CHECK-DAG: #ttnn_layout3 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #l1_>, block_sharded>
// CHECK-DAG: #ttnn_layout4 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!tt.tile<32x32, bf16>, #l1_>, height_sharded>
// CHECK-DAG: #ttnn_layout5 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #dram>, single_bank>
// CHECK-DAG: #ttnn_layout6 = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!tt.tile<32x32, bf16>, #dram>>
// CHECK-LABEL: func.func @host(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.relu"(%[[V0]], %[[V1]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#operand_constraint, #operand_constraint]}> : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V2]] : tensor<64x64xbf16, #ttnn_layout>
// CHECK-LABEL: func.func @l1(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout1>) -> tensor<64x64xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#operand_constraint1, #operand_constraint1]}> : (tensor<64x64xbf16, #ttnn_layout1>, tensor<64x64xbf16, #ttnn_layout1>) -> tensor<64x64xbf16, #ttnn_layout1>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.to_layout"(%[[V4]], %[[V5]]) : (tensor<64x64xbf16, #ttnn_layout1>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V6]] : tensor<64x64xbf16, #ttnn_layout>
// CHECK-LABEL: func.func @l1_tiles(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout2>) -> tensor<64x64xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#operand_constraint2, #operand_constraint2]}> : (tensor<64x64xbf16, #ttnn_layout2>, tensor<64x64xbf16, #ttnn_layout2>) -> tensor<64x64xbf16, #ttnn_layout2>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.to_layout"(%[[V4]], %[[V5]]) : (tensor<64x64xbf16, #ttnn_layout2>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V6]] : tensor<64x64xbf16, #ttnn_layout>
// CHECK-LABEL: func.func @block(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout3>) -> tensor<64x64xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#l1_block_sharded, #l1_block_sharded]}> : (tensor<64x64xbf16, #ttnn_layout3>, tensor<64x64xbf16, #ttnn_layout3>) -> tensor<64x64xbf16, #ttnn_layout3>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.to_layout"(%[[V4]], %[[V5]]) : (tensor<64x64xbf16, #ttnn_layout3>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V6]] : tensor<64x64xbf16, #ttnn_layout>
// CHECK-LABEL: func.func @height(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout4>) -> tensor<64x64xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#operand_constraint3, #operand_constraint3]}> : (tensor<64x64xbf16, #ttnn_layout4>, tensor<64x64xbf16, #ttnn_layout4>) -> tensor<64x64xbf16, #ttnn_layout4>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.to_layout"(%[[V4]], %[[V5]]) : (tensor<64x64xbf16, #ttnn_layout4>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V6]] : tensor<64x64xbf16, #ttnn_layout>
// CHECK-LABEL: func.func @bank(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout5>) -> tensor<64x64xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#operand_constraint4, #operand_constraint4]}> : (tensor<64x64xbf16, #ttnn_layout5>, tensor<64x64xbf16, #ttnn_layout5>) -> tensor<64x64xbf16, #ttnn_layout5>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.to_layout"(%[[V4]], %[[V5]]) : (tensor<64x64xbf16, #ttnn_layout5>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V6]] : tensor<64x64xbf16, #ttnn_layout>
// CHECK-LABEL: func.func @bare(
// CHECK-SAME: %[[V0:[a-z0-9_]+]]: tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = "ttir.to_layout"(%[[V0]], %[[V1]]) : (tensor<64x64xbf16, #ttnn_layout>, tensor<64x64xbf16, #ttnn_layout6>) -> tensor<64x64xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = "ttir.relu"(%[[V2]], %[[V3]]) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#operand_constraint5, #operand_constraint5]}> : (tensor<64x64xbf16, #ttnn_layout6>, tensor<64x64xbf16, #ttnn_layout6>) -> tensor<64x64xbf16, #ttnn_layout6>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = tensor.empty() : tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = "ttir.to_layout"(%[[V4]], %[[V5]]) : (tensor<64x64xbf16, #ttnn_layout6>, tensor<64x64xbf16, #ttnn_layout>) -> tensor<64x64xbf16, #ttnn_layout>
// CHECK-NEXT: {{.*}}return %[[V6]] : tensor<64x64xbf16, #ttnn_layout>
