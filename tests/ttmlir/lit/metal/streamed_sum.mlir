// RUN: ttmlir-opt --ttir-to-ttmetal-backend-pipeline %s | FileCheck %s
// The operand lies on two cores, the result on one: what it needs is streamed to it, tile by tile.

#l1_ = #tt.memory_space<l1>
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
#two = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<64x32xf32, #l1_>>
#one = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x32xf32, #l1_>>

// CHECK: #[[CB:layout.*]] = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x2x!tt.tile<32x32, f32>, #l1_>>
// CHECK: #[[IN:layout.*]] = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<2x1x!tt.tile<32x32, f32>, #l1_>>
// CHECK-LABEL: func.func @forward
func.func @forward(%arg0: tensor<64x64xf32, #two>) -> tensor<64x32xf32, #one> {
  // CHECK: %[[BUFFER:.*]] = "ttmetal.alloc"() <{address = 9216 : i64, memory_space = #l1_, size = 16384 : i64}> : () -> tensor<64x64xf32, #[[CB]]>
  // CHECK-NEXT: "ttmetal.alloc"() <{address = 25600 : i64, memory_space = #l1_, size = 8192 : i64}> : () -> tensor<64x64xf32, #[[IN]]>
  %0 = tensor.empty() : tensor<64x32xf32, #one>
  // CHECK: "ttmetal.dispatch"(%[[BUFFER]], {{.*}}) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>, #ttmetal.core_range<0x0, 1x1>]
  // CHECK-NEXT: (%[[C:.*]]: !ttkernel.cb<cb_in0, 9216, memref<2x2x!tt.tile<32x32, f32>, #l1_>, 4096, 1>, %[[O:.*]]: !ttkernel.cb<cb_out0, {{.*}}>, %[[S:.*]]: !ttkernel.cb<cb_in1, 1495040, memref<1x1x!tt.tile<32x32, f32>, #l1_>, 4096, 1>):
  // CHECK-NEXT: %[[FOUR:.*]] = arith.constant 4 : i32
  // CHECK-NEXT: "ttkernel.cb_wait_front"(%[[C]], %[[FOUR]])
  // CHECK-NEXT: "ttkernel.reduce_init"(%[[C]], %[[S]], %[[O]]) <{reduce_dim = #ttkernel.reduce_dim<reduce_dim_row>, reduce_type = #ttkernel.reduce_type<reduce_sum>}>
  // CHECK: "ttkernel.cb_wait_front"(%[[S]],
  // CHECK: "ttkernel.tile_regs_acquire"
  // CHECK: "ttkernel.reduce_tile"(%[[C]], %[[S]],
  // CHECK: "ttkernel.pack_tile"
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
  // CHECK-NEXT: "ttkernel.cb_pop_front"(%[[C]], %[[FOUR]])
  // CHECK-NEXT: "ttkernel.return"
  // CHECK: (%[[C:.*]]: !ttkernel.cb<cb_in0, 9216{{.*}}, %[[S:.*]]: !ttkernel.cb<cb_in1, 1495040
  // CHECK: arith.constant 1065353216 : i32
  // CHECK: "ttkernel.cb_reserve_back"(%[[S]],
  // CHECK: "ttkernel.mem_zeros_base"
  // CHECK: "ttkernel.noc_async_read_one_packet_set_state"
  // CHECK: "ttkernel.get_write_ptr"(%[[S]])
  // CHECK: "ttkernel.reinterpret_cast<volatile tt_l1_ptr uint32_t*>"
  // CHECK: "ttkernel.store_to_l1"
  // CHECK: "ttkernel.cb_push_back"(%[[S]],
  // CHECK: "ttkernel.cb_reserve_back"(%[[C]],
  // CHECK-NEXT: arith.constant 0 : i32
  // CHECK-NEXT: arith.constant 0 : i32
  // CHECK-NEXT: arith.constant 25600 : i32
  // CHECK-NEXT: arith.constant 9216 : i32
  // CHECK-NEXT: arith.constant 4096 : i32
  // CHECK: "ttkernel.noc_async_read_barrier"
  // CHECK: "ttkernel.cb_push_back"(%[[C]],
  // CHECK: arith.constant 0 : i32
  // CHECK-NEXT: arith.constant 1 : i32
  // CHECK-NEXT: arith.constant 25600 : i32
  // CHECK-NEXT: arith.constant 13312 : i32
  // CHECK: arith.constant 29696 : i32
  // CHECK-NEXT: arith.constant 17408 : i32
  // CHECK: arith.constant 29696 : i32
  // CHECK-NEXT: arith.constant 21504 : i32
  // CHECK: "ttkernel.return"
  %1 = "ttir.sum"(%arg0, %0) <{dim_arg = [-1 : i32], keep_dim = true, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<64x64xf32, #two>, tensor<64x32xf32, #one>) -> tensor<64x32xf32, #one>
  return %1 : tensor<64x32xf32, #one>
}
