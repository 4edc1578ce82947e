#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttkernel.program @matmul("a", "b", "y") grid <8x8> {
  ttkernel.tensor_arg @a index 0 : tensor<512x256xbf16, #encoding>
  ttkernel.tensor_arg @b index 1 : tensor<256x512xbf16, #encoding>
  ttkernel.tensor_arg @y index 2 : tensor<512x512xbf16, #encoding>
  ttkernel.circular_buffer @a_dfb index 0 pages 4 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @b_dfb index 1 pages 4 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @y_dfb index 2 pages 8 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @read noc on ncrisc noc 0 common ["address(a)", "address(b)"] accessors ["a", "b"] {
    %a_dfb = ttkernel.get_cb @a_dfb : !ttkernel.cb<4, !ttl.tile<32x32, bf16>>
    %b_dfb = ttkernel.get_cb @b_dfb : !ttkernel.cb<4, !ttl.tile<32x32, bf16>>
    %a = ttkernel.accessor @a
    %b = ttkernel.accessor @b
    %x = ttkernel.get_absolute_logical_x
    %y = ttkernel.get_absolute_logical_y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c2048 = arith.constant 2048 : index
    %row = arith.muli %y, %c2 : index
    %column = arith.muli %x, %c2 : index
    scf.for %k = %c0 to %c4 step %c1 {
      ttkernel.cb_reserve_back %a_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
      %l1 = ttkernel.get_write_ptr %a_dfb : <4, !ttl.tile<32x32, bf16>>
      %end = scf.for %i = %c0 to %c2 step %c1 iter_args(%at = %l1) -> (index) {
        %in = scf.for %j = %c0 to %c2 step %c1 iter_args(%at2 = %at) -> (index) {
          %r = arith.addi %row, %i : index
          %rp = arith.muli %r, %c8 : index
          %k2 = arith.muli %k, %c2 : index
          %kc = arith.addi %k2, %j : index
          %page = arith.addi %rp, %kc : index
          ttkernel.noc_async_read_page %page, %a, %at2
          %next = arith.addi %at2, %c2048 : index
          scf.yield %next : index
        }
        scf.yield %in : index
      }
      ttkernel.noc_async_read_barrier
      ttkernel.cb_push_back %a_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
      ttkernel.cb_reserve_back %b_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
      %b_l1 = ttkernel.get_write_ptr %b_dfb : <4, !ttl.tile<32x32, bf16>>
      scf.for %i = %c0 to %c4 step %c1 {
        %q = arith.floordivsi %i, %c2 : index
        %qq = arith.muli %q, %c2 : index
        %m = arith.subi %i, %qq : index
        %k2 = arith.muli %k, %c2 : index
        %r = arith.addi %k2, %q : index
        %rp = arith.muli %r, %c16 : index
        %cc = arith.addi %column, %m : index
        %page = arith.addi %rp, %cc : index
        %off = arith.muli %i, %c2048 : index
        %at = arith.addi %b_l1, %off : index
        ttkernel.noc_async_read_page %page, %b, %at
      }
      ttkernel.noc_async_read_barrier
      ttkernel.cb_push_back %b_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
    }
  }
  ttkernel.kernel @compute tensix config {math_fidelity = "HiFi4"} {
    %a_dfb = ttkernel.get_cb @a_dfb : !ttkernel.cb<4, !ttl.tile<32x32, bf16>>
    %b_dfb = ttkernel.get_cb @b_dfb : !ttkernel.cb<4, !ttl.tile<32x32, bf16>>
    %y_dfb = ttkernel.get_cb @y_dfb : !ttkernel.cb<8, !ttl.tile<32x32, bf16>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    ttkernel.matmul_hw_startup %a_dfb, %b_dfb, %y_dfb : <4, !ttl.tile<32x32, bf16>>, <4, !ttl.tile<32x32, bf16>>, <8, !ttl.tile<32x32, bf16>>
    ttkernel.matmul_block_init %a_dfb, %b_dfb {transpose = 0 : i64, ct = 2 : i64, rt = 2 : i64, kt = 2 : i64} : <4, !ttl.tile<32x32, bf16>>, <4, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_acquire
    scf.for %k = %c0 to %c4 step %c1 {
      ttkernel.cb_wait_front %a_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
      ttkernel.cb_wait_front %b_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
      scf.for %i = %c0 to %c2 step %c1 {
        %j = arith.muli %i, %c2 : index
        ttkernel.matmul_block %a_dfb, %b_dfb, %i, %j, %c0 {transpose = 0 : i64, ct = 2 : i64, rt = 2 : i64, kt = 2 : i64} : <4, !ttl.tile<32x32, bf16>>, <4, !ttl.tile<32x32, bf16>>
      }
      ttkernel.cb_pop_front %b_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
      ttkernel.cb_pop_front %a_dfb, %c4 : <4, !ttl.tile<32x32, bf16>>
    }
    ttkernel.tile_regs_commit
    ttkernel.cb_reserve_back %y_dfb, %c4 : <8, !ttl.tile<32x32, bf16>>
    ttkernel.tile_regs_wait
    scf.for %i = %c0 to %c4 step %c1 {
      ttkernel.pack_tile %i, %y_dfb, %i : <8, !ttl.tile<32x32, bf16>>
    }
    ttkernel.tile_regs_release
    ttkernel.cb_push_back %y_dfb, %c4 : <8, !ttl.tile<32x32, bf16>>
  }
}
