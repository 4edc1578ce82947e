// RUN: ttl-opt %s -p ttl-plan-pipes | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-pipes,ttl-plan-pipes | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-pipes,convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-canonicalize | filecheck %s --check-prefix=CODE

// The protocol "early": a message goes from the block of the sender straight into the block of the receiver. Every node
// acquires its block before anything is sent, so the sender knows the address: it is that of its own block of the same buffer.
// CHECK lines show the plan, CODE lines the kernels. A receiver adds 1 to the semaphore "ready" of the sender when its block
// is free. The sender waits for all its receivers, writes the message, and then copies "one", a semaphore that holds 1, to
// "valid" of each receiver.

!tile = !ttl.tile<32x32, bf16>
!dfb = !ttl.dfb<[1, 1], !tile, 2>
!block = !ttl.block<[1, 1], !tile>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!row = tensor<32x256xbf16, #dram>
!accessor = !ttl.accessor<!row>
!slice = !ttl.slice<[1, 1], !tile>

// A ring: every node sends to the next one and receives from the one before it, so no kernel asks which node it runs on. The
// net needs three semaphores and no buffer.
// CHECK-LABEL: ttl.operation @ring
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "early"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "net_ready" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid" = 0
// CHECK-NEXT: ttl.datamovement_kernel
// CODE-LABEL: ttkernel.program @ring
// CODE-NOT: scf.if
ttl.operation @ring() grid <1x4> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [0, 1]>, #ttl.pipe<[0, 1] -> [0, 2]>, #ttl.pipe<[0, 2] -> [0, 3]>, #ttl.pipe<[0, 3] -> [0, 0]>]
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  ttl.datamovement_kernel @dm {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    // The block is free. The node before this one, which is three further on in a ring of four, may send.
    // CODE: ttkernel.cb_reserve_back %got
    // CODE: %got_address = ttkernel.get_write_ptr %got
    // CODE: %[[NODE:.*]] = ttkernel.get_absolute_logical_y
    // CODE: %[[SUM:.*]] = arith.addi %[[NODE]], %c3
    // CODE: %[[BEFORE:.*]] = arith.remsi %[[SUM]], %c4
    // CODE: %[[Y:.*]] = ttkernel.get_common_arg_val %[[BEFORE]]
    // CODE-NEXT: %remote_net_ready = ttkernel.get_noc_addr_xy %{{.*}}, %[[Y]], %net_ready_address
    // CODE-NEXT: ttkernel.noc_semaphore_inc %remote_net_ready, %c1
    %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
    // The block of the next node is free: the message is written there, then its flag.
    // CODE-NEXT: ttkernel.noc_semaphore_wait %net_ready, %c1
    // CODE: ttkernel.noc_semaphore_set %net_ready, %c0
    // CODE: %[[SUM:.*]] = arith.addi %[[NODE]], %c1
    // CODE-NEXT: %[[NEXT:.*]] = arith.remsi %[[SUM]], %c4
    // CODE-NEXT: %[[Y:.*]] = ttkernel.get_common_arg_val %[[NEXT]]
    // CODE-NEXT: %remote_got = ttkernel.get_noc_addr_xy %{{.*}}, %[[Y]], %got_address
    // CODE: ttkernel.noc_async_write %sent_address, %remote_got, %c2048
    // CODE-NEXT: %remote_net_valid = ttkernel.get_noc_addr_xy %{{.*}}, %[[Y]], %net_valid_address
    // CODE-NEXT: ttkernel.noc_semaphore_set_remote %one_address, %remote_net_valid
    // CODE-NEXT: ttkernel.noc_async_writes_flushed
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    // The message from the node before is there.
    // CODE-NEXT: ttkernel.noc_semaphore_wait %net_valid, %c1
    // CODE-NEXT: ttkernel.noc_semaphore_set %net_valid, %c0
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    // CODE-NEXT: ttkernel.cb_push_back %got, %c1
    // CODE-NEXT: ttkernel.cb_pop_front %sent, %c1
    ttl.dfb_push %in with : <[1, 1], !tile>
    ttl.dfb_pop %out with : <[1, 1], !tile>
    // A kernel ends when nothing of it is on the network any more.
    // CODE-NEXT: ttkernel.noc_async_write_barrier
    // CODE-NEXT: ttkernel.noc_async_atomic_barrier
  }
}

// A multicast: in each of two columns, the first node sends to the others. Both pipes follow one pattern, so one comparison
// finds the senders and one the receivers. The kernel that reads a tensor runs on NoC 0, although it is the second one.
// CHECK-LABEL: ttl.operation @multicast
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "early"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "net_ready" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid" = 0
// CHECK-NEXT: ttl.datamovement_kernel
// CODE-LABEL: ttkernel.program @multicast
ttl.operation @multicast(%a: !row, %y: !row) grid <2x3> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [0, 1:3]>, #ttl.pipe<[1, 0] -> [1, 1:3]>]
  %a_accessor = ttl.tensor_accessor %a : !row
  %y_accessor = ttl.tensor_accessor %y : !row
  %dfb = ttl.create_dfb "dfb" : !dfb
  %c0 = arith.constant 0 : index
  // CODE: ttkernel.kernel @write noc on brisc noc 1
  ttl.datamovement_kernel @write {
    %blk = ttl.dfb_wait %dfb : <[1, 1], !tile, 2>
    %part = ttl.tensor_slice %y_accessor[%c0, %c0] : !accessor -> !slice
    %xf = ttl.copy %blk to %part : !block, !slice
    ttl.wait %xf explicit
    ttl.dfb_pop %blk with : <[1, 1], !tile>
  }
  // CODE: ttkernel.kernel @share noc on ncrisc noc 0
  ttl.datamovement_kernel @share {
    // CODE: ttkernel.cb_reserve_back %dfb
    // CODE: %[[Y:.*]] = ttkernel.get_absolute_logical_y
    // CODE-NEXT: %[[RECEIVES:.*]] = arith.cmpi sge, %[[Y]], %c1
    // CODE-NEXT: scf.if %[[RECEIVES]] {
    // CODE: ttkernel.noc_semaphore_inc %remote_net_ready, %c1
    %blk = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
    // Both receivers are ready. One write and one flag reach the rectangle of nodes from the first receiver to the last.
    // CODE: %[[SENDS:.*]] = arith.cmpi eq, %[[Y]], %c0
    // CODE-NEXT: scf.if %[[SENDS]] {
    // CODE: ttkernel.noc_async_read_page
    // CODE-NEXT: ttkernel.noc_async_read_barrier
    // CODE: ttkernel.noc_semaphore_wait %net_ready{{.*}}, %c2
    // CODE-NEXT: ttkernel.noc_semaphore_set %net_ready{{.*}}, %c0
    // CODE: %[[FIRST:.*]] = ttkernel.common_arg "noc_y(1)"
    // CODE: %[[LAST:.*]] = ttkernel.common_arg "noc_y(2)"
    // CODE: %all_dfb = ttkernel.get_noc_multicast_addr %[[X:.*]], %[[FIRST]], %[[X]], %[[LAST]], %dfb_address
    // CODE: ttkernel.noc_async_write_multicast %dfb_address, %all_dfb, %c2048, %c2
    // CODE: ttkernel.noc_semaphore_set_multicast %one_address, %all_net_valid, %c2
    // CODE-NEXT: ttkernel.noc_async_writes_flushed
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %part = ttl.tensor_slice %a_accessor[%c0, %c0] : !accessor -> !slice
      %read = ttl.copy %part to %blk : !slice, !block
      ttl.wait %read explicit
      %xf = ttl.copy %blk to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    // CODE: scf.if %[[RECEIVES]] {
    // CODE: ttkernel.noc_semaphore_wait %net_valid{{.*}}, %c1
    // CODE-NEXT: ttkernel.noc_semaphore_set %net_valid{{.*}}, %c0
    // CODE-NEXT: }
    // CODE-NEXT: ttkernel.cb_push_back %dfb
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %blk : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.dfb_push %blk with : <[1, 1], !tile>
  }
}

// On NoC 1 the corners of a rectangle are exchanged, because that network runs from the last node to the first.
// CODE-LABEL: ttkernel.program @over_noc_1
ttl.operation @over_noc_1() grid <4x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [1:4, 0]>]
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  ttl.datamovement_kernel @first {
    ttl.dma_barrier
  }
  // CODE: ttkernel.kernel @share noc on brisc noc 1
  ttl.datamovement_kernel @share {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
    // CODE: %[[FIRST:.*]] = ttkernel.common_arg "noc_x(1)"
    // CODE: %[[ROW:.*]] = ttkernel.common_arg "noc_y(0)"
    // CODE: %[[LAST:.*]] = ttkernel.common_arg "noc_x(3)"
    // CODE: %all_got = ttkernel.get_noc_multicast_addr %[[LAST]], %[[ROW]], %[[FIRST]], %[[ROW]], %got_address
    // CODE: ttkernel.noc_async_write_multicast %sent_address, %all_got, %c2048, %c3
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.dfb_push %in with : <[1, 1], !tile>
    ttl.dfb_pop %out with : <[1, 1], !tile>
  }
}

// The sender is one of the receivers: it reports that its block is free, like the others, and the network writes to its own
// node too.
// CHECK-LABEL: ttl.operation @with_its_source
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "early"
// CHECK: ttl.create_semaphore "net_valid" = 0
// CHECK-NEXT: ttl.datamovement_kernel
// CODE-LABEL: ttkernel.program @with_its_source
ttl.operation @with_its_source() grid <3x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[1, 0] -> [0:3, 0]>]
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  ttl.datamovement_kernel @dm {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    // CODE-NOT: scf.if
    // CODE: ttkernel.noc_semaphore_inc %remote_net_ready, %c1
    %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
    // CODE: scf.if
    // CODE: ttkernel.noc_semaphore_wait %net_ready{{.*}}, %c3
    // CODE: ttkernel.noc_async_write_multicast_loopback_src %sent_address, %all_got, %c2048, %c3
    // CODE: ttkernel.noc_semaphore_set_multicast_loopback_src %one_address, %all_net_valid, %c3
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    // CODE-NOT: scf.if
    // CODE: ttkernel.noc_semaphore_wait %net_valid{{.*}}, %c1
    // CODE: ttkernel.cb_push_back %got
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.dfb_push %in with : <[1, 1], !tile>
    ttl.dfb_pop %out with : <[1, 1], !tile>
  }
}

// Several pipes of one node become a loop. It waits for the receivers of all pipes before the first message.
// CHECK-LABEL: ttl.operation @several_pipes
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "early"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "net_ready" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid" = 0
// CHECK-NEXT: ttl.datamovement_kernel
// CODE-LABEL: ttkernel.program @several_pipes
ttl.operation @several_pipes() grid <4x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [1, 0]>, #ttl.pipe<[0, 0] -> [2, 0]>, #ttl.pipe<[0, 0] -> [3, 0]>]
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  ttl.datamovement_kernel @dm {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
    // CODE: scf.for %pipe = %c0 to %c3 step %c1 {
    // CODE-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %pipe, %c0
    // CODE-NEXT: scf.if %[[FIRST]] {
    // CODE: ttkernel.noc_semaphore_wait %net_ready{{.*}}, %c3
    // CODE-NEXT: ttkernel.noc_semaphore_set %net_ready{{.*}}, %c0
    // CODE-NEXT: }
    // CODE-NEXT: %[[NODE:.*]] = arith.addi %pipe, %c1
    // CODE-NEXT: %[[X:.*]] = ttkernel.get_common_arg_val %[[NODE]]
    // CODE-NEXT: %remote_got = ttkernel.get_noc_addr_xy %[[X]], %{{.*}}, %got_address
    // CODE-NEXT: ttkernel.noc_async_write %sent_address, %remote_got, %c2048
    // CODE: ttkernel.noc_semaphore_set_remote %one_address, %remote_net_valid
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.dfb_push %in with : <[1, 1], !tile>
    ttl.dfb_pop %out with : <[1, 1], !tile>
  }
}

// Two nets with different pipes, along rows and along columns, have semaphores of their own and share "one".
// CHECK-LABEL: ttl.operation @rows_and_columns
// CHECK: ttl.create_pipe_net "rows" {{.*}}ttl.protocol = "early"
// CHECK: ttl.create_pipe_net "columns" {{.*}}ttl.protocol = "early"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "rows_ready" = 0
// CHECK-NEXT: ttl.create_semaphore "rows_valid" = 0
// CHECK-NEXT: ttl.create_semaphore "columns_ready" = 0
// CHECK-NEXT: ttl.create_semaphore "columns_valid" = 0
// CHECK-NEXT: ttl.datamovement_kernel
ttl.operation @rows_and_columns() grid <3x2> {
  %rows = ttl.create_pipe_net "rows" [#ttl.pipe<[0, 0] -> [1:3, 0]>, #ttl.pipe<[0, 1] -> [1:3, 1]>]
  %columns = ttl.create_pipe_net "columns" [#ttl.pipe<[0, 0] -> [0, 1]>, #ttl.pipe<[1, 0] -> [1, 1]>, #ttl.pipe<[2, 0] -> [2, 1]>]
  %a_dfb = ttl.create_dfb "a" : !dfb
  %b_dfb = ttl.create_dfb "b" : !dfb
  ttl.datamovement_kernel @share_a {
    %a = ttl.dfb_reserve %a_dfb : <[1, 1], !tile, 2>
    ttl.if_pipe_src %rows {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %a to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    ttl.if_pipe_dst %rows {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %a : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.dfb_push %a with : <[1, 1], !tile>
  }
  ttl.datamovement_kernel @share_b {
    %b = ttl.dfb_reserve %b_dfb : <[1, 1], !tile, 2>
    ttl.if_pipe_src %columns {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %b to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    ttl.if_pipe_dst %columns {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %b : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.dfb_push %b with : <[1, 1], !tile>
  }
}

// Two nets with the same pipes share semaphores where, on every node, the first is done before the second begins.
// CHECK-LABEL: ttl.operation @one_after_the_other
// CHECK: ttl.create_pipe_net "first" {{.*}}ttl.ready = ["first_ready"], ttl.valid = ["first_valid"]
// CHECK: ttl.create_pipe_net "second" {{.*}}ttl.ready = ["first_ready"], ttl.valid = ["first_valid"], {{.*}}with the semaphores of first, which is done by then
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "first_ready" = 0 {{.*}}ttl.nets = ["first", "second"]
// CHECK-NEXT: ttl.create_semaphore "first_valid" = 0 {{.*}}ttl.nets = ["first", "second"]
// CHECK-NEXT: ttl.datamovement_kernel
ttl.operation @one_after_the_other() grid <1x3> {
  %first = ttl.create_pipe_net "first" [#ttl.pipe<[0, 0] -> [0, 1:3]>]
  %second = ttl.create_pipe_net "second" [#ttl.pipe<[0, 0] -> [0, 1:3]>]
  %dfb = ttl.create_dfb "dfb" : !dfb
  ttl.datamovement_kernel @share {
    affine.for %step = 0 to 3 {
      %a = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
      ttl.if_pipe_src %first {
      ^bb0(%pipe: !ttl.pipe<src>):
        %xf = ttl.copy %a to %pipe : !block, !ttl.pipe<src>
        ttl.wait %xf explicit
      }
      ttl.if_pipe_dst %first {
      ^bb0(%pipe: !ttl.pipe<dst>):
        %xf = ttl.copy %pipe to %a : !ttl.pipe<dst>, !block
        ttl.wait %xf explicit
      }
      ttl.dfb_push %a with : <[1, 1], !tile>
      %b = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
      ttl.if_pipe_src %second {
      ^bb0(%pipe: !ttl.pipe<src>):
        %xf = ttl.copy %b to %pipe : !block, !ttl.pipe<src>
        ttl.wait %xf explicit
      }
      ttl.if_pipe_dst %second {
      ^bb0(%pipe: !ttl.pipe<dst>):
        %xf = ttl.copy %pipe to %b : !ttl.pipe<dst>, !block
        ttl.wait %xf explicit
      }
      ttl.dfb_push %b with : <[1, 1], !tile>
    }
  }
}
