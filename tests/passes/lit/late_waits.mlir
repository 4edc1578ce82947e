// RUN: ttl-opt %s -p ttkernel-late-waits | filecheck %s

// What is read last, and the room for what is written last, is waited for when the sections before are done; what the
// first section reads is waited for before it, and not in the middle of it.
// CHECK-LABEL: ttkernel.program @one_after_the_other
// CHECK: ttkernel.cb_wait_front %a
// CHECK-NEXT: ttkernel.cb_wait_front %b
// CHECK-NEXT: ttkernel.cb_reserve_back %t
// CHECK-NEXT: ttkernel.tile_regs_acquire
// CHECK: ttkernel.copy_tile %b
// CHECK: ttkernel.tile_regs_release
// CHECK: ttkernel.cb_wait_front %t
// CHECK-NEXT: ttkernel.add_tiles_init
// CHECK-NEXT: ttkernel.cb_wait_front %c
// CHECK-NEXT: ttkernel.cb_reserve_back %x
// CHECK-NEXT: ttkernel.tile_regs_acquire
ttkernel.program @one_after_the_other() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @b index 1 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @c index 2 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @t index 3 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by compiler
  ttkernel.circular_buffer @x index 4 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %b = ttkernel.get_cb @b : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %c = ttkernel.get_cb @c : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %t = ttkernel.get_cb @t : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %x = ttkernel.get_cb @x : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    ttkernel.cb_wait_front %a, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %b, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %c, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_reserve_back %x, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_reserve_back %t, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_acquire
    ttkernel.copy_tile %a, %0, %0 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %b, %0, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_commit
    ttkernel.tile_regs_wait
    ttkernel.pack_tile %0, %t, %0 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_release
    ttkernel.cb_push_back %t, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %t, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.add_tiles_init %t, %c : <1, !ttl.tile<32x32, bf16>>, <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_acquire
    ttkernel.add_tiles %t, %c, %0, %0, %0 : <1, !ttl.tile<32x32, bf16>>, <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_commit
    ttkernel.tile_regs_wait
    ttkernel.pack_tile %0, %x, %0 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_release
    ttkernel.cb_push_back %x, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %t, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %c, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %b, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %1 : <1, !ttl.tile<32x32, bf16>>
  }
}

// A loop that keeps the block waits for it in its turns, after enough else to do, and behind it, since it may have no
// turn at all; what it uses at once, or gives back in each turn, is waited for where it was.
// CHECK-LABEL: ttkernel.program @in_a_loop
// CHECK: ttkernel.cb_wait_front %a
// CHECK-NEXT: scf.for
// CHECK: ttkernel.tile_regs_release
// CHECK-NEXT: }
// CHECK-NEXT: ttkernel.cb_wait_front %c
// CHECK-NEXT: ttkernel.tile_regs_acquire
// CHECK: ttkernel.tile_regs_release
// CHECK-NEXT: }
// CHECK-NEXT: ttkernel.cb_wait_front %c
// CHECK-NEXT: ttkernel.cb_pop_front %c
// CHECK-NOT: ttkernel.cb_wait_front
ttkernel.program @in_a_loop() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 32 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @c index 1 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<32, !ttl.tile<32x32, bf16>>
    %c = ttkernel.get_cb @c : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %32 = arith.constant 32 : index
    %first = ttkernel.get_absolute_logical_x
    ttkernel.cb_wait_front %c, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %a, %32 : <32, !ttl.tile<32x32, bf16>>
    scf.for %i = %first to %32 step %1 {
      scf.for %j = %0 to %32 step %1 {
        ttkernel.tile_regs_acquire
        ttkernel.copy_tile %a, %j, %0 : <32, !ttl.tile<32x32, bf16>>
        ttkernel.tile_regs_commit
        ttkernel.tile_regs_wait
        ttkernel.tile_regs_release
      }
      ttkernel.tile_regs_acquire
      ttkernel.copy_tile %c, %0, %0 : <1, !ttl.tile<32x32, bf16>>
      ttkernel.tile_regs_commit
      ttkernel.tile_regs_wait
      ttkernel.tile_regs_release
    }
    ttkernel.cb_pop_front %c, %1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %32 : <32, !ttl.tile<32x32, bf16>>
  }
}

// Where the loop gives the block back, or there is little to do before, the wait stays in front of it.
// CHECK-LABEL: ttkernel.program @stays
// CHECK: ttkernel.cb_wait_front %b
// CHECK-NEXT: ttkernel.cb_wait_front %c
// CHECK-NEXT: scf.for
ttkernel.program @stays() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 32 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @b index 1 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @c index 2 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<32, !ttl.tile<32x32, bf16>>
    %b = ttkernel.get_cb @b : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %c = ttkernel.get_cb @c : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %32 = arith.constant 32 : index
    ttkernel.cb_wait_front %b, %1 : <2, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %c, %1 : <1, !ttl.tile<32x32, bf16>>
    scf.for %i = %0 to %32 step %1 {
      ttkernel.tile_regs_acquire
      ttkernel.copy_tile %a, %0, %0 : <32, !ttl.tile<32x32, bf16>>
      ttkernel.tile_regs_commit
      ttkernel.tile_regs_wait
      ttkernel.tile_regs_release
      ttkernel.tile_regs_acquire
      ttkernel.copy_tile %c, %0, %0 : <1, !ttl.tile<32x32, bf16>>
      ttkernel.copy_tile %b, %0, %1 : <2, !ttl.tile<32x32, bf16>>
      ttkernel.tile_regs_commit
      ttkernel.tile_regs_wait
      ttkernel.tile_regs_release
      ttkernel.cb_wait_front %b, %2 : <2, !ttl.tile<32x32, bf16>>
      ttkernel.cb_pop_front %b, %1 : <2, !ttl.tile<32x32, bf16>>
    }
    ttkernel.cb_pop_front %c, %1 : <1, !ttl.tile<32x32, bf16>>
  }
}
