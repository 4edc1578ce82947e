// RUN: ttl-opt %s -p convert-datamovement-to-ttkernel | filecheck %s
// RUN: ttl-opt %s -p convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-merge-barriers | filecheck %s --check-prefix=PROGRAM

// A copy between a tensor and a block is a transfer for every page, and a wait is a barrier. CHECK lines are about the pass alone;
// PROGRAM lines show the barriers that are left in the program. tests/passes/test_datamovement.py runs such kernels.
!tile = !ttl.tile<32x32, bf16>
!blk = !ttl.block<[1, 1], !tile>
!slice = !ttl.slice<[1, 1], !tile>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>

// The kernel that reads is on one processor with one network, the kernel that writes on the other.
// CHECK-LABEL: ttl.operation @pages
// PROGRAM-LABEL: ttkernel.program @pages("a", "y") grid <1x1>
// PROGRAM-NEXT: ttkernel.tensor_arg @a index 0
// PROGRAM-NEXT: ttkernel.tensor_arg @y index 1
// PROGRAM-NEXT: ttkernel.circular_buffer @part_dfb index 0 pages 12 of 2048 bytes
// PROGRAM-NEXT: ttkernel.circular_buffer @rows_dfb index 1 pages 8 of 2048 bytes
// PROGRAM-NEXT: ttkernel.circular_buffer @tile_dfb index 2 pages 1 of 2048 bytes
ttl.operation @pages(%a: tensor<256x128xbf16, #dram>, %y: tensor<32x32xbf16, #dram>) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : tensor<256x128xbf16, #dram>
  %y_accessor = ttl.tensor_accessor %y : tensor<32x32xbf16, #dram>
  %part_dfb = ttl.create_dfb "part_dfb" : !ttl.dfb<[2, 3], !tile, 2>
  %rows_dfb = ttl.create_dfb "rows_dfb" : !ttl.dfb<[2, 4], !tile, 1>
  %tile_dfb = ttl.create_dfb "tile_dfb" : !ttl.dfb<[1, 1], !tile, 1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-LABEL: ttl.datamovement_kernel @read
  // CHECK-SAME: ttl.processor = "ncrisc", ttl.noc = 0
  // PROGRAM: ttkernel.kernel @read noc on ncrisc noc 0 common ["address(a)"] accessors ["a"]
  ttl.datamovement_kernel @read {
    // A block of a matrix is two loops over pages.
    // CHECK: ttl.dfb_reserve %part_dfb
    // CHECK-NEXT: %part_dfb_address = ttkernel.get_write_ptr
    // CHECK: scf.for %row_page
    // CHECK: scf.for %page
    // CHECK-NEXT: ttkernel.noc_async_read_page %page, %a
    %part = ttl.dfb_reserve %part_dfb : <[2, 3], !tile, 2>
    %0 = ttl.tensor_slice %a_accessor[%c0 size 2, %c1 size 3] : !ttl.accessor<tensor<256x128xbf16, #dram>> -> !ttl.slice<[2, 3], !tile>
    %part_xf = ttl.copy %0 to %part : !ttl.slice<[2, 3], !tile>, !ttl.block<[2, 3], !tile>
    // Rows that follow each other in the tensor are one loop.
    // CHECK: ttkernel.noc_async_read_barrier
    // CHECK: scf.for %page
    // CHECK-NEXT: ttkernel.noc_async_read_page
    // CHECK-NOT: scf.for
    // CHECK: ttkernel.noc_async_read_barrier
    %rows = ttl.dfb_reserve %rows_dfb : <[2, 4], !tile, 1>
    %1 = ttl.tensor_slice %a_accessor[%c1 size 2, %c0 size 4] : !ttl.accessor<tensor<256x128xbf16, #dram>> -> !ttl.slice<[2, 4], !tile>
    ttl.wait %part_xf explicit
    %rows_xf = ttl.copy %1 to %rows : !ttl.slice<[2, 4], !tile>, !ttl.block<[2, 4], !tile>
    ttl.wait %rows_xf explicit
    // Of the two waits one barrier is left in the program, behind both transfers.
    // PROGRAM: ttkernel.cb_reserve_back
    // PROGRAM: ttkernel.noc_async_read_page
    // PROGRAM-NOT: ttkernel.noc_async_read_barrier
    // PROGRAM: ttkernel.noc_async_read_page
    // PROGRAM: ttkernel.noc_async_read_barrier
    // PROGRAM-NOT: ttkernel.noc_async_read_barrier
    // PROGRAM: ttkernel.cb_push_back
    ttl.dfb_push %part with : <[2, 3], !tile>
    ttl.dfb_push %rows with : <[2, 4], !tile>
  }
  // CHECK-LABEL: ttl.datamovement_kernel @write
  // CHECK-SAME: ttl.processor = "brisc", ttl.noc = 1
  // PROGRAM: ttkernel.kernel @write noc on brisc noc 1 common ["address(y)"] accessors ["y"]
  ttl.datamovement_kernel @write {
    // A tile is no loop. What is written has only to leave before the block is free; it arrives before the kernel ends.
    // CHECK-NOT: scf.for
    // CHECK: ttkernel.noc_async_write_page
    // CHECK-NEXT: ttkernel.noc_async_writes_flushed
    // PROGRAM: ttkernel.cb_wait_front
    // PROGRAM: ttkernel.noc_async_writes_flushed
    // PROGRAM: ttkernel.cb_pop_front
    // PROGRAM-NEXT: ttkernel.noc_async_write_barrier
    %blk = ttl.dfb_wait %tile_dfb : <[1, 1], !tile, 1>
    %2 = ttl.tensor_slice %y_accessor[%c0, %c0] : !ttl.accessor<tensor<32x32xbf16, #dram>> -> !slice
    %xf = ttl.copy %blk to %2 : !blk, !slice
    ttl.wait %xf explicit
    ttl.dfb_pop %blk with : <[1, 1], !tile>
  }
}

// A group is waited for by one barrier, however many transfers are in it.
// CHECK-LABEL: ttl.operation @group
ttl.operation @group(%y: tensor<64x32xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<64x32xbf16, #dram>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !tile, 2>
  ttl.datamovement_kernel @write {
    // CHECK: affine.for
    // CHECK: ttkernel.noc_async_write_page
    // CHECK-NEXT: }
    // CHECK-NEXT: ttkernel.noc_async_writes_flushed
    // CHECK-NEXT: ttl.dfb_pop
    // PROGRAM-LABEL: ttkernel.program @group
    // PROGRAM: ttkernel.noc_async_writes_flushed
    // PROGRAM: ttkernel.cb_pop_front
    // PROGRAM-NEXT: ttkernel.noc_async_write_barrier
    // PROGRAM-NEXT: }
    %c0 = arith.constant 0 : index
    %blk = ttl.dfb_wait %dfb : <[1, 1], !tile, 2>
    %group = ttl.create_group
    affine.for %row = 0 to 2 {
      %0 = ttl.tensor_slice %y_accessor[%row, %c0] : !ttl.accessor<tensor<64x32xbf16, #dram>> -> !slice
      %xf = ttl.copy %blk to %0 : !blk, !slice
      ttl.group_add %xf to %group
    }
    ttl.group_wait %group
    ttl.dfb_pop %blk with : <[1, 1], !tile>
  }
}

// What is written to a tensor that the operation reads, too, has arrived behind the wait, and not only left.
// CHECK-LABEL: ttl.operation @read_again
ttl.operation @read_again(%y: tensor<32x64xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<32x64xbf16, #dram>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !tile, 2>
  ttl.datamovement_kernel @dm {
    // CHECK: ttkernel.noc_async_write_page
    // CHECK-NEXT: ttkernel.noc_async_write_barrier
    // CHECK: ttkernel.noc_async_read_page
    // CHECK-NEXT: ttkernel.noc_async_read_barrier
    // CHECK: ttkernel.noc_async_write_page
    // CHECK-NEXT: ttkernel.noc_async_write_barrier
    // PROGRAM-LABEL: ttkernel.program @read_again
    // PROGRAM-COUNT-2: ttkernel.noc_async_write_barrier
    // PROGRAM-NOT: ttkernel.noc_async_write_barrier
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %blk = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
    %left = ttl.tensor_slice %y_accessor[%c0, %c0] : !ttl.accessor<tensor<32x64xbf16, #dram>> -> !slice
    %there = ttl.copy %blk to %left : !blk, !slice
    ttl.wait %there explicit
    %back = ttl.copy %left to %blk : !slice, !blk
    ttl.wait %back explicit
    %right = ttl.tensor_slice %y_accessor[%c0, %c1] : !ttl.accessor<tensor<32x64xbf16, #dram>> -> !slice
    %again = ttl.copy %blk to %right : !blk, !slice
    ttl.wait %again explicit
    ttl.dfb_push %blk with : <[1, 1], !tile>
  }
}

// A slice that is a shard lies in the memory of one node, and is one transfer: with tiles
// PROGRAM-LABEL: ttkernel.program @shards_of_tiles
// CHECK-LABEL: ttl.operation @shards_of_tiles
#tiles = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 2x2>>
ttl.operation @shards_of_tiles(%a: tensor<64x128xbf16, #tiles>, %y: tensor<64x128xbf16, #tiles>) grid <2x2> {
  %a_accessor = ttl.tensor_accessor %a : tensor<64x128xbf16, #tiles>
  %y_accessor = ttl.tensor_accessor %y : tensor<64x128xbf16, #tiles>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 2], !tile, 2>
  ttl.datamovement_kernel @dm {
    %column, %row = ttl.node : index, index
    %width = arith.constant 2 : index
    %left = arith.muli %column, %width : index
    %blk = ttl.dfb_reserve %dfb : <[1, 2], !tile, 2>
    // CHECK-NOT: scf.for
    // CHECK: ttkernel.noc_async_read_shard
    // CHECK-NEXT: ttkernel.noc_async_read_barrier
    %0 = ttl.tensor_slice %a_accessor[%row size 1, %left size 2] : !ttl.accessor<tensor<64x128xbf16, #tiles>> -> !ttl.slice<[1, 2], !tile>
    %in = ttl.copy %0 to %blk : !ttl.slice<[1, 2], !tile>, !ttl.block<[1, 2], !tile>
    ttl.wait %in explicit
    // CHECK-NOT: scf.for
    // CHECK: ttkernel.noc_async_write_shard
    // CHECK-NEXT: ttkernel.noc_async_writes_flushed
    %1 = ttl.tensor_slice %y_accessor[%row size 1, %left size 2] : !ttl.accessor<tensor<64x128xbf16, #tiles>> -> !ttl.slice<[1, 2], !tile>
    %out = ttl.copy %blk to %1 : !ttl.block<[1, 2], !tile>, !ttl.slice<[1, 2], !tile>
    ttl.wait %out explicit
    ttl.dfb_push %blk with : <[1, 2], !tile>
  }
}

// as well as with rows of elements.
// CHECK-LABEL: ttl.operation @shards_of_rows
#rows = #ttl.encoding<l1, #ttl.layout<row_major, block_sharded, [32, 64], 2x2>>
ttl.operation @shards_of_rows(%a: tensor<64x128xbf16, #rows>, %y: tensor<64x128xbf16, #rows>) grid <2x2> {
  %a_accessor = ttl.tensor_accessor %a : tensor<64x128xbf16, #rows>
  %y_accessor = ttl.tensor_accessor %y : tensor<64x128xbf16, #rows>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[32, 64], bf16, 2>
  ttl.datamovement_kernel @dm {
    %column, %row = ttl.node : index, index
    %height = arith.constant 32 : index
    %width = arith.constant 64 : index
    %top = arith.muli %row, %height : index
    %left = arith.muli %column, %width : index
    %blk = ttl.dfb_reserve %dfb : <[32, 64], bf16, 2>
    // CHECK-NOT: scf.for
    // CHECK: ttkernel.noc_async_read_shard
    // CHECK-NEXT: ttkernel.noc_async_read_barrier
    %0 = ttl.tensor_slice %a_accessor[%top size 32, %left size 64] : !ttl.accessor<tensor<64x128xbf16, #rows>> -> !ttl.slice<[32, 64], bf16>
    %in = ttl.copy %0 to %blk : !ttl.slice<[32, 64], bf16>, !ttl.block<[32, 64], bf16>
    ttl.wait %in explicit
    // CHECK-NOT: scf.for
    // CHECK: ttkernel.noc_async_write_shard
    // CHECK-NEXT: ttkernel.noc_async_writes_flushed
    %1 = ttl.tensor_slice %y_accessor[%top size 32, %left size 64] : !ttl.accessor<tensor<64x128xbf16, #rows>> -> !ttl.slice<[32, 64], bf16>
    %out = ttl.copy %blk to %1 : !ttl.block<[32, 64], bf16>, !ttl.slice<[32, 64], bf16>
    ttl.wait %out explicit
    ttl.dfb_push %blk with : <[32, 64], bf16>
  }
}
