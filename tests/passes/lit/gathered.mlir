// RUN: ttl-opt %s -p canonicalize,ttl-lower-distributed | filecheck %s

// Every node gets all shards of a tensor, one after the other, and writes them below each other into its own part of y.
// A net for each shard takes it from its node to all others; distribute.mlir shows how they use it.
// tests/passes/test_distribute.py runs this file, and counts the bytes that cross the network.
!tile = !ttl.tile<32x32, bf16>
#blocks = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!blocks = !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !tile, sharded, l1>
!accessor = !ttl.accessor<tensor<2048x64xbf16, #dram>>
// CHECK-LABEL: ttl.operation @f
// CHECK-COUNT-8: ttl.create_pipe_net "shard_{{[0-7]}}"
// CHECK-NOT: ttl.create_pipe_net
// CHECK-LABEL: ttl.datamovement_kernel @read
// CHECK-COUNT-8: ttl.dfb_push
// CHECK-NOT: ttl.dfb_push
// CHECK-LABEL: ttl.datamovement_kernel @write
ttl.operation @f(%x: tensor<64x256xbf16, #blocks>, %y: tensor<2048x64xbf16, #dram>) grid <4x2> {
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 2], !tile, 2>
  %in_blocks = ttl.distribute %x : tensor<64x256xbf16, #blocks> -> !blocks
  %y_accessor = ttl.tensor_accessor %y : tensor<2048x64xbf16, #dram>
  ttl.datamovement_kernel @read {
    ttl.gather_shards %in_blocks to %dfb : !blocks, !ttl.dfb<[1, 2], !tile, 2>
  }
  ttl.datamovement_kernel @write {
    %node = ttl.node_linear
    %shards = arith.constant 8 : index
    %top = arith.muli %node, %shards : index
    %zero = arith.constant 0 : index
    affine.for %shard = 0 to 8 {
      %row = arith.addi %top, %shard : index
      %blk = ttl.dfb_wait %dfb : <[1, 2], !tile, 2>
      %part = ttl.tensor_slice %y_accessor[%row size 1, %zero size 2] : !accessor -> !ttl.slice<[1, 2], !tile>
      %xf = ttl.copy %blk to %part : !ttl.block<[1, 2], !tile>, !ttl.slice<[1, 2], !tile>
      ttl.wait %xf explicit
      ttl.dfb_pop %blk explicit : <[1, 2], !tile>
    }
  }
}
