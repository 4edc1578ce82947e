// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode,ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock,ttl-hand-over)' | filecheck %s
// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode,ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock,ttl-hand-over,ttl-hand-over)' | filecheck %s
// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode,ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock,ttl-hand-over,convert-datamovement-to-ttkernel,convert-compute-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-canonicalize)' | filecheck %s --check-prefix=CODE

// Results that another kernel copies to a tensor leave the compute kernel in parts: each section of the registers hands over
// what it has computed, and the copy of that part overlaps with the next section. The registers hold 8 tiles here,
// and 4 for products. CHECK lines show what the pass marks, CODE lines the calls.

!tile = !ttl.tile<32x32, bf16>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>

// A row of 32 tiles is computed in four sections. Each hands over its 8 tiles, and the writer waits for 8 more tiles before it
// copies them. The block is released as a whole.
// CHECK-LABEL: ttl.operation @one_row
// CODE-LABEL: ttkernel.program @one_row
ttl.operation @one_row(%y: tensor<32x1024xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<32x1024xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 32], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 32], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[1, 32], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[1, 32], !tile, 2>
    %x = ttl.block_read %x_blk : <[1, 32], !tile>
    %0 = ttl.block_neg %x : tensor<1x32x!tile> -> tensor<1x32x!tile>
    // Pages are counted from what has been handed over, so every section packs into pages 0 to 7.
    // CODE: scf.for %tile = %c0 to %c32 step %c8 {
    // CODE: ttkernel.tile_regs_wait
    // CODE-NEXT: scf.for %[[I:.*]] = %c0 to %c8
    // CODE-NEXT: ttkernel.pack_tile %[[I]], %y_dfb, %[[I]]
    // CODE: ttkernel.tile_regs_release
    // CODE-NEXT: ttkernel.cb_push_back %y_dfb, %c8
    // CODE-NEXT: }
    // CODE-NEXT: ttkernel.cb_pop_front %x_dfb, %c32
    ttl.block_store %0, %y_blk : tensor<1x32x!tile> -> <[1, 32], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit {ttl.parts = 8 : i64}
    ttl.dfb_push %y_blk explicit : <[1, 32], !tile>
    ttl.dfb_pop %x_blk explicit : <[1, 32], !tile>
  }
  ttl.datamovement_kernel @write {
    // CHECK: ttl.dfb_wait %y_dfb {ttl.parts = 8 : i64, ttl.why = "its tiles are copied as they come, 8 at a time: sections hand over 8 each"}
    // CODE-NOT: ttkernel.cb_wait_front
    // CODE: scf.for %part = %c0 to %c32 step %c8
    // CODE-NEXT: %[[END:.*]] = arith.addi %part, %c8
    // CODE-NEXT: ttkernel.cb_wait_front %y_dfb, %[[END]]
    // CODE-NEXT: {{.*}} = scf.for %page = %part to %[[END]]
    // CODE-NEXT: ttkernel.noc_async_write_page %page
    // CODE: ttkernel.cb_pop_front %y_dfb, %c32
    %y_blk = ttl.dfb_wait %y_dfb : <[1, 32], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 1, %c0 size 32] : !ttl.accessor<tensor<32x1024xbf16, #dram>> -> !ttl.slice<[1, 32], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[1, 32], !tile>, !ttl.slice<[1, 32], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[1, 32], !tile>
  }
}

// The block is part of longer rows of the tensor. A part is two rows of four tiles.
// CHECK-LABEL: ttl.operation @whole_rows
// CODE-LABEL: ttkernel.program @whole_rows
ttl.operation @whole_rows(%y: tensor<128x384xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<128x384xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[4, 4], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[4, 4], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[4, 4], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[4, 4], !tile, 2>
    %x = ttl.block_read %x_blk : <[4, 4], !tile>
    %0 = ttl.block_neg %x : tensor<4x4x!tile> -> tensor<4x4x!tile>
    ttl.block_store %0, %y_blk : tensor<4x4x!tile> -> <[4, 4], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit {ttl.parts = 8 : i64}
    ttl.dfb_push %y_blk explicit : <[4, 4], !tile>
    ttl.dfb_pop %x_blk explicit : <[4, 4], !tile>
  }
  ttl.datamovement_kernel @write {
    // CHECK: ttl.dfb_wait %y_dfb {ttl.parts = 8 : i64
    // CODE: ttkernel.kernel @write
    // CODE: scf.for %part = %c0 to %c4 step %c2
    // CODE: %[[DONE:.*]] = arith.muli %part, %c4
    // CODE-NEXT: %[[END:.*]] = arith.addi %[[DONE]], %c8
    // CODE-NEXT: ttkernel.cb_wait_front %y_dfb, %[[END]]
    // CODE: scf.for %row_page
    // CODE: scf.for %page
    // CODE-NEXT: ttkernel.noc_async_write_page %page
    %y_blk = ttl.dfb_wait %y_dfb : <[4, 4], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 4, %c0 size 4] : !ttl.accessor<tensor<128x384xbf16, #dram>> -> !ttl.slice<[4, 4], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[4, 4], !tile>, !ttl.slice<[4, 4], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[4, 4], !tile>
  }
}

// The rows of the block are longer than a section. A part is half a row.
// CHECK-LABEL: ttl.operation @parts_of_rows
// CODE-LABEL: ttkernel.program @parts_of_rows
ttl.operation @parts_of_rows(%y: tensor<64x768xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<64x768xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[2, 16], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[2, 16], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[2, 16], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[2, 16], !tile, 2>
    %x = ttl.block_read %x_blk : <[2, 16], !tile>
    %0 = ttl.block_neg %x : tensor<2x16x!tile> -> tensor<2x16x!tile>
    ttl.block_store %0, %y_blk : tensor<2x16x!tile> -> <[2, 16], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit {ttl.parts = 8 : i64}
    ttl.dfb_push %y_blk explicit : <[2, 16], !tile>
    ttl.dfb_pop %x_blk explicit : <[2, 16], !tile>
  }
  ttl.datamovement_kernel @write {
    // CHECK: ttl.dfb_wait %y_dfb {ttl.parts = 8 : i64
    // CODE: ttkernel.kernel @write
    // CODE: scf.for %row = %c0 to %c2 step %c1
    // CODE: %[[ROW:.*]] = arith.muli %row, %c16
    // CODE-NEXT: {{.*}} = scf.for %part = %c0 to %c16 step %c8
    // CODE: %[[DONE:.*]] = arith.addi %[[ROW]], %part
    // CODE-NEXT: %[[END:.*]] = arith.addi %[[DONE]], %c8
    // CODE-NEXT: ttkernel.cb_wait_front %y_dfb, %[[END]]
    // CODE: scf.for %page
    // CODE-NEXT: ttkernel.noc_async_write_page %page
    %y_blk = ttl.dfb_wait %y_dfb : <[2, 16], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 2, %c0 size 16] : !ttl.accessor<tensor<64x768xbf16, #dram>> -> !ttl.slice<[2, 16], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[2, 16], !tile>, !ttl.slice<[2, 16], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[2, 16], !tile>
  }
}

// One section computes the whole block, so there are no parts.
// CHECK-LABEL: ttl.operation @one_section
ttl.operation @one_section(%y: tensor<32x256xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<32x256xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 8], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 8], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[1, 8], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[1, 8], !tile, 2>
    %x = ttl.block_read %x_blk : <[1, 8], !tile>
    %0 = ttl.block_neg %x : tensor<1x8x!tile> -> tensor<1x8x!tile>
    ttl.block_store %0, %y_blk : tensor<1x8x!tile> -> <[1, 8], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit :
    ttl.dfb_push %y_blk explicit : <[1, 8], !tile>
    ttl.dfb_pop %x_blk explicit : <[1, 8], !tile>
  }
  ttl.datamovement_kernel @write {
    // CHECK: ttl.dfb_wait %y_dfb :
    %y_blk = ttl.dfb_wait %y_dfb : <[1, 8], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 1, %c0 size 8] : !ttl.accessor<tensor<32x256xbf16, #dram>> -> !ttl.slice<[1, 8], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[1, 8], !tile>, !ttl.slice<[1, 8], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[1, 8], !tile>
  }
}

// No parts: the 8 tiles of a section are neither whole rows of six tiles nor an equal share of one.
// CHECK-LABEL: ttl.operation @broken_rows
// CODE-LABEL: ttkernel.program @broken_rows
ttl.operation @broken_rows(%y: tensor<128x384xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<128x384xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[4, 6], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[4, 6], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[4, 6], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[4, 6], !tile, 2>
    %x = ttl.block_read %x_blk : <[4, 6], !tile>
    %0 = ttl.block_neg %x : tensor<4x6x!tile> -> tensor<4x6x!tile>
    ttl.block_store %0, %y_blk : tensor<4x6x!tile> -> <[4, 6], !tile>
    // CODE: scf.for %tile = %c0 to %c24 step %c8 {
    // CODE: ttkernel.tile_regs_release
    // CODE-NEXT: }
    // CODE-NEXT: ttkernel.cb_push_back %y_dfb, %c24
    // CHECK: ttl.dfb_push %y_blk explicit :
    ttl.dfb_push %y_blk explicit : <[4, 6], !tile>
    ttl.dfb_pop %x_blk explicit : <[4, 6], !tile>
  }
  ttl.datamovement_kernel @write {
    // CODE: ttkernel.cb_wait_front %y_dfb, %c24
    // CODE-NOT: ttkernel.cb_wait_front
    // CODE: ttkernel.cb_pop_front %y_dfb, %c24
    // CHECK: ttl.dfb_wait %y_dfb :
    %y_blk = ttl.dfb_wait %y_dfb : <[4, 6], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 4, %c0 size 6] : !ttl.accessor<tensor<128x384xbf16, #dram>> -> !ttl.slice<[4, 6], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[4, 6], !tile>, !ttl.slice<[4, 6], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[4, 6], !tile>
  }
}

// No parts: the sections differ, the first has 8 tiles and the second has 3.
// CHECK-LABEL: ttl.operation @unequal_sections
ttl.operation @unequal_sections(%y: tensor<32x352xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<32x352xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 11], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 11], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[1, 11], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[1, 11], !tile, 2>
    %x = ttl.block_read %x_blk : <[1, 11], !tile>
    %0 = ttl.block_neg %x : tensor<1x11x!tile> -> tensor<1x11x!tile>
    ttl.block_store %0, %y_blk : tensor<1x11x!tile> -> <[1, 11], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit :
    ttl.dfb_push %y_blk explicit : <[1, 11], !tile>
    ttl.dfb_pop %x_blk explicit : <[1, 11], !tile>
  }
  ttl.datamovement_kernel @write {
    // CHECK: ttl.dfb_wait %y_dfb :
    %y_blk = ttl.dfb_wait %y_dfb : <[1, 11], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 1, %c0 size 11] : !ttl.accessor<tensor<32x352xbf16, #dram>> -> !ttl.slice<[1, 11], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[1, 11], !tile>, !ttl.slice<[1, 11], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[1, 11], !tile>
  }
}

// No parts: a node that does not copy the block would not wait for all of its tiles.
// CHECK-LABEL: ttl.operation @copied_or_not
ttl.operation @copied_or_not(%y: tensor<32x1024xbf16, #dram>) grid <2x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<32x1024xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 32], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 32], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[1, 32], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[1, 32], !tile, 2>
    %x = ttl.block_read %x_blk : <[1, 32], !tile>
    %0 = ttl.block_neg %x : tensor<1x32x!tile> -> tensor<1x32x!tile>
    ttl.block_store %0, %y_blk : tensor<1x32x!tile> -> <[1, 32], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit :
    ttl.dfb_push %y_blk explicit : <[1, 32], !tile>
    ttl.dfb_pop %x_blk explicit : <[1, 32], !tile>
  }
  ttl.datamovement_kernel @write {
    %node = ttl.node : index
    %is_first = arith.cmpi eq, %node, %c0 : index
    // CHECK: ttl.dfb_wait %y_dfb :
    %y_blk = ttl.dfb_wait %y_dfb : <[1, 32], !tile, 2>
    scf.if %is_first {
      %part = ttl.tensor_slice %y_accessor[%c0 size 1, %c0 size 32] : !ttl.accessor<tensor<32x1024xbf16, #dram>> -> !ttl.slice<[1, 32], !tile>
      %xf = ttl.copy %y_blk to %part : !ttl.block<[1, 32], !tile>, !ttl.slice<[1, 32], !tile>
      ttl.wait %xf explicit
    }
    ttl.dfb_pop %y_blk explicit : <[1, 32], !tile>
  }
}

// No parts: the kernel holds two blocks of the buffer, and the tiles that the second computes would be handed over as those of
// the first.
// CHECK-LABEL: ttl.operation @two_blocks_at_once
ttl.operation @two_blocks_at_once(%y: tensor<32x1024xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<32x1024xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 32], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 32], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %x_blk = ttl.dfb_wait %x_dfb : <[1, 32], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[1, 32], !tile, 2>
    %z_blk = ttl.dfb_reserve %y_dfb : <[1, 32], !tile, 2>
    %x = ttl.block_read %x_blk : <[1, 32], !tile>
    %0 = ttl.block_neg %x : tensor<1x32x!tile> -> tensor<1x32x!tile>
    ttl.block_store %0, %y_blk : tensor<1x32x!tile> -> <[1, 32], !tile>
    ttl.block_store %x, %z_blk : tensor<1x32x!tile> -> <[1, 32], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit :
    ttl.dfb_push %y_blk explicit : <[1, 32], !tile>
    // CHECK: ttl.dfb_push %z_blk explicit :
    ttl.dfb_push %z_blk explicit : <[1, 32], !tile>
    ttl.dfb_pop %x_blk explicit : <[1, 32], !tile>
  }
  ttl.datamovement_kernel @write {
    // CHECK: ttl.dfb_wait %y_dfb :
    %y_blk = ttl.dfb_wait %y_dfb : <[1, 32], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 1, %c0 size 32] : !ttl.accessor<tensor<32x1024xbf16, #dram>> -> !ttl.slice<[1, 32], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[1, 32], !tile>, !ttl.slice<[1, 32], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[1, 32], !tile>
  }
}

// No parts: the sections of this product are squares of 2 x 2 tiles, whose pages do not follow each other in the block.
// CHECK-LABEL: ttl.operation @squares
ttl.operation @squares(%y: tensor<128x256xbf16, #dram>) grid <1x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<128x256xbf16, #dram>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[4, 2], !tile, 2>
  %b_dfb = ttl.create_dfb "b_dfb" : !ttl.dfb<[2, 8], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[4, 8], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a_dfb : <[4, 2], !tile, 2>
    %b_blk = ttl.dfb_wait %b_dfb : <[2, 8], !tile, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[4, 8], !tile, 2>
    %a = ttl.block_read %a_blk : <[4, 2], !tile>
    %b = ttl.block_read %b_blk : <[2, 8], !tile>
    // CHECK: ttl.compute_region {{.*}}subblock = array<i64: 2, 2>
    %0 = ttl.block_matmul %a, %b : tensor<4x2x!tile>, tensor<2x8x!tile> -> tensor<4x8x!tile>
    ttl.block_store %0, %y_blk : tensor<4x8x!tile> -> <[4, 8], !tile>
    // CHECK: ttl.dfb_push %y_blk explicit :
    ttl.dfb_push %y_blk explicit : <[4, 8], !tile>
    ttl.dfb_pop %a_blk explicit : <[4, 2], !tile>
    ttl.dfb_pop %b_blk explicit : <[2, 8], !tile>
  }
  ttl.datamovement_kernel @write {
    // CHECK: ttl.dfb_wait %y_dfb :
    %y_blk = ttl.dfb_wait %y_dfb : <[4, 8], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0 size 4, %c0 size 8] : !ttl.accessor<tensor<128x256xbf16, #dram>> -> !ttl.slice<[4, 8], !tile>
    %xf = ttl.copy %y_blk to %part : !ttl.block<[4, 8], !tile>, !ttl.slice<[4, 8], !tile>
    ttl.wait %xf explicit
    ttl.dfb_pop %y_blk explicit : <[4, 8], !tile>
  }
}
