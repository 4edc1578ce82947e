// RUN: ttl-opt %s -p "canonicalize,ttl-lower-distributed" --split-input-file --allow-unregistered-dialect | filecheck %s
// RUN: ttl-opt %s -p "ttl-show-shards" --split-input-file --allow-unregistered-dialect | filecheck %s --check-prefix=SHOWN
// Section 10.3: shards are slices at the coordinates of the node; of redistributions nothing is left that moves nothing.

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
!tile = !ttl.tile<32x32, bf16>
!blocks = !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !tile, sharded, L1>
!rows = !ttl.dist_tensor<grid=[1, 8], shard=[2, 1], !tile, sharded, l1>
!all = !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !tile, replicated, l1>
// CHECK-LABEL: ttl.operation @shards
// CHECK: [[COLUMN:%.+]], [[ROW:%.+]] = ttl.node : index, index
// CHECK-NOT: ttl.redistribute
// CHECK-NOT: ttl.distribute
// Blocks: row and column of the node.
// CHECK-LABEL: @read
// CHECK: [[LEFT:%.+]] = arith.muli [[COLUMN]], %c2
// CHECK: ttl.tensor_slice %x_accessor[[[ROW]] size 1, [[LEFT]] size 2] of !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
// A redistribution and one that takes it back are nothing; of two the second stays, and is another slice of the same tensor.
// CHECK: ttl.tensor_slice %x_accessor[[[ROW]] size 1, {{%.+}} size 2] of !ttl.dist_tensor<grid=[2, 4]
// CHECK: [[FOUR:%.+]] = arith.muli [[ROW]], %c4
// CHECK: [[NUMBER:%.+]] = arith.addi [[COLUMN]], [[FOUR]]
// CHECK: ttl.tensor_slice %x_accessor[%c0{{.*}} size 2, [[NUMBER]] size 1] of !ttl.dist_tensor<grid=[1, 8], shard=[2, 1]
// CHECK: ttl.tensor_slice %x_accessor[%c0{{.*}} size 2, %c0{{.*}} size 8] of !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, replicated, l1>
// SHOWN: %a = ttl.distribute %x {ttl.shards = ["sharded: (2, 8) tiles = (64, 256) elements over 4x2 nodes", "node (0, 0): [0:1, 0:2]", "node (1, 0): [0:1, 2:4]"
// SHOWN: strategy = sharded {ttl.shards = [{{.*}}"node (3, 1): [0:2, 7:8]"]}
ttl.operation @shards(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !blocks
  %b = ttl.redistribute %a strategy=replicated : !blocks -> !all
  %c = ttl.redistribute %b strategy=sharded : !all -> !blocks
  %d = ttl.redistribute %c strategy=sharded : !blocks -> !rows
  ttl.datamovement_kernel @read {
    %0 = ttl.extract_shard %a : !blocks -> !ttl.slice<[1, 2], !tile>
    %1 = ttl.extract_shard %c : !blocks -> !ttl.slice<[1, 2], !tile>
    %2 = ttl.extract_shard %d : !rows -> !ttl.slice<[2, 1], !tile>
    %3 = ttl.extract_shard %b : !all -> !ttl.slice<[2, 8], !tile>
    "test.use"(%0, %1, %2, %3) : (!ttl.slice<[1, 2], !tile>, !ttl.slice<[1, 2], !tile>, !ttl.slice<[2, 1], !tile>, !ttl.slice<[2, 8], !tile>) -> ()
  }
}

// -----

// What is gathered goes over a net for each shard; the node that has it reads it, once.
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!cut = !ttl.dist_tensor<grid=[1, 2], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, dram>
// CHECK-LABEL: ttl.operation @gathered
// CHECK-DAG: [[FIRST:%.+]] = ttl.create_pipe_net "shard_0" [#ttl.pipe<[0, 0] -> [1:2, 0:1]>]
// CHECK-DAG: [[SECOND:%.+]] = ttl.create_pipe_net "shard_1" [#ttl.pipe<[1, 0] -> [0:1, 0:1]>]
// CHECK-LABEL: @read
// CHECK: [[BLOCK:%.+]] = ttl.dfb_reserve %dfb
// CHECK: [[HAS:%.+]] = ttl.is_pipe_src [[FIRST]]
// CHECK-NEXT: scf.if [[HAS]] {
// CHECK: ttl.tensor_slice %x_accessor
// CHECK: ttl.if_pipe_src [[FIRST]]
// CHECK: ttl.if_pipe_dst [[FIRST]]
// CHECK: ttl.dfb_push [[BLOCK]] explicit
// CHECK: ttl.is_pipe_src [[SECOND]]
// CHECK-NOT: ttl.gather_shards
ttl.operation @gathered(%x: tensor<32x64xbf16, #dram>) grid <2x1> {
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %a = ttl.distribute %x : tensor<32x64xbf16, #dram> -> !cut
  ttl.datamovement_kernel @read {
    ttl.gather_shards %a to %dfb : !cut, !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  }
}
