// RUN: ttl-opt %s -p canonicalize,ttl-lower-distributed | filecheck %s

// A tensor in blocks of 1 x 2 tiles is wanted in stripes of 2 x 1 tiles, as another tensor has them. No data move for the
// redistribution itself: a node reads its stripe from where the blocks are, and writes it to its own memory.
// tests/passes/test_distribute.py runs this file, and counts the bytes that cross the network.
!tile = !ttl.tile<32x32, bf16>
#blocks = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
#stripes = #ttl.encoding<l1, #ttl.layout<tiled, width_sharded, [64, 32], 4x2>>
!blocks = !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !tile, sharded, l1>
!stripes = !ttl.dist_tensor<grid=[1, 8], shard=[2, 1], !tile, sharded, l1>
// CHECK-LABEL: ttl.operation @f
// CHECK: %[[COLUMN:.*]], %[[ROW:.*]] = ttl.node : index, index
// CHECK-NOT: ttl.redistribute
ttl.operation @f(%x: tensor<64x256xbf16, #blocks>, %y: tensor<64x256xbf16, #stripes>) grid <4x2> {
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[2, 1], !tile, 2>
  %in_blocks = ttl.distribute %x : tensor<64x256xbf16, #blocks> -> !blocks
  %in_stripes = ttl.redistribute %in_blocks strategy=sharded : !blocks -> !stripes
  %to = ttl.distribute %y : tensor<64x256xbf16, #stripes> -> !stripes
  // Both stripes begin at four times the row of the node plus its column.
  // CHECK-LABEL: ttl.datamovement_kernel @read
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[ROW]], %c4
  // CHECK: %[[FIRST:.*]] = arith.addi %[[COLUMN]], %[[BEFORE]] : index
  // CHECK: ttl.tensor_slice %x_accessor[%{{.*}} size 2, %[[FIRST]] size 1] of !ttl.dist_tensor<grid=[1, 8], shard=[2, 1], !ttl.tile<32x32, bf16>, sharded, l1>
  ttl.datamovement_kernel @read {
    %blk = ttl.dfb_reserve %dfb : <[2, 1], !tile, 2>
    %stripe = ttl.extract_shard %in_stripes : !stripes -> !ttl.slice<[2, 1], !tile>
    %xf = ttl.copy %stripe to %blk : !ttl.slice<[2, 1], !tile>, !ttl.block<[2, 1], !tile>
    ttl.wait %xf explicit
    ttl.dfb_push %blk explicit : <[2, 1], !tile>
  }
  // CHECK-LABEL: ttl.datamovement_kernel @write
  // CHECK: %[[BEFORE:.*]] = arith.muli %[[ROW]], %c4
  // CHECK: %[[FIRST:.*]] = arith.addi %[[COLUMN]], %[[BEFORE]] : index
  // CHECK: ttl.tensor_slice %y_accessor[%{{.*}} size 2, %[[FIRST]] size 1] of !ttl.dist_tensor<grid=[1, 8], shard=[2, 1]
  ttl.datamovement_kernel @write {
    %blk = ttl.dfb_wait %dfb : <[2, 1], !tile, 2>
    %stripe = ttl.extract_shard %to : !stripes -> !ttl.slice<[2, 1], !tile>
    %xf = ttl.copy %blk to %stripe : !ttl.block<[2, 1], !tile>, !ttl.slice<[2, 1], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[2, 1], !tile>
  }
}
