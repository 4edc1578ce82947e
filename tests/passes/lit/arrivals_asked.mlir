// RUN: ttl-opt %s --ttl-hand-over{arrivals=x_dfb:2} | filecheck %s
// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode,ttl-form-regions,ttl-assign-dst,ttl-subblock,ttl-hand-over{arrivals=x_dfb:2},ttl-allocate,convert-datamovement-to-ttkernel,convert-compute-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-canonicalize,ttkernel-merge-barriers,ttkernel-hoist-inits,ttkernel-join-waits,ttkernel-late-waits)' | filecheck %s --check-prefix=PROGRAM
// RUN: not ttl-opt %s --ttl-hand-over{arrivals=x_dfb:3} 2>&1 | filecheck %s --check-prefix=THREE
// RUN: not ttl-opt %s --ttl-hand-over{arrivals=y_dfb:2} 2>&1 | filecheck %s --check-prefix=RESULT

// The compile option arrivals.x_dfb=2 asks that blocks of x_dfb, of eight tiles, arrive two tiles at a time.
// THREE: the compile option arrivals.x_dfb=3 is not possible: its pages cannot be read in parts of 3 [TTL1461]
// THREE: legal here: whole, 1, 2, 4
// RESULT: the compile option arrivals.y_dfb is about the buffer filled from a tensor y_dfb, which operation negative does not have [TTL1460]
!tile = !ttl.tile<32x32, bf16>
!value = tensor<1x8x!tile>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
// CHECK-LABEL: ttl.operation @negative
ttl.operation @negative(%x: tensor<32x256xbf16, #dram>) grid <1x1> {
  %x_accessor = ttl.tensor_accessor %x : tensor<32x256xbf16, #dram>
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 8], !tile, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 8], !tile, 2>
  // The pass marks what acquires and releases the blocks; the wait for the copy is implied by what is handed over.
  ttl.datamovement_kernel @read {
    // CHECK: ttl.dfb_reserve %x_dfb {ttl.parts = 2 : i64}
    // CHECK: ttl.wait %xf explicit {ttl.implied, ttl.why = "its tiles are handed over 2 at a time"}
    // CHECK: ttl.dfb_push %blk {{.*}}{ttl.parts = 2 : i64}
    // So the kernel hands over two tiles as soon as they are there, and never all of them.
    // PROGRAM: ttkernel.cb_reserve_back %x_dfb, %c8
    // PROGRAM: %[[TWO:.*]] = arith.constant 2 : index
    // PROGRAM: scf.for %part = %c0 to %c8 step %[[TWO]]
    // PROGRAM: ttkernel.noc_async_read_page
    // PROGRAM: ttkernel.noc_async_read_barrier
    // PROGRAM-NEXT: ttkernel.cb_push_back %x_dfb, %[[TWO]]
    // PROGRAM-NOT: ttkernel.cb_push_back %x_dfb
    %c0 = arith.constant 0 : index
    %blk = ttl.dfb_reserve %x_dfb : <[1, 8], !tile, 2>
    %part = ttl.tensor_slice %x_accessor[%c0 size 1, %c0 size 8] : !ttl.accessor<tensor<32x256xbf16, #dram>> -> !ttl.slice<[1, 8], !tile>
    %xf = ttl.copy %part to %blk : !ttl.slice<[1, 8], !tile>, !ttl.block<[1, 8], !tile>
    ttl.wait %xf explicit
    ttl.dfb_push %blk explicit : <[1, 8], !tile>
  }
  ttl.compute_kernel @compute {
    // CHECK: ttl.dfb_wait %x_dfb {ttl.parts = 2 : i64}
    // The compute kernel waits for each tile where it reads it, and never for all of them.
    // PROGRAM: ttkernel.kernel @compute
    // PROGRAM-NOT: ttkernel.cb_wait_front
    // PROGRAM: scf.for %i =
    // PROGRAM: %[[UP_TO_IT:.*]] = arith.addi %i, %{{.*}} : index
    // PROGRAM-NEXT: ttkernel.cb_wait_front %x_dfb, %[[UP_TO_IT]]
    // PROGRAM-NEXT: ttkernel.copy_tile %x_dfb, %i, %i
    // PROGRAM-NOT: ttkernel.cb_wait_front
    %x_blk = ttl.dfb_wait %x_dfb : <[1, 8], !tile, 2>
    %x_value = ttl.block_read %x_blk : <[1, 8], !tile>
    %0 = ttl.block_neg %x_value : !value -> !value
    %y_blk = ttl.dfb_reserve %y_dfb : <[1, 8], !tile, 2>
    ttl.block_store %0, %y_blk : !value -> <[1, 8], !tile>
    ttl.dfb_push %y_blk explicit : <[1, 8], !tile>
    ttl.dfb_pop %x_blk explicit : <[1, 8], !tile>
  }
}
