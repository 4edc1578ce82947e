// RUN: ttl-opt %s -p ttkernel-merge-barriers | filecheck %s

// One barrier for two reads; none where nothing is under way on any path; those that something needs stay.
// CHECK-LABEL: ttkernel.kernel @merged
// CHECK: ttkernel.noc_async_read_page
// CHECK-NEXT: ttkernel.cb_reserve_back
// CHECK-NEXT: ttkernel.noc_async_read_page
// CHECK-NEXT: ttkernel.noc_async_read_barrier
// CHECK-NEXT: ttkernel.cb_push_back
// CHECK-NEXT: ttkernel.noc_async_read_page
// CHECK-NEXT: ttkernel.noc_async_read_barrier
// CHECK-NEXT: ttkernel.noc_async_write_page
// CHECK-NEXT: ttkernel.noc_async_writes_flushed
// CHECK-NEXT: ttkernel.cb_pop_front
// CHECK-NEXT: ttkernel.noc_async_write_barrier
// CHECK-NEXT: }
// CHECK-LABEL: ttkernel.kernel @loops
// CHECK: scf.for
// CHECK-NEXT: ttkernel.noc_async_read_barrier
// CHECK-NEXT: ttkernel.noc_async_read_page
// CHECK-NEXT: }
// CHECK-NEXT: ttkernel.noc_async_read_barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: ttkernel.noc_async_write_page
// CHECK-NEXT: ttkernel.noc_async_write_barrier
// CHECK-NEXT: }
// CHECK-NEXT: }
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttkernel.program @p("a") grid <1x1> {
  ttkernel.tensor_arg @a index 0 : tensor<32x32xf32, #encoding>
  ttkernel.circular_buffer @b index 0 pages 2 of 4096 bytes : !ttl.tile<32x32, f32> by user
  ttkernel.kernel @merged noc on ncrisc noc 0 common ["address(a)"] accessors ["a"] {
    %b = ttkernel.get_cb @b : !ttkernel.cb<2, !ttl.tile<32x32, f32>>
    %a = ttkernel.accessor @a
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %l1 = ttkernel.get_write_ptr %b : <2, !ttl.tile<32x32, f32>>
    ttkernel.noc_async_read_page %c0, %a, %l1
    ttkernel.noc_async_read_barrier
    ttkernel.cb_reserve_back %b, %c1 : <2, !ttl.tile<32x32, f32>>
    ttkernel.noc_async_read_page %c0, %a, %l1
    ttkernel.noc_async_read_barrier
    ttkernel.cb_push_back %b, %c1 : <2, !ttl.tile<32x32, f32>>
    ttkernel.noc_async_read_barrier
    ttkernel.noc_async_read_page %c0, %a, %l1
    ttkernel.noc_async_read_barrier
    ttkernel.noc_async_write_page %c0, %a, %l1
    ttkernel.noc_async_writes_flushed
    ttkernel.cb_pop_front %b, %c1 : <2, !ttl.tile<32x32, f32>>
    ttkernel.noc_async_writes_flushed
    ttkernel.noc_async_write_barrier
    ttkernel.noc_async_write_barrier
    ttkernel.noc_async_atomic_barrier
  }
  ttkernel.kernel @loops noc on brisc noc 1 common ["address(a)"] accessors ["a"] {
    %b = ttkernel.get_cb @b : !ttkernel.cb<2, !ttl.tile<32x32, f32>>
    %a = ttkernel.accessor @a
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %l1 = ttkernel.get_write_ptr %b : <2, !ttl.tile<32x32, f32>>
    scf.for %i = %c0 to %c1 step %c1 {
      ttkernel.noc_async_read_barrier
      ttkernel.noc_async_read_page %c0, %a, %l1
    }
    ttkernel.noc_async_read_barrier
    scf.for %i = %c0 to %c1 step %c1 {
      ttkernel.noc_async_write_page %c0, %a, %l1
      ttkernel.noc_async_write_barrier
    }
    ttkernel.noc_async_write_barrier
  }
}
