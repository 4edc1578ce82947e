// RUN: ttl-opt %s -p ttl-plan-pipes | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-pipes,convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel | filecheck %s --check-prefix=CODE
// RUN: ttl-opt %s -p ttl-plan-pipes,ttl-plan-pipes | filecheck %s

// The first row of nodes sends to its columns: one pattern, so one guard for those that send and one for those that
// receive. The receiver's block is there on every node before anything is sent.
// CHECK: ttl.create_pipe_net "net"
// CHECK-SAME: ttl.protocol = "early"
// CHECK: ttl.create_semaphore "one" = 1
// CHECK: ttl.create_semaphore "net_ready" = 0
// CHECK: ttl.create_semaphore "net_valid" = 0
// CHECK-NOT: ttl.create_semaphore

// CODE: ttkernel.kernel @dm
// CODE: ttkernel.cb_reserve_back
// CODE: arith.cmpi sge
// CODE: ttkernel.noc_semaphore_inc
// CODE: arith.cmpi eq
// CODE: ttkernel.noc_semaphore_wait %net_ready
// CODE: ttkernel.noc_async_write_multicast
// CODE: ttkernel.noc_semaphore_set_multicast
// CODE: ttkernel.noc_async_writes_flushed
// CODE: arith.cmpi sge
// CODE-NOT: arith.cmpi
// CODE: ttkernel.noc_semaphore_wait %net_valid
// CODE: ttkernel.cb_push_back
// CODE: ttkernel.noc_async_write_barrier
// CODE-NEXT: ttkernel.noc_async_atomic_barrier
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @scatter(%a: tensor<64x32xbf16, #encoding>) grid <2x3> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [0, 1:3]>, #ttl.pipe<[1, 0] -> [1, 1:3]>]
  %a_accessor = ttl.tensor_accessor %a : tensor<64x32xbf16, #encoding>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x, %y = ttl.node : index, index
  ttl.datamovement_kernel @dm {
    %blk = ttl.dfb_reserve %dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %c0 = arith.constant 0 : index
      %s = ttl.tensor_slice %a_accessor[%x, %c0] : !ttl.accessor<tensor<64x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
      %xf = ttl.copy %s to %blk : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
      ttl.wait %xf explicit
      %sent = ttl.copy %blk to %pipe : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.pipe<src>
      ttl.wait %sent explicit
    }
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %got = ttl.copy %pipe to %blk : !ttl.pipe<dst>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
      ttl.wait %got explicit
    }
    ttl.dfb_push %blk with : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
