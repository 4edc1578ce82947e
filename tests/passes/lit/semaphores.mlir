// RUN: ttl-opt %s -p convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-canonicalize | filecheck %s

// A barrier: the first node waits until the other three have counted, and then sets the semaphore of all nodes. The network
// copies a word to the other nodes; the word is a semaphore that the compiler adds. The first node sets its own semaphore
// itself.
// CHECK-LABEL: ttkernel.program @barrier
// CHECK: ttkernel.declare_semaphore @done id 0 = 0
// CHECK-NEXT: ttkernel.declare_semaphore @go id 1 = 0
// CHECK-NEXT: ttkernel.declare_semaphore @dm_word id 2 = 0
// CHECK-NEXT: ttkernel.kernel @dm
ttl.operation @barrier() grid <2x2> {
  %done = ttl.create_semaphore "done" = 0
  %go = ttl.create_semaphore "go" = 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %node = ttl.node : index
  %first = ttl.get_remote_semaphore %done at[%c0, %c0]
  %everyone = ttl.get_remote_multicast_semaphore %go from[] to[]
  ttl.datamovement_kernel @dm {
    %is_first = arith.cmpi eq, %node, %c0 : index
    scf.if %is_first {
      // CHECK: scf.if %is_first {
      // CHECK: ttkernel.noc_semaphore_wait %done, %c3
      // CHECK: ttkernel.noc_semaphore_set %go, %c1
      // CHECK: ttkernel.noc_semaphore_set %dm_word, %c1
      // CHECK: %[[GO:.*]] = ttkernel.get_semaphore_address %go
      // CHECK: %[[ALL:.*]] = ttkernel.get_noc_multicast_addr %{{.*}}, %[[GO]]
      // CHECK-NEXT: %[[WORD:.*]] = ttkernel.get_semaphore_address %dm_word
      // CHECK-NEXT: ttkernel.noc_semaphore_set_multicast %[[WORD]], %[[ALL]], %c3
      ttl.semaphore_wait %done eq %c3
      ttl.semaphore_set %everyone, %c1 : !ttl.remote_semaphore<multicast>
    } else {
      // CHECK-NEXT: } else {
      // CHECK: %[[DONE:.*]] = ttkernel.get_semaphore_address %done
      // CHECK: %[[FIRST:.*]] = ttkernel.get_noc_addr_xy %{{.*}}, %{{.*}}, %[[DONE]]
      // CHECK-NEXT: ttkernel.noc_semaphore_inc %[[FIRST]], %c1
      // CHECK: ttkernel.noc_semaphore_wait_min %go{{.*}}, %c1
      ttl.semaphore_inc %first, %c1 : !ttl.remote_semaphore<unicast>
      ttl.semaphore_wait %go ge %c1
    }
  }
}

// A range of nodes. If the node that sets them is one of them, it sets its own semaphore, and the network reaches one node
// fewer.
// CHECK-LABEL: ttkernel.program @range
ttl.operation @range() grid <3x2> {
  %turn = ttl.create_semaphore "turn" = 7
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  ttl.datamovement_kernel @dm {
    // CHECK: %[[X:.*]] = ttkernel.get_absolute_logical_x
    // CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi sge, %[[X]], %c1
    // CHECK: %[[SELF:.*]] = arith.select %[[INSIDE]], %c1, %c0
    // CHECK: %[[OTHERS:.*]] = arith.subi %c4, %[[SELF]]
    // CHECK: scf.if %[[INSIDE]] {
    // CHECK-NEXT: ttkernel.noc_semaphore_set %turn, %c2
    // CHECK-NEXT: }
    // CHECK: %[[FIRST:.*]] = ttkernel.common_arg "noc_x(1)"
    // CHECK: %[[LAST:.*]] = ttkernel.common_arg "noc_x(2)"
    // CHECK: ttkernel.get_noc_multicast_addr %[[FIRST]], %{{.*}}, %[[LAST]]
    // CHECK: ttkernel.noc_semaphore_set_multicast %{{.*}}, %{{.*}}, %[[OTHERS]]
    %some = ttl.get_remote_multicast_semaphore %turn from[%c1, %c0] to[%c3, %c2]
    ttl.semaphore_set %some, %c2 : !ttl.remote_semaphore<multicast>
  }
}

// A value is written to the semaphore of one other node.
// CHECK-LABEL: ttkernel.program @other
ttl.operation @other() grid <2x1> {
  %turn = ttl.create_semaphore "turn" = 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  ttl.datamovement_kernel @dm {
    // CHECK: %[[TURN:.*]] = ttkernel.get_semaphore_address %turn
    // CHECK: %[[X:.*]] = ttkernel.common_arg "noc_x(1)"
    // CHECK: %[[THERE:.*]] = ttkernel.get_noc_addr_xy %[[X]], %{{.*}}, %[[TURN]]
    // CHECK-NEXT: ttkernel.noc_inline_dw_write %[[THERE]], %c5
    %other = ttl.get_remote_semaphore %turn at[%c1, %c0]
    ttl.semaphore_set %other, %c5 : !ttl.remote_semaphore<unicast>
  }
}
