ttkernel.program @softmax_row("x", "y") grid <1x1> {
  ttkernel.circular_buffer @x_dfb index 0 pages 8 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @y_dfb index 1 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @ones index 2 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by compiler {ttl.why = "a reduction multiplies by a tile of its scale"}
  ttkernel.kernel @compute tensix config {math_fidelity = "HiFi4"} {
    %x_dfb = ttkernel.get_cb @x_dfb : !ttkernel.cb<8, !ttl.tile<32x32, bf16>>
    %y_dfb = ttkernel.get_cb @y_dfb : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %ones = ttkernel.get_cb @ones : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    ttkernel.compute_kernel_hw_startup %x_dfb, %ones, %y_dfb : <8, !ttl.tile<32x32, bf16>>, <1, !ttl.tile<32x32, bf16>>, <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %ones, %c1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.reduce_init %x_dfb, %ones, %y_dfb {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <8, !ttl.tile<32x32, bf16>>, <1, !ttl.tile<32x32, bf16>>, <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_wait_front %x_dfb, %c4 : <8, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_acquire
    scf.for %i = %c0 to %c4 step %c1 {
      ttkernel.reduce_tile %x_dfb, %ones, %i, %c0, %c0 {pool = "PoolType::MAX", dim = "ReduceDim::REDUCE_ROW"} : <8, !ttl.tile<32x32, bf16>>, <1, !ttl.tile<32x32, bf16>>
    }
    ttkernel.tile_regs_commit
    ttkernel.cb_reserve_back %y_dfb, %c1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_wait
    ttkernel.pack_tile %c0, %y_dfb, %c0 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_release
    ttkernel.reduce_uninit
    ttkernel.cb_push_back %y_dfb, %c1 : <1, !ttl.tile<32x32, bf16>>
    ttkernel.cb_pop_front %x_dfb, %c4 : <8, !ttl.tile<32x32, bf16>>
  }
}
