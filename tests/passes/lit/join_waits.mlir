// RUN: ttl-opt %s -p ttkernel-join-waits | filecheck %s

// Three blocks are waited for, and given back, at once; what is given back in between is another buffer's.
// CHECK-LABEL: ttkernel.program @held_together
// CHECK: %one = arith.constant 1
// CHECK-NOT: cb_wait_front %a
// CHECK: ttkernel.cb_wait_front %b, %one
// CHECK-NEXT: ttkernel.cb_wait_front %a, %three
// CHECK-NEXT: ttkernel.copy_tile
// CHECK-NEXT: ttkernel.cb_pop_front %b, %one
// CHECK-NEXT: [[ALL:%.*]] = arith.constant 3 : index
// CHECK-NEXT: ttkernel.cb_pop_front %a, [[ALL]]
// CHECK-NOT: cb_pop_front
ttkernel.program @held_together() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 3 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @b index 1 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<3, !ttl.tile<32x32, bf16>>
    %b = ttkernel.get_cb @b : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %one = arith.constant 1 : index
    ttkernel.cb_wait_front %a, %one : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %b, %one : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %a, %two : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %a, %three : <3, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %a, %two, %zero : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %one : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %b, %one : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %one : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %one : <3, !ttl.tile<32x32, bf16>>
  }
}

// What is read in between needs the first wait, and the first pop waits for it.
// CHECK-LABEL: ttkernel.program @one_by_one
// CHECK: ttkernel.cb_wait_front %a, %one
// CHECK-NEXT: ttkernel.copy_tile
// CHECK-NEXT: ttkernel.cb_wait_front %a, %two
// CHECK-NEXT: ttkernel.cb_pop_front %a, %one
// CHECK-NEXT: ttkernel.copy_tile
// CHECK-NEXT: ttkernel.cb_pop_front %a, %one
ttkernel.program @one_by_one() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    ttkernel.cb_wait_front %a, %one : <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %a, %zero, %zero : <2, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %a, %two : <2, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %one : <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %a, %zero, %zero : <2, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %one : <2, !ttl.tile<32x32, bf16>>
  }
}

// A kernel that moves data gives back block by block: the second may lie at the other end of the ring.
// CHECK-LABEL: ttkernel.program @around_the_end
// CHECK: ttkernel.cb_wait_front %a, %two
// CHECK-NEXT: ttkernel.cb_pop_front %a, %one
// CHECK-NEXT: ttkernel.cb_pop_front %a, %one
ttkernel.program @around_the_end() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 3 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @write noc {
    %a = ttkernel.get_cb @a : !ttkernel.cb<3, !ttl.tile<32x32, bf16>>
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    ttkernel.cb_wait_front %a, %one : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %a, %two : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %one : <3, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %a, %one : <3, !ttl.tile<32x32, bf16>>
  }
}
