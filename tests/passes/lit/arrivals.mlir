// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-hand-over{arrivals=x_dfb:8})' | filecheck %s
// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-hand-over{arrivals=x_dfb:8},convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-canonicalize)' | filecheck %s --check-prefix=CODE
// RUN: not ttl-opt %s --pass-pipeline 'builtin.module(ttl-hand-over{arrivals=x_dfb:3})' 2>&1 | filecheck %s --check-prefix=UNEVEN

// The compile option "arrivals" lets a block arrive in parts: the kernel that reads it hands over 8 pages, then reads the next 8. The
// compute kernel waits for each tile where it first needs it, once ttkernel-late-waits (late_waits.mlir) has moved its wait.
// CHECK-LABEL: ttl.operation @negated
// CODE-LABEL: ttkernel.program @negated

// Parts have one size, which divides the block.
// UNEVEN: the compile option arrivals.x_dfb=3 is not possible: its pages cannot be read in parts of 3 [TTL1461]
// UNEVEN: legal here: whole, 1, 2, 4, 8, 16

!tile = !ttl.tile<32x32, bf16>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!row = tensor<32x1024xbf16, #dram>
ttl.operation @negated(%x: !row) grid <1x1> {
  %x_accessor = ttl.tensor_accessor %x : !row
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 32], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.datamovement_kernel @read {
    // CHECK: ttl.dfb_reserve %x_dfb {ttl.parts = 8 : i64}
    %blk = ttl.dfb_reserve %x_dfb : <[1, 32], !tile, 2>
    // CODE: ttkernel.cb_reserve_back %x_dfb, %c32
    // CODE: scf.for %part = %c0 to %c32 step %c8
    // CODE-NEXT: %[[END:.*]] = arith.addi %part, %c8
    // CODE-NEXT: {{.*}} = scf.for %page = %part to %[[END]]
    // CODE-NEXT: ttkernel.noc_async_read_page %page, %x
    // CODE: ttkernel.noc_async_read_barrier
    // CODE-NEXT: ttkernel.cb_push_back %x_dfb, %c8
    %part = ttl.tensor_slice %x_accessor[%c0 size 1, %c0 size 32] : !ttl.accessor<!row> -> !ttl.slice<[1, 32], !tile>
    %xf = ttl.copy %part to %blk : !ttl.slice<[1, 32], !tile>, !ttl.block<[1, 32], !tile>
    // Each part has a wait of its own now, and the block is complete behind the last.
    // CHECK: ttl.wait %xf explicit {ttl.implied, ttl.why = "its tiles are handed over 8 at a time"}
    // CODE-NOT: ttkernel.noc_async_read_barrier
    ttl.wait %xf explicit
    // CHECK: ttl.dfb_push %blk explicit {ttl.parts = 8 : i64}
    // CODE-NOT: ttkernel.cb_push_back
    ttl.dfb_push %blk explicit : <[1, 32], !tile>
  }
  ttl.compute_kernel @compute {
    // CHECK: ttl.dfb_wait %x_dfb {ttl.parts = 8 : i64}
    // CODE: ttkernel.cb_wait_front %x_dfb, %c32 {ttl.parts = 8 : i64}
    %blk = ttl.dfb_wait %x_dfb : <[1, 32], !tile, 2>
    ttl.dfb_pop %blk explicit : <[1, 32], !tile>
  }
}
