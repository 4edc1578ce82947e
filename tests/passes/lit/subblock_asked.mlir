// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode{registers=16 sync=full},ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock{shapes=0:3})' | filecheck %s
// RUN: not ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode{registers=32},ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock{shapes=0:8,1:2x1,3:2,9:1})' 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode{registers=32},ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock{shapes=1:1x8})' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode{registers=32},ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock{shapes=1:4})' 2>&1 | filecheck %s --check-prefix=ROW

// The compile option subblock.REGION asks for the tiles of a section, and options that are not possible are reported together.
// REFUSED: the compile option subblock.9 is about the region 9, which operation asked does not have [TTL1460]
!tile = !ttl.tile<32x32, bf16>
!column = tensor<1x1x!tile>
!row = tensor<1x8x!tile>
!block = tensor<2x4x!tile>
// CHECK-LABEL: ttl.operation @asked
// CHECK-SAME: ttl.dst_full_sync_en = true, ttl.fp32_dest_acc_en = false
ttl.operation @asked() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 4], !tile, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !tile, 1>
  %r = ttl.create_dfb "r" : !ttl.dfb<[1, 8], !tile, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 4], !tile, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 8], !tile, 1>
  %z = ttl.create_dfb "z" : !ttl.dfb<[1, 1], !tile, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 4], !tile, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !tile, 1>
    %r_blk = ttl.dfb_wait %r : <[1, 8], !tile, 1>
    %a_value = ttl.block_read %a_blk : <[2, 4], !tile>
    %b_value = ttl.block_read %b_blk : <[1, 1], !tile>
    %r_value = ttl.block_read %r_blk : <[1, 8], !tile>
    // As many tiles as are asked for, in all registers of 16 bits; there are four of 32 bits in half of the registers.
    // CHECK: attributes {space = array<i64: 2, 4>, subblock = array<i64: 3>
    // REFUSED: the compile option subblock.0=8 is not possible: its 8 points need 1 tiles of the registers each, which hold 4 [TTL1461]
    // REFUSED: legal here: 1, 2, 3, 4
    %exp = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : !block -> !block
    %x_blk = ttl.dfb_reserve %x : <[2, 4], !tile, 1>
    ttl.block_store %exp, %x_blk : !block -> <[2, 4], !tile>
    ttl.dfb_push %x_blk explicit : <[2, 4], !tile>
    // Where a tile is repeated, sections are rectangles, within the region and within the registers.
    // REFUSED: the compile option subblock.1=2x1 is not possible: the region has 1 x 8 tiles [TTL1461]
    // REFUSED: legal here: 1x1, 1x2, 1x4
    // LARGE: the compile option subblock.1=1x8 is not possible: its 8 points need 1 tiles of the registers each, which hold 4 [TTL1461]
    // LARGE: legal here: 1x1, 1x2, 1x4
    // ROW: the compile option subblock.1=4 is not possible: the sub-block of this region is rows and columns of tiles in its last two dimensions, such as 2x4 [TTL1461]
    // ROW: legal here: 1x1, 1x2, 1x4
    %repeated = ttl.block_broadcast %b_value {dims = array<i64: -1>, shape = array<i64: 1, 8>} : !column -> !row
    %difference = ttl.block_sub %r_value, %repeated : !row, !row -> !row
    %y_blk = ttl.dfb_reserve %y : <[1, 8], !tile, 1>
    ttl.block_store %difference, %y_blk : !row -> <[1, 8], !tile>
    ttl.dfb_push %y_blk explicit : <[1, 8], !tile>
    // What a loop carries stays in the registers from one iteration to the next, all of it.
    // REFUSED: the compile option subblock.3=2 is not possible: a loop keeps the whole of it in the registers [TTL1461]
    %0 = ttl.block_fill {value = 0 : i64, shape = array<i64: 1, 1>} : -> tensor<1x1x!ttl.tile<32x32, whole>>
    %zeros = ttl.retype %0 : tensor<1x1x!ttl.tile<32x32, whole>> -> !column
    %total = affine.for %i = 0 to 4 iter_args(%sum = %zeros) -> (!column) {
      %product = ttl.block_matmul %b_value, %b_value : !column, !column -> !column
      %next = ttl.block_add %sum, %product : !column, !column -> !column
      affine.yield %next : !column
    }
    %z_blk = ttl.dfb_reserve %z : <[1, 1], !tile, 1>
    ttl.block_store %total, %z_blk : !column -> <[1, 1], !tile>
    ttl.dfb_push %z_blk explicit : <[1, 1], !tile>
    ttl.dfb_pop %a_blk explicit : <[2, 4], !tile>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !tile>
    ttl.dfb_pop %r_blk explicit : <[1, 8], !tile>
  }
}
