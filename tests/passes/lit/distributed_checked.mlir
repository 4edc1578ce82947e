// RUN: ttl-opt %s -p ttl-check --verify-diagnostics
// RUN: not ttl-opt %s -p ttl-check 2>&1 | filecheck %s

// The checks of a program with distributed tensors are those of the slices that its shards become.
!tile = !ttl.tile<32x32, bf16>
#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
!blocks = !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !tile, sharded, l1>
!accessor = !ttl.accessor<tensor<64x256xbf16, #l1>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 2], !tile, 2>
  %in_blocks = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !blocks
  %x_accessor = ttl.tensor_accessor %x : tensor<64x256xbf16, #l1>
  ttl.datamovement_kernel @read {
    %zero = arith.constant 0 : index
    // The first two tiles of the tensor are the shard of node (0, 0). The shard of node (0, 1) is the row of tiles below: they are
    // above its row 0, and another node's.
    // CHECK: error: -1:0 of a shard that has 1 tile in dimension 0 [TTL0536]
    // CHECK: note: in kernel read on node (0, 1)
    // expected-error@+1 {{-1:0 of a shard that has 1 tile in dimension 0}}
    %first = ttl.tensor_slice %x_accessor[%zero size 1, %zero size 2] of !blocks : !accessor -> !ttl.slice<[1, 2], !tile>
    %blk = ttl.dfb_reserve %dfb : <[1, 2], !tile, 2>
    // All nodes read them, and node (0, 0) writes them: a race.
    // CHECK: error: the result of operation f depends on the schedule: x is read and written in no defined order [TTL1101]
    // CHECK: note: written here, by kernel write on node (0, 0)
    // expected-error@+1 {{the result of operation f depends on the schedule}}
    %xf = ttl.copy %first to %blk : !ttl.slice<[1, 2], !tile>, !ttl.block<[1, 2], !tile>
    ttl.wait %xf explicit
    ttl.dfb_push %blk explicit : <[1, 2], !tile>
  }
  ttl.datamovement_kernel @write {
    %blk = ttl.dfb_wait %dfb : <[1, 2], !tile, 2>
    %own = ttl.extract_shard %in_blocks : !blocks -> !ttl.slice<[1, 2], !tile>
    %xf = ttl.copy %blk to %own : !ttl.block<[1, 2], !tile>, !ttl.slice<[1, 2], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[1, 2], !tile>
  }
}
