// RUN: ttl-opt %s -p "canonicalize,ttl-lower-distributed" --split-input-file --allow-unregistered-dialect | filecheck %s
// RUN: ttl-opt %s -p "ttl-show-shards" --split-input-file --allow-unregistered-dialect | filecheck %s --check-prefix=SHOWN

// Section 10.3: the shard of a node is a slice of the tensor, at the coordinates of the node. ttl-show-shards says which it is.
#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
!tile = !ttl.tile<32x32, bf16>
!blocks = !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !tile, sharded, L1>
!stripes = !ttl.dist_tensor<grid=[1, 8], shard=[2, 1], !tile, sharded, l1>
!all = !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !tile, replicated, l1>
// CHECK-LABEL: ttl.operation @shards
// CHECK: %[[COLUMN:.*]], %[[ROW:.*]] = ttl.node : index, index
ttl.operation @shards(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  // SHOWN: %a = ttl.distribute %x {ttl.shards = ["sharded: (2, 8) tiles = (64, 256) elements over 4x2 nodes", "node (0, 0): [0:1, 0:2]", "node (1, 0): [0:1, 2:4]"
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !blocks
  // No data move for a redistribution: what is left of it is another slice of the same tensor.
  // CHECK-NOT: ttl.redistribute
  // CHECK-NOT: ttl.distribute
  %b = ttl.redistribute %a strategy=replicated : !blocks -> !all
  %c = ttl.redistribute %b strategy=sharded : !all -> !blocks
  // SHOWN: %d = ttl.redistribute %c strategy = sharded {ttl.shards = [{{.*}}"node (3, 1): [0:2, 7:8]"]}
  %d = ttl.redistribute %c strategy=sharded : !blocks -> !stripes
  // CHECK-LABEL: ttl.datamovement_kernel @read
  ttl.datamovement_kernel @read {
    // A block is at the row of the node, and at twice its column.
    // CHECK: %[[LEFT:.*]] = arith.muli %[[COLUMN]], %c2
    // CHECK: ttl.tensor_slice %x_accessor[%[[ROW]] size 1, %[[LEFT]] size 2] of !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
    %0 = ttl.extract_shard %a : !blocks -> !ttl.slice<[1, 2], !tile>
    // Blocks that were replicated and are blocks again are those blocks.
    // CHECK: ttl.tensor_slice %x_accessor[%[[ROW]] size 1, %{{.*}} size 2] of !ttl.dist_tensor<grid=[2, 4]
    %1 = ttl.extract_shard %c : !blocks -> !ttl.slice<[1, 2], !tile>
    // A stripe of full height is at four times the row of the node, plus its column.
    // CHECK: %[[BEFORE:.*]] = arith.muli %[[ROW]], %c4
    // CHECK: %[[STRIPE:.*]] = arith.addi %[[COLUMN]], %[[BEFORE]]
    // CHECK: ttl.tensor_slice %x_accessor[%c0{{.*}} size 2, %[[STRIPE]] size 1] of !ttl.dist_tensor<grid=[1, 8], shard=[2, 1]
    %2 = ttl.extract_shard %d : !stripes -> !ttl.slice<[2, 1], !tile>
    // What is replicated is the whole tensor on every node.
    // CHECK: ttl.tensor_slice %x_accessor[%c0{{.*}} size 2, %c0{{.*}} size 8] of !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, replicated, l1>
    %3 = ttl.extract_shard %b : !all -> !ttl.slice<[2, 8], !tile>
    "test.use"(%0, %1, %2, %3) : (!ttl.slice<[1, 2], !tile>, !ttl.slice<[1, 2], !tile>, !ttl.slice<[2, 1], !tile>, !ttl.slice<[2, 8], !tile>) -> ()
  }
}

// -----

// What is gathered goes over a net for each shard: the node that has it reads it, once, and sends it to all others.
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!dfb = !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
!halves = !ttl.dist_tensor<grid=[1, 2], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, dram>
// CHECK-LABEL: ttl.operation @gathered
// CHECK-DAG: %[[FIRST:.*]] = ttl.create_pipe_net "shard_0" [#ttl.pipe<[0, 0] -> [1:2, 0:1]>]
// CHECK-DAG: %[[SECOND:.*]] = ttl.create_pipe_net "shard_1" [#ttl.pipe<[1, 0] -> [0:1, 0:1]>]
ttl.operation @gathered(%x: tensor<32x64xbf16, #dram>) grid <2x1> {
  %dfb = ttl.create_dfb "dfb" : !dfb
  %a = ttl.distribute %x : tensor<32x64xbf16, #dram> -> !halves
  // CHECK-LABEL: ttl.datamovement_kernel @read
  ttl.datamovement_kernel @read {
    // CHECK: %[[BLOCK:.*]] = ttl.dfb_reserve %dfb
    // CHECK-NEXT: %[[HAS:.*]] = ttl.is_pipe_src %[[FIRST]]
    // CHECK-NEXT: scf.if %[[HAS]] {
    // CHECK: %[[SHARD:.*]] = ttl.tensor_slice %x_accessor
    // CHECK-NEXT: %[[READ:.*]] = ttl.copy %[[SHARD]] to %[[BLOCK]]
    // CHECK-NEXT: ttl.wait %[[READ]] explicit
    // CHECK: ttl.if_pipe_src %[[FIRST]]
    // CHECK: ttl.copy %[[BLOCK]] to %{{.*}} : !ttl.block<{{.*}}>, !ttl.pipe<src>
    // CHECK: ttl.if_pipe_dst %[[FIRST]]
    // CHECK: ttl.copy %{{.*}} to %[[BLOCK]] : !ttl.pipe<dst>
    // CHECK: ttl.dfb_push %[[BLOCK]] explicit
    // CHECK: ttl.is_pipe_src %[[SECOND]]
    // CHECK-NOT: ttl.gather_shards
    ttl.gather_shards %a to %dfb : !halves, !dfb
  }
}
