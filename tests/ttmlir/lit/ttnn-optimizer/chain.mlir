// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true" %s | FileCheck %s --check-prefix=PLAIN
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true" %s | FileCheck %s --check-prefix=CHAIN
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy=L1Interleaved" %s | FileCheck %s --check-prefix=WHOLE
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true override-output-layout=b=4x1:l1:height_sharded:tile:bf16" %s | FileCheck %s --check-prefix=HEIGHT
// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true memory-layout-analysis-enabled=true override-output-layout=b=4x1:l1:height_sharded:tile:bf16 insert-memreconfig=b=0" %s | FileCheck %s --check-prefix=ANEW
// RUN: not ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=no_such_op=2x2:l1:block_sharded:tile:bf16" %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// PLAIN: #[[DRAM:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1x!tt.tile<32x32, bf16>, #dram>, interleaved>
// PLAIN: "ttnn.exp"{{.*}} -> tensor<128x128xbf16, #[[DRAM]]>

// CHAIN: #[[BLOCK:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x4>, memref<1x1x!tt.tile<32x32, bf16>, #l1_>, block_sharded>
// CHAIN: #[[DRAM:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1x!tt.tile<32x32, bf16>, #dram>, interleaved>
// CHAIN: "ttnn.relu"{{.*}} -> tensor<128x128xbf16, #[[BLOCK]]>
// CHAIN-NOT: to_memory_config
// CHAIN: "ttnn.sigmoid"{{.*}} -> tensor<128x128xbf16, #[[BLOCK]]>
// CHAIN: "ttnn.exp"{{.*}} -> tensor<128x128xbf16, #[[DRAM]]>

// WHOLE: #[[L1:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <8x8>, memref<1x1x!tt.tile<32x32, bf16>, #l1_>, interleaved>
// WHOLE: "ttnn.sigmoid"{{.*}} -> tensor<128x128xbf16, #[[L1]]>

// HEIGHT: #[[HIGH:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x1>, memref<1x4x!tt.tile<32x32, bf16>, #l1_>, height_sharded>
// HEIGHT: "ttnn.relu"{{.*}} -> tensor<128x128xbf16, #[[HIGH]]>
// HEIGHT-NOT: to_memory_config
// HEIGHT: "ttnn.sigmoid"{{.*}} -> tensor<128x128xbf16, #[[HIGH]]>

// ANEW: #[[BLOCK:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x4>, {{.*}}block_sharded>
// ANEW: #[[HIGH:.*]] = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <4x1>, memref<1x4x!tt.tile<32x32, bf16>, #l1_>, height_sharded>
// ANEW: "ttnn.relu"{{.*}} -> tensor<128x128xbf16, #[[BLOCK]]>
// ANEW: "ttnn.to_memory_config"{{.*}}memory_config = #ttnn.memory_config<<height_sharded>, #l1_, <<1x4>>>{{.*}} -> tensor<128x128xbf16, #[[HIGH]]>
// ANEW: "ttnn.sigmoid"{{.*}} -> tensor<128x128xbf16, #[[HIGH]]>

// UNKNOWN: error: Trying to override non-existing op no_such_op
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @f(%x: tensor<128x128xbf16>) -> tensor<128x128xbf16> {
  %0 = tensor.empty() : tensor<128x128xbf16> loc("a")
  %1 = "ttir.relu"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xbf16> loc("a")
  %2 = tensor.empty() : tensor<128x128xbf16> loc("b")
  %3 = "ttir.sigmoid"(%1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xbf16> loc("b")
  %4 = tensor.empty() : tensor<128x128xbf16> loc("c")
  %5 = "ttir.exp"(%3, %4) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<128x128xbf16>, tensor<128x128xbf16>) -> tensor<128x128xbf16> loc("c")
  return %5 : tensor<128x128xbf16>
}
