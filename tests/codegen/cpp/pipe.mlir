#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttkernel.program @forward("a") grid <4x1> {
  ttkernel.tensor_arg @a index 0 : tensor<32x32xbf16, #encoding>
  ttkernel.circular_buffer @a_dfb index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.declare_semaphore @ready id 0 = 0
  ttkernel.declare_semaphore @valid id 1 = 0
  ttkernel.kernel @send noc on ncrisc noc 0 common ["address(a)", "noc_x(0)", "noc_y(0)", "noc_x(3)"] accessors ["a"] {
    %a_dfb = ttkernel.get_cb @a_dfb : !ttkernel.cb<2, !ttl.tile<32x32, bf16>>
    %a = ttkernel.accessor @a
    %ready = ttkernel.get_semaphore @ready
    %valid = ttkernel.get_semaphore @valid
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c2048 = arith.constant 2048 : index
    %x = ttkernel.get_absolute_logical_x
    %is_source = arith.cmpi eq, %x, %c0 : index
    %x0 = ttkernel.common_arg "noc_x(0)"
    %y0 = ttkernel.common_arg "noc_y(0)"
    ttkernel.cb_reserve_back %a_dfb, %c1 : <2, !ttl.tile<32x32, bf16>>
    %l1 = ttkernel.get_write_ptr %a_dfb : <2, !ttl.tile<32x32, bf16>>
    scf.if %is_source {
      ttkernel.zone "reading" {
        ttkernel.noc_async_read_page %c0, %a, %l1
        ttkernel.noc_async_read_barrier
      }
      ttkernel.noc_semaphore_wait %ready, %c3
      ttkernel.noc_semaphore_set %ready, %c0
      %x3 = ttkernel.common_arg "noc_x(3)"
      %x1 = arith.addi %x0, %c1 : index
      %to = ttkernel.get_noc_multicast_addr %x1, %y0, %x3, %y0, %l1
      ttkernel.noc_async_write_multicast %l1, %to, %c2048, %c3
      ttkernel.noc_semaphore_set %valid, %c1
      %address = ttkernel.get_semaphore_address %valid
      %flag = ttkernel.get_noc_multicast_addr %x1, %y0, %x3, %y0, %address
      ttkernel.noc_semaphore_set_multicast %address, %flag, %c3
      ttkernel.noc_async_writes_flushed
    } else {
      %back = arith.subi %x, %c1 : index
      %behind = arith.cmpi sgt, %back, %c1 : index
      scf.if %behind {
        ttkernel.dprint ["node ", " waits for {", "}\n"](%x, %back : index, index)
      }
      ttkernel.noc_semaphore_set %valid, %c0
      %its = ttkernel.get_semaphore_address %ready
      %remote = ttkernel.get_noc_addr_xy %x0, %y0, %its
      ttkernel.noc_semaphore_inc %remote, %c1
      ttkernel.noc_semaphore_wait %valid, %c1
    }
    ttkernel.cb_push_back %a_dfb, %c1 : <2, !ttl.tile<32x32, bf16>>
    ttkernel.noc_async_write_barrier
    ttkernel.noc_async_atomic_barrier
  }
}
