// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock,convert-compute-to-ttkernel)' | filecheck %s

// The hardware is started up once, with the buffers that are read first and the one that is written. A section gets
// the registers, computes operation by operation, each after its init, and packs.
// CHECK-LABEL: ttl.operation @one_section
// CHECK: ttkernel.compute_kernel_hw_startup %a{{[_0-9]*}}, %b{{[_0-9]*}}, %x{{[_0-9]*}} :
// CHECK: ttkernel.tile_regs_acquire
// CHECK-NEXT: ttkernel.add_tiles_init
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: ttkernel.add_tiles %{{.*}}, %{{.*}}, %[[I]], %[[I]], %[[I]] :
// CHECK: ttkernel.relu_tile_init
// CHECK: scf.for %[[J:.*]] =
// CHECK-NEXT: ttkernel.relu_tile %[[J]]
// CHECK: ttkernel.tile_regs_commit
// CHECK-NEXT: ttkernel.tile_regs_wait
// CHECK: ttkernel.pack_tile
// CHECK: ttkernel.tile_regs_release
// CHECK-NOT: compute_region
ttl.operation @one_section() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_add %a_value, %b_value : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_relu %0 : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
}

// A loop over sections; the last one has as many tiles as are left.
// CHECK-LABEL: ttl.operation @sections
// CHECK: scf.for %[[TILE:[a-z0-9_]+]] =
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[TILE]] : index
// CHECK: %[[COUNT:[a-z0-9_]+]] = arith.minsi %{{.*}}, %[[LEFT]] : index
// CHECK: ttkernel.tile_regs_acquire
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// CHECK: ttkernel.copy_tile
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// CHECK-NEXT: ttkernel.exp_tile
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
// CHECK: ttkernel.pack_tile
// CHECK: ttkernel.tile_regs_release
ttl.operation @sections() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 11], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 11], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 11], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 11], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x11x!ttl.tile<32x32, bf16>> -> tensor<1x11x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[1, 11], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<1x11x!ttl.tile<32x32, bf16>> -> <[1, 11], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[1, 11], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 11], !ttl.tile<32x32, bf16>>
  }
}

// A product multiplies a column of the left block with a row of the right one, for all tiles of the section, and continues
// to the next. The matrix unit has its sources the other way round.
// CHECK-LABEL: ttl.operation @product
// CHECK: ttkernel.matmul_hw_startup %a{{[_0-9]*}}, %b{{[_0-9]*}}, %x{{[_0-9]*}} :
// CHECK: ttkernel.matmul_block_init %a{{[_0-9]*}}, %b{{[_0-9]*}} {transpose = 0 : i64, ct = 2 : i64, rt = 2 : i64, kt = 3 : i64}
// CHECK: scf.for %[[K:[a-z0-9_]+]] =
// CHECK: %[[ROW:.*]] = arith.muli %[[K]], %{{.*}} : index
// CHECK: ttkernel.matmul_block %a{{[_0-9]*}}, %b{{[_0-9]*}}, %[[K]], %[[ROW]], %{{.*}} {transpose = 0 : i64, ct = 2 : i64, rt = 2 : i64, kt = 3 : i64}
ttl.operation @product() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 3], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[3, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 3], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[3, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 3], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[3, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_matmul %a_value, %b_value : tensor<2x3x!ttl.tile<32x32, bf16>>, tensor<3x2x!ttl.tile<32x32, bf16>> -> tensor<2x2x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[2, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<2x2x!ttl.tile<32x32, bf16>> -> <[2, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[2, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 3], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[3, 2], !ttl.tile<32x32, bf16>>
  }
}

// The packer writes the lanes of the result, until after the last tile is packed.
// CHECK-LABEL: ttl.operation @reduction
// CHECK: ttkernel.row_sum_init
// CHECK: scf.for
// CHECK: ttkernel.row_sum_tile
// CHECK: ttkernel.pack_tile
// CHECK: ttkernel.tile_regs_release
// CHECK-NEXT: ttkernel.row_sum_uninit
ttl.operation @reduction() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 3], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 3], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 3], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_reduce_sum %a_value {dims = array<i64: -1>} : tensor<1x3x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 3], !ttl.tile<32x32, bf16>>
  }
}

// The second of two blocks that are held lies behind the first.
// CHECK-LABEL: ttl.operation @held
// CHECK: scf.for %[[I:[a-z0-9_]+]] =
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[BEHIND:.*]] = arith.addi %[[I]], %[[TWO]] : index
// CHECK-NEXT: ttkernel.add_tiles %{{.*}}, %{{.*}}, %[[I]], %[[BEHIND]], %[[I]]
ttl.operation @held() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.dfb_wait %d : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %1 = ttl.dfb_wait %d : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %2 = ttl.block_read %0 : <[1, 2], !ttl.tile<32x32, bf16>>
    %3 = ttl.block_read %1 : <[1, 2], !ttl.tile<32x32, bf16>>
    %4 = ttl.block_add %2, %3 : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %5 = ttl.dfb_reserve %x : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %4, %5 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %5 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %0 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %1 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
}

// A section that continues over a loop: acquired before it, packed after it; the loop carries nothing any more.
// CHECK-LABEL: ttl.operation @kept
// CHECK: ttkernel.tile_regs_acquire
// CHECK: ttkernel.copy_tile
// CHECK-NOT: ttkernel.tile_regs
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK-NOT: ttkernel.tile_regs
// CHECK: ttkernel.binary_dest_reuse_tiles
// CHECK: }
// CHECK: ttkernel.relu_tile
// CHECK: ttkernel.tile_regs_commit
// CHECK: ttkernel.pack_tile
// CHECK: ttkernel.tile_regs_release
ttl.operation @kept() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %3 = scf.for %4 = %0 to %1 step %2 iter_args(%5 = %a_value) -> (tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %7 = ttl.block_read %6 : <[1, 1], !ttl.tile<32x32, bf16>>
      %8 = ttl.block_add %5, %7 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.dfb_pop %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
      scf.yield %8 : tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    %9 = ttl.block_relu %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %10 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %9, %10 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Where buffers differ in format the unpacker is told; float32 that is only copied to the registers keeps its bits.
// CHECK-LABEL: ttl.operation @formats
// CHECK: ttl.compute_kernel @compute attributes {ttl.config = {unpack_to_dest_fp32 = ["f"]}}
// CHECK-DAG: ttkernel.reconfig_data_format_srca %f{{[_0-9]*}} :
// CHECK-DAG: ttkernel.reconfig_data_format_srca %a{{[_0-9]*}} :
ttl.operation @formats() grid <1x1> attributes {ttl.fp32_dest_acc_en = true} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %f = ttl.create_dfb "f" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.dfb_wait %f : <[1, 1], !ttl.tile<32x32, f32>, 2>
    %1 = ttl.block_read %0 : <[1, 1], !ttl.tile<32x32, f32>>
    %2 = ttl.block_exp %1 {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %3 = ttl.block_max %a_value, %2 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %4 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %4 : tensor<1x1x!ttl.tile<32x32, f32>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %4 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %0 explicit : <[1, 1], !ttl.tile<32x32, f32>>
  }
}
