// RUN: ttmlir-opt --convert-ttkernel-to-emitc %s | ttmlir-translate -mlir-to-cpp | FileCheck %s
// What else there is: constants of the chip, pointers, loops that hand something on, arithmetic that may wrap, template arguments.

#l1_ = #tt.memory_space<l1>
!cb = !ttkernel.cb<cb_int0, 4096, memref<1x1x!tt.tile<32x32, f32>, #l1_>, 4096, 1>

// CHECK: void fill() {
// CHECK-NEXT:   ::tt::CB v1 = ::tt::CB::c_intermed0;
// CHECK-NEXT:   ::tt::CB v2 = v1;
// CHECK-NEXT:   int32_t v3 = MEM_ZEROS_BASE;
// CHECK-NEXT:   int64_t v4 = get_noc_addr(v3);
// CHECK-NEXT:   int32_t v5 = MEM_ZEROS_SIZE;
// CHECK-NEXT:   int32_t v6 = get_write_ptr(v2);
// CHECK-NEXT:   volatile tt_l1_ptr uint32_t* v7 = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(v6);
// CHECK-NEXT:   int32_t v8 = 0;
// CHECK-NEXT:   int32_t v9 = 4;
// CHECK-NEXT:   int32_t v10 = 1;
// CHECK-NEXT:   int32_t v11;
// CHECK-NEXT:   v11 = v6;
// CHECK-NEXT:   for (int32_t v12 = v8; v12 < v9; v12 += v10) {
// CHECK-NEXT:     int32_t v13 = v11;
// CHECK-NEXT:     noc_async_read_one_packet_with_state(v4, v13);
// CHECK-NEXT:     int32_t v14 = v13 + v5;
// CHECK-NEXT:     uint32_t v15 = (uint32_t) v14;
// CHECK-NEXT:     uint32_t v16 = (uint32_t) v10;
// CHECK-NEXT:     uint32_t v17 = v15 * v16;
// CHECK-NEXT:     int32_t v18 = (int32_t) v17;
// CHECK-NEXT:     v11 = v18;
// CHECK-NEXT:   }
// CHECK-NEXT:   int32_t v19 = v11;
// CHECK-NEXT:   volatile tt_l1_ptr uint32_t v20 = (volatile tt_l1_ptr uint32_t) v19;
// CHECK-NEXT:   v7[v8] = v20;
// CHECK-NEXT:   reduce_init<true, PoolType::MAX, ReduceDim::REDUCE_SCALAR>(v2, v2, v2);
// CHECK-NEXT:   reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(v2, v2, v8, v8, v8);
// CHECK-NEXT:   mine(v2);
// CHECK-NEXT:   clamp_tile(v8, 0xbfc00000, 0x40000000);
// CHECK-NEXT:   return;
// CHECK-NEXT: }
func.func @fill(%cb: !cb) {
  %zeros = "ttkernel.mem_zeros_base"() : () -> i32
  %noc = "ttkernel.get_noc_addr"(%zeros) : (i32) -> !ttkernel.noc_addr
  %size = "ttkernel.mem_zeros_size"() : () -> i32
  %begin = "ttkernel.get_write_ptr"(%cb) : (!cb) -> i32
  %words = "ttkernel.reinterpret_cast<volatile tt_l1_ptr uint32_t*>"(%begin) : (i32) -> !ttkernel.l1_addr_ptr
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c1 = arith.constant 1 : i32
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%at = %begin) -> (i32) : i32 {
    "ttkernel.noc_async_read_one_packet_with_state"(%noc, %at) : (!ttkernel.noc_addr, i32) -> ()
    %next = arith.addi %at, %size overflow<nsw> : i32
    %same = arith.muli %next, %c1 : i32
    scf.yield %same : i32
  }
  "ttkernel.store_to_l1"(%end, %words, %c0) : (i32, !ttkernel.l1_addr_ptr, i32) -> ()
  "ttkernel.reduce_init"(%cb, %cb, %cb) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_scalar>, reduce_type = #ttkernel.reduce_type<reduce_max>}> : (!cb, !cb, !cb) -> ()
  "ttkernel.reduce_tile"(%cb, %cb, %c0, %c0, %c0) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>, reduce_type = #ttkernel.reduce_type<reduce_sum>}> : (!cb, !cb, i32, i32, i32) -> ()
  "ttkernel.builtin"(%cb) <{op = @mine, kind = @other}> : (!cb) -> ()
  "ttkernel.clamp_tile"(%c0) <{min = -1.5 : f32, max = 2.0 : f32}> : (i32) -> ()
  "ttkernel.return"() : () -> ()
}
