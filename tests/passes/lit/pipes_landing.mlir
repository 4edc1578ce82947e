// RUN: ttl-opt %s -p ttl-plan-pipes | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-pipes,ttl-plan-pipes | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-pipes,convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-canonicalize | filecheck %s --check-prefix=CODE

// The protocols "late" and "staged", for messages whose sender does not know the address of the receiver's block (where it
// does, see pipes.mlir). With "late" the receiver sends the address when it receives. With "staged" messages land in a buffer
// that the compiler adds, and the receiver copies them into its blocks.

!tile = !ttl.tile<32x32, bf16>
!dfb = !ttl.dfb<[1, 1], !tile, 2>
!block = !ttl.block<[1, 1], !tile>

// A gather: one node receives from three others, one message after the other. The others only send, so they can wait for it.
// The receiver adds the address of its block to the semaphore "ready" of the sender. No buffer is needed.
// CHECK-LABEL: ttl.operation @gather
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "late"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "net_ready" = 0 {{.*}}ttl.why = "a semaphore where a receiver of net says where its block is"
// CHECK-NEXT: ttl.create_semaphore "net_valid" = 0
// CHECK-NEXT: ttl.datamovement_kernel
// CODE-LABEL: ttkernel.program @gather
ttl.operation @gather() grid <4x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[1, 0] -> [0, 0]>, #ttl.pipe<[2, 0] -> [0, 0]>, #ttl.pipe<[3, 0] -> [0, 0]>]
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  ttl.datamovement_kernel @dm {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    // The semaphore holds 0 until the receiver has added its address. The message goes to that address.
    // CODE: ttkernel.noc_semaphore_wait_min %net_ready, %c1
    // CODE-NEXT: %[[ADDRESS:.*]] = ttkernel.load_semaphore %net_ready
    // CODE: ttkernel.noc_semaphore_set %net_ready, %c0
    // CODE: %[[BLOCK:.*]] = ttkernel.get_noc_addr_xy %{{.*}}, %{{.*}}, %[[ADDRESS]]
    // CODE: ttkernel.noc_async_write %sent_address, %[[BLOCK]], %c2048
    // CODE: ttkernel.noc_semaphore_set_remote %one_address, %remote_net_valid
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    // For each pipe, the receiver sends the address of a block and waits for the message.
    // CODE: scf.for %pipe = %{{.*}} to %c3
    // CODE: ttkernel.cb_reserve_back %got
    // CODE: ttkernel.noc_semaphore_inc %remote_net_ready, %got_address
    // CODE-NEXT: ttkernel.noc_semaphore_wait %net_valid{{.*}}, %c1
    // CODE-NEXT: ttkernel.noc_semaphore_set %net_valid{{.*}}, %c0
    // CODE-NEXT: ttkernel.cb_push_back %got
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
      %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
      ttl.dfb_push %in with : <[1, 1], !tile>
    }
    ttl.dfb_pop %out with : <[1, 1], !tile>
  }
}

// All nodes send to all, themselves included. If each waited for a receiver that sends first, none would continue. So there is
// room for one message from each of the four nodes, with a semaphore "valid" for each. The semaphore "free" counts the
// receivers that have taken the last message, and begins with all of them.
// CHECK-LABEL: ttl.operation @all_to_all
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "staged"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "net_free" = 4
// CHECK-NEXT: ttl.create_semaphore "net_valid" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid_2" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid_3" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid_4" = 0
// CHECK-NEXT: ttl.create_dfb "net_landing" {ttl.made_by = "compiler", {{.*}} : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 4>
// CHECK-NEXT: ttl.datamovement_kernel
// CODE-LABEL: ttkernel.program @all_to_all
// CODE: ttkernel.circular_buffer @net_landing index 2 pages 4 of 2048 bytes : !ttl.tile<32x32, bf16> by compiler
ttl.operation @all_to_all() grid <4x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [0:4, 0]>, #ttl.pipe<[1, 0] -> [0:4, 0]>, #ttl.pipe<[2, 0] -> [0:4, 0]>, #ttl.pipe<[3, 0] -> [0:4, 0]>]
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  ttl.datamovement_kernel @dm {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    // The messages of a node land in the block with the number of the node, on every node. Their semaphore "valid" has a
    // number too, and its address is computed from that number: the sender needs no pointer to it.
    // CODE: %[[NODE:.*]] = ttkernel.get_absolute_logical_x
    // CODE: %[[BYTES:.*]] = arith.muli %[[NODE]], %c2048
    // CODE-NEXT: %[[PLACE:.*]] = arith.addi %net_landing_start, %[[BYTES]]
    // CODE: ttkernel.noc_semaphore_wait %net_free, %c4
    // CODE: ttkernel.noc_semaphore_set %net_free, %c0
    // CODE-NOT: ttkernel.semaphore_of_number
    // CODE: %net_valid_address = ttkernel.semaphore_address_of_number
    // CODE: %[[ALL:.*]] = ttkernel.get_noc_multicast_addr {{.*}}, %[[PLACE]]
    // CODE-NEXT: ttkernel.noc_async_write_multicast_loopback_src %sent_address, %[[ALL]], %c2048, %c4
    // CODE: ttkernel.noc_semaphore_set_multicast_loopback_src %one_address, %all_net_valid, %c4
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    // The receiver copies the message of each node from where it landed. Then that node may send its next one.
    // CODE: scf.for %pipe = %c0 to %c4
    // CODE: ttkernel.cb_reserve_back %got
    // CODE-NOT: ttkernel.semaphore_address_of_number
    // CODE: %net_valid = ttkernel.semaphore_of_number
    // CODE-NEXT: ttkernel.noc_semaphore_wait %net_valid, %c1
    // CODE-NEXT: ttkernel.noc_semaphore_set %net_valid, %c0
    // CODE-NEXT: %[[BYTES:.*]] = arith.muli %pipe, %c2048
    // CODE-NEXT: %[[PLACE:.*]] = arith.addi %net_landing_start, %[[BYTES]]
    // CODE-NEXT: %[[LANDED:.*]] = ttkernel.get_noc_addr_local %[[PLACE]]
    // CODE-NEXT: ttkernel.noc_async_read %[[LANDED]], %got_address, %c2048
    // CODE-NEXT: ttkernel.noc_async_read_barrier
    // CODE: ttkernel.noc_semaphore_inc %remote_net_free, %c1
    // CODE-NEXT: ttkernel.cb_push_back %got
    // CODE-NOT: of_number
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
      %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
      ttl.dfb_push %in with : <[1, 1], !tile>
    }
    ttl.dfb_pop %out with : <[1, 1], !tile>
  }
}

// The first pipe of a node has one counter of free receivers, the second pipe another one. Nodes have different numbers of
// receivers, and a counter begins with the largest of them; a node with fewer leaves the rest in the counter. Pipes without a
// common receiver share a place to land, so four pipes have three places.
// CHECK-LABEL: ttl.operation @unequal_pipes
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "staged"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK-NEXT: ttl.create_semaphore "net_free" = 3
// CHECK-NEXT: ttl.create_semaphore "net_free_2" = 1
// CHECK-NEXT: ttl.create_semaphore "net_valid" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid_2" = 0
// CHECK-NEXT: ttl.create_semaphore "net_valid_3" = 0
// CHECK-NEXT: ttl.create_dfb "net_landing" {{.*}} : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 3>
// CHECK-NEXT: ttl.datamovement_kernel
// CODE-LABEL: ttkernel.program @unequal_pipes
ttl.operation @unequal_pipes() grid <3x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [0:2, 0]>, #ttl.pipe<[1, 0] -> [0:3, 0]>, #ttl.pipe<[0, 0] -> [2, 0]>, #ttl.pipe<[2, 0] -> [0, 0]>]
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  ttl.datamovement_kernel @dm {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    // CODE: scf.for %pipe
    // CODE: %[[REST:.*]] = arith.subi %[[MOST:.*]], %{{.*}} : index
    // CODE-NEXT: ttkernel.noc_semaphore_wait %net_free, %[[MOST]]
    // CODE-NEXT: ttkernel.noc_semaphore_set %net_free, %[[REST]]
    // CODE: scf.if
    // CODE: ttkernel.noc_async_write %
    // CODE: scf.if
    // CODE: ttkernel.noc_async_write_multicast_loopback_src %
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
      %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
      ttl.dfb_push %in with : <[1, 1], !tile>
    }
    ttl.dfb_pop %out with : <[1, 1], !tile>
  }
}

// A ring in which a node sends on the block that it has received. Unlike in the ring of pipes.mlir, nodes do not acquire their
// blocks before anything is sent, so messages have to land.
// CHECK-LABEL: ttl.operation @sent_on
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.protocol = "staged"
// CHECK: ttl.create_dfb "net_landing"
ttl.operation @sent_on() grid <1x4> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [0, 1]>, #ttl.pipe<[0, 1] -> [0, 2]>, #ttl.pipe<[0, 2] -> [0, 3]>, #ttl.pipe<[0, 3] -> [0, 0]>]
  %dfb = ttl.create_dfb "dfb" : !dfb
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  ttl.datamovement_kernel @forward {
    affine.for %step = 0 to 4 {
      %blk = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
      %later = arith.cmpi sgt, %step, %c0 : index
      scf.if %later {
        ttl.if_pipe_dst %net {
        ^bb0(%pipe: !ttl.pipe<dst>):
          %xf = ttl.copy %pipe to %blk : !ttl.pipe<dst>, !block
          ttl.wait %xf explicit
        }
      }
      %goes_on = arith.cmpi slt, %step, %c3 : index
      scf.if %goes_on {
        ttl.if_pipe_src %net {
        ^bb0(%pipe: !ttl.pipe<src>):
          %xf = ttl.copy %blk to %pipe : !block, !ttl.pipe<src>
          ttl.wait %xf explicit
        }
      }
      ttl.dfb_push %blk with : <[1, 1], !tile>
    }
  }
}

// One node sends over two nets in one order, and the other receives in the opposite order. Each net has a buffer where its
// messages land.
// CHECK-LABEL: ttl.operation @opposite_orders
// CHECK: ttl.create_pipe_net "first" {{.*}}ttl.protocol = "staged"
// CHECK: ttl.create_pipe_net "second" {{.*}}ttl.protocol = "staged"
// CHECK-DAG: ttl.create_dfb "first_landing"
// CHECK-DAG: ttl.create_dfb "second_landing"
// CHECK: ttl.datamovement_kernel
ttl.operation @opposite_orders() grid <2x1> {
  %first = ttl.create_pipe_net "first" [#ttl.pipe<[0, 0] -> [1, 0]>]
  %second = ttl.create_pipe_net "second" [#ttl.pipe<[0, 0] -> [1, 0]>]
  %dfb = ttl.create_dfb "dfb" : !dfb
  ttl.datamovement_kernel @dm {
    %blk = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
    ttl.if_pipe_src %first {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %blk to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    ttl.if_pipe_src %second {
    ^bb0(%pipe: !ttl.pipe<src>):
      %xf = ttl.copy %blk to %pipe : !block, !ttl.pipe<src>
      ttl.wait %xf explicit
    }
    ttl.if_pipe_dst %second {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %blk : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.if_pipe_dst %first {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %xf = ttl.copy %pipe to %blk : !ttl.pipe<dst>, !block
      ttl.wait %xf explicit
    }
    ttl.dfb_push %blk with : <[1, 1], !tile>
  }
}
