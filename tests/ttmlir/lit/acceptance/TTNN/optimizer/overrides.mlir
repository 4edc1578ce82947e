// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=matmul_1_in_1_layout=1x1:l1:interleaved:tile:bf16" %s | FileCheck %s --check-prefix=INPUT
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true" %s | FileCheck %s --check-prefix=SHARDED
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true max-legal-layouts=0" %s | FileCheck %s --check-prefix=NONE
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true insert-memreconfig=add_2=0 override-output-layout=add_2=1x3:l1:width_sharded:tile:bf16" %s | FileCheck %s --check-prefix=RESHARD
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=matmul_1=2x3:l1:block_sharded:tile:bf16,add_2=1x1:dram:interleaved:row_major:bf16" %s | FileCheck %s --check-prefix=OUTPUT
// Overrides of what lies in front of an operation and of what it makes; sharding, and shards laid out anew.

// INPUT: #[[LAYOUT:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x3x!tt.tile<32x32, bf16>, #l1_>, interleaved>
// INPUT: "ttnn.matmul"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<64x128xbf16, #{{.*}}>, tensor<128x96xbf16, #[[LAYOUT]]>

// SHARDED: #[[BLOCKS:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x3>, memref<1x1x!tt.tile<32x32, bf16>, #l1_>, block_sharded>
// SHARDED: "ttnn.matmul"{{.*}} -> tensor<64x96xbf16, #[[BLOCKS]]>
// SHARDED: "ttnn.add"{{.*}} -> tensor<64x96xbf16, #[[BLOCKS]]>

// NONE-NOT: sharded>
// NONE: "ttnn.matmul"

// RESHARD: #[[COLUMNS:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x3>, memref<2x1x!tt.tile<32x32, bf16>, #l1_>, width_sharded>
// RESHARD: %[[PRODUCT:.*]] = "ttnn.matmul"
// RESHARD: %[[ANEW:.*]] = "ttnn.to_memory_config"(%[[PRODUCT]]) {{.*}} -> tensor<64x96xbf16, #[[COLUMNS]]>
// RESHARD: "ttnn.add"(%[[ANEW]], {{.*}} -> tensor<64x96xbf16, #[[COLUMNS]]>

// OUTPUT-DAG: #[[PRODUCT:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x3>, memref<1x1x!tt.tile<32x32, bf16>, #l1_>, block_sharded>
// OUTPUT-DAG: #[[SUM:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x96xbf16, #dram>, interleaved>
// OUTPUT: "ttnn.matmul"{{.*}} -> tensor<64x96xbf16, #[[PRODUCT]]>
// OUTPUT: "ttnn.add"{{.*}} -> tensor<64x96xbf16, #[[SUM]]>
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|none|interleaved|single_bank|height_sharded|width_sharded|block_sharded|any_layout|any_device|any_device_tile|l1_block_sharded>
module attributes {} {
  func.func @main(%arg0: tensor<64x128xbf16>, %arg1: tensor<128x96xbf16>, %arg2: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
    %0 = tensor.empty() : tensor<64x96xbf16> loc(#loc1)
    %1 = "ttir.matmul"(%arg0, %arg1, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<128x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16> loc(#loc2)
    %2 = tensor.empty() : tensor<64x96xbf16> loc(#loc3)
    %3 = "ttir.add"(%1, %arg2, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x96xbf16>, tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16> loc(#loc4)
    %4 = tensor.empty() : tensor<64x96xbf16> loc(#loc5)
    %5 = "ttir.relu"(%3, %4) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16> loc(#loc6)
    return %5 : tensor<64x96xbf16>
  } loc(#loc)
} loc(#loc)
#loc = loc("MNISTLinear":4294967295:0)
#loc1 = loc("MNISTLinear":4294967295:10)
#loc2 = loc("matmul_1"("MNISTLinear":4294967295:10))
#loc3 = loc("MNISTLinear":4294967295:15)
#loc4 = loc("add_2"("MNISTLinear":4294967295:15))
#loc5 = loc("MNISTLinear":4294967295:17)
#loc6 = loc("relu_3"("MNISTLinear":4294967295:17))
