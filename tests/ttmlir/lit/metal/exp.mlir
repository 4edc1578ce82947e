// RUN: ttmlir-opt --ttir-to-ttmetal-backend-pipeline %s | FileCheck %s
// An exponential of 32x64 numbers: tiles are made, computed on and made rows again, each in memory of its own.

#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>

// CHECK: #[[ROWS:layout.*]] = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<32x64xf32, #l1_>>
// CHECK: #[[TILES:layout.*]] = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<1x2x!tt.tile<32x32, f32>, #l1_>>
// CHECK: tt.arg_alloc = [#tt.arg_alloc<1024, 8192, l1>]
func.func @forward(%arg0: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = tensor.empty() : tensor<32x64xf32>
  // CHECK: %[[A:.*]] = "ttmetal.alloc"() <{address = 9216 : i64, memory_space = #l1_, size = 8192 : i64}> : () -> tensor<32x64xf32, #[[TILES]]>
  // CHECK: "ttmetal.dispatch"(%arg0, %[[A]]) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.tensix_config<hifi4, false, false, [default, default
  // CHECK-NEXT: !ttkernel.cb<cb_in0, 1024, memref<32x64xf32, #l1_>, 4096, 1>, {{.*}}: !ttkernel.cb<cb_out0, 9216, memref<1x2x!tt.tile<32x32, f32>, #l1_>, 4096, 1>
  // CHECK: arith.constant 2 : i32
  // CHECK-NEXT: "ttkernel.tilize_init"
  // CHECK: "ttkernel.tilize_block"
  // CHECK: "ttkernel.cb_pop_front"
  // CHECK: "ttkernel.cb_push_back"
  // CHECK-NEXT: "ttkernel.return"
  // CHECK: "ttmetal.alloc"() <{address = 17408 : i64
  // CHECK: "ttmetal.dispatch"({{.*}}) <{core_ranges = [#ttmetal.core_range<0x0, 1x1>, #ttmetal.core_range<0x0, 1x1>], kernelConfigs = [#ttkernel.tensix_config<{{.*}}, #ttkernel.noc_config<noc0>]
  // CHECK-NEXT: !ttkernel.cb<cb_in0, 9216, {{.*}}!ttkernel.cb<cb_out0, 17408
  // CHECK-NEXT: "ttkernel.unary_op_init_common"
  // CHECK-NEXT: "ttkernel.exp_tile_init"
  // CHECK-NEXT: arith.constant 0 : i32
  // CHECK-NEXT: arith.constant 0 : i32
  // CHECK-NEXT: arith.constant 1 : i32
  // CHECK-NEXT: arith.constant 1 : i32
  // CHECK-NEXT: scf.for
  // CHECK: arith.constant 2 : i32
  // CHECK: scf.for
  // CHECK-NEXT: "ttkernel.tile_regs_acquire"
  // CHECK: "ttkernel.copy_tile"
  // CHECK: "ttkernel.exp_tile"
  // CHECK-NEXT: "ttkernel.tile_regs_commit"
  // CHECK-NEXT: "ttkernel.tile_regs_wait"
  // CHECK: "ttkernel.pack_tile"
  // CHECK-NEXT: "ttkernel.tile_regs_release"
  // CHECK-NEXT: arith.constant 1 : i32
  // CHECK-NEXT: arith.addi {{.*}} overflow<nsw> : i32
  // CHECK: arith.constant 0 : i32
  // CHECK-NEXT: arith.addi
  // CHECK: "ttkernel.return"
  // CHECK-NEXT: }, {
  // CHECK-NEXT: "ttkernel.return"
  // CHECK-NEXT: })
  // CHECK-NEXT: "ttmetal.dealloc"(%[[A]])
  %1 = "ttir.exp"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  // CHECK: "ttmetal.alloc"() <{address = 25600 : i64, memory_space = #l1_, size = 8192 : i64}> : () -> tensor<32x64xf32, #[[ROWS]]>
  // CHECK: "ttkernel.untilize_init"
  // CHECK: "ttkernel.untilize_block"
  // CHECK: "ttkernel.cb_pop_front"
  // CHECK: "ttkernel.cb_push_back"
  // CHECK: "ttmetal.dealloc"
  // CHECK-NEXT: return
  return %1 : tensor<32x64xf32>
}
