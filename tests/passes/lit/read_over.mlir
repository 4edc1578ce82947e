// RUN: ttl-opt %s -p "ttkernel-read-over{tensor=a noc=1}" | filecheck %s

// In kernels of NoC 0 the tensor is read over NoC 1, and barriers wait for both; other tensors and kernels stay.
// CHECK-LABEL: ttkernel.kernel @read
// CHECK: ttkernel.noc_async_read_page_over {{.*}} {noc = 1 : i64}
// CHECK-NEXT: ttkernel.noc_async_read_page %
// CHECK-NEXT: ttkernel.noc_async_read_barrier
// CHECK-NEXT: ttkernel.noc_async_read_barrier_of {noc = 1 : i64}
// CHECK-NEXT: }
// CHECK-LABEL: ttkernel.kernel @other
// CHECK: ttkernel.noc_async_read_page %
// CHECK-NEXT: ttkernel.noc_async_read_barrier
// CHECK-NEXT: }
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttkernel.program @p("a", "b") grid <1x1> {
  ttkernel.tensor_arg @a index 0 : tensor<32x32xf32, #encoding>
  ttkernel.tensor_arg @b index 1 : tensor<32x32xf32, #encoding>
  ttkernel.circular_buffer @a_dfb index 0 pages 2 of 4096 bytes : !ttl.tile<32x32, f32> by user
  ttkernel.kernel @read noc on ncrisc noc 0 common ["address(a)", "address(b)"] accessors ["a", "b"] {
    %c0 = arith.constant 0 : index
    %a = ttkernel.accessor @a
    %b = ttkernel.accessor @b
    %a_dfb = ttkernel.get_cb @a_dfb : !ttkernel.cb<2, !ttl.tile<32x32, f32>>
    %l1 = ttkernel.get_write_ptr %a_dfb : <2, !ttl.tile<32x32, f32>>
    ttkernel.noc_async_read_page %c0, %a, %l1
    ttkernel.noc_async_read_page %c0, %b, %l1
    ttkernel.noc_async_read_barrier
  }
  ttkernel.kernel @other noc on brisc noc 1 common ["address(a)"] accessors ["a"] {
    %c0 = arith.constant 0 : index
    %a = ttkernel.accessor @a
    %a_dfb = ttkernel.get_cb @a_dfb : !ttkernel.cb<2, !ttl.tile<32x32, f32>>
    %l1 = ttkernel.get_write_ptr %a_dfb : <2, !ttl.tile<32x32, f32>>
    ttkernel.noc_async_read_page %c0, %a, %l1
    ttkernel.noc_async_read_barrier
  }
}
