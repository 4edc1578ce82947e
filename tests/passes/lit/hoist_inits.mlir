// RUN: ttl-opt %s -p ttkernel-hoist-inits | filecheck %s

// What an init would set is set: the second one goes, and with it the changes of format after the start-up.
// CHECK-LABEL: ttkernel.program @twice
// CHECK: ttkernel.compute_kernel_hw_startup
// CHECK-NEXT: ttkernel.copy_tile_init
// CHECK-NEXT: ttkernel.exp_tile_init
// CHECK-NEXT: ttkernel.copy_tile %
// CHECK-NEXT: ttkernel.exp_tile %
// CHECK-NEXT: ttkernel.copy_tile %
// CHECK-NEXT: ttkernel.exp_tile %
// CHECK-NEXT: }
ttkernel.program @twice() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @b index 1 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %b = ttkernel.get_cb @b : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    ttkernel.compute_kernel_hw_startup %a, %a, %b : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
    ttkernel.reconfig_data_format_srca %b : <2, !ttl.tile<32x32, bf16>>
    ttkernel.pack_reconfig_data_format %a : <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
    ttkernel.exp_tile_init {approx = false}
    ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
    ttkernel.exp_tile %0 {approx = false}
    ttkernel.copy_tile_init %b : <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %b, %0, %0 : <2, !ttl.tile<32x32, bf16>>
    ttkernel.exp_tile_init {approx = false}
    ttkernel.exp_tile %0 {approx = false}
  }
}

// Of another format, or with another constant, it stays. The vector unit keeps what it is set to.
// CHECK-LABEL: ttkernel.program @others
// CHECK: ttkernel.copy_tile_init
// CHECK: ttkernel.exp_tile_init {approx = false}
// CHECK: ttkernel.reconfig_data_format_srca
// CHECK-NEXT: ttkernel.copy_tile_init
// CHECK: ttkernel.exp_tile_init {approx = true}
// CHECK: ttkernel.copy_tile %
// CHECK-NEXT: }
ttkernel.program @others() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @b index 1 pages 2 of 4096 bytes : !ttl.tile<32x32, f32> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %b = ttkernel.get_cb @b : !ttkernel.cb<2, !ttl.tile<32x32, f32>>
    %0 = arith.constant 0 : index
    ttkernel.compute_kernel_hw_startup %a, %a, %b : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, f32>>
    ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
    ttkernel.exp_tile_init {approx = false}
    ttkernel.exp_tile %0 {approx = false}
    ttkernel.reconfig_data_format_srca %b : <2, !ttl.tile<32x32, f32>>
    ttkernel.copy_tile_init %b : <2, !ttl.tile<32x32, f32>>
    ttkernel.exp_tile_init {approx = true}
    ttkernel.copy_tile %b, %0, %0 : <2, !ttl.tile<32x32, f32>>
  }
}

// The only init of its unit in a loop is before it, and before the loop around it; two that take turns stay.
// CHECK-LABEL: ttkernel.program @loops
// CHECK: ttkernel.copy_tile_init
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: ttkernel.copy_tile %
// CHECK-NEXT: ttkernel.exp_tile_init
// CHECK-NEXT: ttkernel.exp_tile %
// CHECK-NEXT: ttkernel.relu_tile_init
// CHECK-NEXT: ttkernel.relu_tile %
ttkernel.program @loops() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %8 = arith.constant 8 : index
    ttkernel.compute_kernel_hw_startup %a, %a, %a : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
    scf.for %i = %0 to %8 step %1 {
      scf.for %j = %0 to %8 step %1 {
        ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
        ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
        ttkernel.exp_tile_init {approx = false}
        ttkernel.exp_tile %0 {approx = false}
        ttkernel.relu_tile_init
        ttkernel.relu_tile %0
      }
    }
  }
}

// After a branch only what both ways leave is known.
// CHECK-LABEL: ttkernel.program @branches
// CHECK: scf.if
// CHECK: ttkernel.copy_tile_init
// CHECK: ttkernel.exp_tile_init
// CHECK: } else {
// CHECK: ttkernel.copy_tile_init
// CHECK: }
// CHECK-NOT: ttkernel.copy_tile_init
// CHECK: ttkernel.exp_tile_init
// CHECK-NEXT: ttkernel.exp_tile %
ttkernel.program @branches() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    ttkernel.compute_kernel_hw_startup %a, %a, %a : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
    %x = ttkernel.get_absolute_logical_x
    %first = arith.cmpi eq, %x, %0 : index
    scf.if %first {
      ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
      ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
      ttkernel.exp_tile_init {approx = false}
      ttkernel.exp_tile %0 {approx = false}
    } else {
      ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
      ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
    }
    ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
    ttkernel.exp_tile_init {approx = false}
    ttkernel.exp_tile %0 {approx = false}
  }
}

// What a turn leaves behind is not what the next one began with: the first init stays where it is. Undoing an init is
// no init: it stays, and what follows is set up again.
// CHECK-LABEL: ttkernel.program @turns
// CHECK: scf.for
// CHECK-NEXT: ttkernel.copy_tile_init
// CHECK-NEXT: ttkernel.copy_tile %
// CHECK-NEXT: ttkernel.reduce_init
// CHECK-NEXT: ttkernel.reduce_tile
// CHECK-NEXT: ttkernel.reduce_tile
// CHECK-NEXT: ttkernel.reduce_uninit
// CHECK-NEXT: ttkernel.reduce_init
// CHECK-NEXT: ttkernel.reduce_tile
// CHECK-NEXT: ttkernel.reduce_uninit
ttkernel.program @turns() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %8 = arith.constant 8 : index
    ttkernel.compute_kernel_hw_startup %a, %a, %a : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
    ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
    scf.for %i = %0 to %8 step %1 {
      ttkernel.copy_tile_init %a : <2, !ttl.tile<32x32, bf16>>
      ttkernel.copy_tile %a, %0, %0 : <2, !ttl.tile<32x32, bf16>>
      ttkernel.reduce_init %a, %a, %a {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
      ttkernel.reduce_tile %a, %a, %0, %0, %0 {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
      ttkernel.reduce_init %a, %a, %a {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
      ttkernel.reduce_tile %a, %a, %0, %0, %0 {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
      ttkernel.reduce_uninit
      ttkernel.reduce_init %a, %a, %a {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
      ttkernel.reduce_tile %a, %a, %0, %0, %0 {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>
      ttkernel.reduce_uninit
    }
  }
}

// A loop that certainly runs leaves what its last turn set; what is set in one that runs once at most is not found by its
// start. One that may not run leaves what was set before it, or what it sets.
// CHECK-LABEL: ttkernel.program @few_turns
// CHECK: scf.for
// CHECK-NEXT: ttkernel.sqrt_tile_init
// CHECK-NEXT: ttkernel.sqrt_tile %
// CHECK-NEXT: ttkernel.exp_tile_init
// CHECK-NEXT: ttkernel.exp_tile %
// CHECK-NEXT: }
// CHECK-NEXT: ttkernel.exp_tile %
// CHECK-NEXT: scf.for
// CHECK-NEXT: ttkernel.pack_tile
// CHECK-NEXT: ttkernel.pack_reconfig_data_format %a
// CHECK-NEXT: ttkernel.pack_tile
// CHECK-NEXT: }
// CHECK-NEXT: ttkernel.pack_reconfig_data_format %b
// CHECK-NEXT: ttkernel.pack_tile
ttkernel.program @few_turns() grid <2x1> {
  ttkernel.circular_buffer @a index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @b index 1 pages 2 of 4096 bytes : !ttl.tile<32x32, f32> by user
  ttkernel.kernel @compute tensix {
    %a = ttkernel.get_cb @a : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %b = ttkernel.get_cb @b : !ttkernel.cb<2, !ttl.tile<32x32, f32>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %first = ttkernel.get_absolute_logical_x
    ttkernel.compute_kernel_hw_startup %a, %a, %b : <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, bf16>>, <2, !ttl.tile<32x32, f32>>
    scf.for %i = %0 to %2 step %1 {
      ttkernel.sqrt_tile_init
      ttkernel.sqrt_tile %0
      ttkernel.exp_tile_init {approx = false}
      ttkernel.exp_tile %0 {approx = false}
    }
    ttkernel.exp_tile_init {approx = false}
    ttkernel.exp_tile %0 {approx = false}
    scf.for %i = %first to %2 step %2 {
      ttkernel.pack_reconfig_data_format %b : <2, !ttl.tile<32x32, f32>>
      ttkernel.pack_tile %0, %b, %0 : <2, !ttl.tile<32x32, f32>>
      ttkernel.pack_reconfig_data_format %a : <2, !ttl.tile<32x32, bf16>>
      ttkernel.pack_tile %0, %a, %0 : <2, !ttl.tile<32x32, bf16>>
    }
    ttkernel.pack_reconfig_data_format %b : <2, !ttl.tile<32x32, f32>>
    ttkernel.pack_tile %0, %b, %0 : <2, !ttl.tile<32x32, f32>>
  }
}
