// RUN: ttl-opt %s -p convert-datamovement-to-ttkernel | filecheck %s
// RUN: ttl-opt %s -p convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-merge-barriers | filecheck %s --check-prefix=PROGRAM

// A block of a matrix is two loops over pages; rows that follow each other in the tensor are one; a tile is none.
// Of two waits one barrier is left, and what is written has only to leave before the block is free.
// CHECK-LABEL: ttl.operation @f
// CHECK: ttl.datamovement_kernel @read
// CHECK-SAME: ttl.processor = "ncrisc", ttl.noc = 0
// CHECK: ttl.dfb_reserve %a_dfb
// CHECK-NEXT: %a_dfb_address = ttkernel.get_write_ptr
// CHECK: scf.for %row_page
// CHECK: scf.for %page
// CHECK-NEXT: ttkernel.noc_async_read_page %page, %a
// CHECK: ttkernel.noc_async_read_barrier
// CHECK: scf.for %page
// CHECK-NEXT: ttkernel.noc_async_read_page
// CHECK: ttkernel.noc_async_read_barrier
// CHECK: ttl.datamovement_kernel @write
// CHECK-SAME: ttl.processor = "brisc", ttl.noc = 1
// CHECK-NOT: scf.for
// CHECK: ttkernel.noc_async_write_page
// CHECK-NEXT: ttkernel.noc_async_writes_flushed

// PROGRAM-LABEL: ttkernel.program @f("a", "y") grid <1x1>
// PROGRAM-NEXT: ttkernel.tensor_arg @a index 0
// PROGRAM-NEXT: ttkernel.tensor_arg @y index 1
// PROGRAM-NEXT: ttkernel.circular_buffer @a_dfb index 0 pages 12 of 2048 bytes
// PROGRAM-NEXT: ttkernel.circular_buffer @b_dfb index 1 pages 8 of 2048 bytes
// PROGRAM-NEXT: ttkernel.circular_buffer @y_dfb index 2 pages 1 of 2048 bytes
// PROGRAM: ttkernel.kernel @read noc on ncrisc noc 0 common ["address(a)"] accessors ["a"]
// PROGRAM: ttkernel.cb_reserve_back
// PROGRAM: ttkernel.noc_async_read_page
// PROGRAM-NOT: ttkernel.noc_async_read_barrier
// PROGRAM: ttkernel.noc_async_read_page
// PROGRAM: ttkernel.noc_async_read_barrier
// PROGRAM-NOT: ttkernel.noc_async_read_barrier
// PROGRAM: ttkernel.cb_push_back
// PROGRAM: ttkernel.kernel @write noc on brisc noc 1 common ["address(y)"] accessors ["y"]
// PROGRAM: ttkernel.cb_wait_front
// PROGRAM: ttkernel.noc_async_writes_flushed
// PROGRAM: ttkernel.cb_pop_front
// PROGRAM-NEXT: ttkernel.noc_async_write_barrier
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @f(%a: tensor<256x128xbf16, #encoding>, %y: tensor<32x32xbf16, #encoding>) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : tensor<256x128xbf16, #encoding>
  %y_accessor = ttl.tensor_accessor %y : tensor<32x32xbf16, #encoding>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 3], !ttl.tile<32x32, bf16>, 2>
  %b_dfb = ttl.create_dfb "b_dfb" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  ttl.datamovement_kernel @read {
    %blk = ttl.dfb_reserve %a_dfb : <[2, 3], !ttl.tile<32x32, bf16>, 2>
    %s = ttl.tensor_slice %a_accessor[%c0 size 2, %c1 size 3] : !ttl.accessor<tensor<256x128xbf16, #encoding>> -> !ttl.slice<[2, 3], !ttl.tile<32x32, bf16>>
    %x = ttl.copy %s to %blk : !ttl.slice<[2, 3], !ttl.tile<32x32, bf16>>, !ttl.block<[2, 3], !ttl.tile<32x32, bf16>>
    %whole = ttl.dfb_reserve %b_dfb : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    %t = ttl.tensor_slice %a_accessor[%c1 size 2, %c0 size 4] : !ttl.accessor<tensor<256x128xbf16, #encoding>> -> !ttl.slice<[2, 4], !ttl.tile<32x32, bf16>>
    ttl.wait %x explicit
    %z = ttl.copy %t to %whole : !ttl.slice<[2, 4], !ttl.tile<32x32, bf16>>, !ttl.block<[2, 4], !ttl.tile<32x32, bf16>>
    ttl.wait %z explicit
    ttl.dfb_push %blk with : <[2, 3], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %whole with : <[2, 4], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %blk = ttl.dfb_wait %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %s = ttl.tensor_slice %y_accessor[%c0, %c0] : !ttl.accessor<tensor<32x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %x = ttl.copy %blk to %s : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %x explicit
    ttl.dfb_pop %blk with : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
