// RUN: ttl-opt %s --pass-pipeline 'builtin.module(cse,dce)' | filecheck %s
// RUN: ttl-opt %s --pass-pipeline 'builtin.module(licm)' | filecheck %s --check-prefix=LICM

// What is pure is computed once. What another call may change is asked again, and calls keep their place.
// CHECK-LABEL: ttkernel.program @twice
// CHECK: %[[X:.*]] = ttkernel.get_absolute_logical_x
// CHECK-NOT: ttkernel.get_absolute_logical_x
// CHECK: %[[FIRST:.*]] = ttkernel.get_write_ptr
// CHECK: ttkernel.noc_async_read_page %[[X]], %{{.*}}, %[[FIRST]]
// CHECK: ttkernel.noc_async_read_barrier
// CHECK: ttkernel.cb_push_back
// CHECK: %[[SECOND:.*]] = ttkernel.get_write_ptr
// CHECK: ttkernel.noc_async_read_page %[[X]], %{{.*}}, %[[SECOND]]
// CHECK: ttkernel.noc_async_read_barrier
ttkernel.program @twice("a") grid <2x2> {
  ttkernel.tensor_arg @a index 0 : tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>
  ttkernel.circular_buffer @a_dfb index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @read noc on ncrisc noc 0 accessors ["a"] {
    %one = arith.constant 1 : index
    %cb = ttkernel.get_cb @a_dfb : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %a = ttkernel.accessor @a
    %x = ttkernel.get_absolute_logical_x
    %first = ttkernel.get_write_ptr %cb : <2, !ttl.tile<32x32, bf16>>
    ttkernel.noc_async_read_page %x, %a, %first
    ttkernel.noc_async_read_barrier
    ttkernel.cb_push_back %cb, %one : <2, !ttl.tile<32x32, bf16>>
    %again = ttkernel.get_absolute_logical_x
    %second = ttkernel.get_write_ptr %cb : <2, !ttl.tile<32x32, bf16>>
    ttkernel.noc_async_read_page %again, %a, %second
    ttkernel.noc_async_read_barrier
  }
}

// LICM-LABEL: ttkernel.program @loop
// LICM: %[[X:.*]] = ttkernel.get_absolute_logical_x
// LICM: scf.for
// LICM-NEXT: ttkernel.cb_wait_front %{{.*}}, %[[X]]
// LICM-NEXT: ttkernel.zone "turn" {
// LICM-NEXT: ttkernel.tile_regs_acquire
ttkernel.program @loop() grid <1x1> {
  ttkernel.circular_buffer @a_dfb index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix config {math_fidelity = "HiFi4"} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %cb = ttkernel.get_cb @a_dfb : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    scf.for %i = %zero to %four step %one {
      %x = ttkernel.get_absolute_logical_x
      ttkernel.cb_wait_front %cb, %x : <2, !ttl.tile<32x32, bf16>>
      ttkernel.zone "turn" {
        ttkernel.tile_regs_acquire
      }
    }
  }
}
