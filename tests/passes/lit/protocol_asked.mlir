// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-plan-pipes{protocols=net:early},convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-merge-barriers)' | filecheck %s --check-prefix=EARLY
// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-plan-pipes{protocols=net:eager},convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-merge-barriers)' | filecheck %s --check-prefix=EAGER
// RUN: not ttl-opt %s --ttl-plan-pipes{protocols=net:late} 2>&1 | filecheck %s --check-prefix=LATE
// RUN: not ttl-opt %s --ttl-plan-pipes{protocols=net:soon} 2>&1 | filecheck %s --check-prefix=SOON
// RUN: not ttl-opt %s --ttl-plan-pipes{protocols=other:staged} 2>&1 | filecheck %s --check-prefix=OTHER

// The compile option protocol.NET asks how the messages of a net get from node to node. Here node (0, 0) sends to two others.
// LATE: the compile option protocol.net=late is not possible: only one net of pipes from one node to one can do that, in an operation without semaphores of its own [TTL1461]
// LATE: legal here: early, eager, staged
// SOON: the compile option protocol.net=soon is not possible: there is no protocol soon [TTL1461]
// OTHER: the compile option protocol.other is about the net other, which operation send does not have [TTL1460]
!tile = !ttl.tile<32x32, bf16>
!blk = !ttl.block<[1, 1], !tile>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @send(%a: tensor<32x32xbf16, #dram>) grid <3x1> {
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [1:3, 0]>]
  %a_accessor = ttl.tensor_accessor %a : tensor<32x32xbf16, #dram>
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !tile, 2>
  ttl.datamovement_kernel @dm {
    %blk = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      %c0 = arith.constant 0 : index
      %0 = ttl.tensor_slice %a_accessor[%c0, %c0] : !ttl.accessor<tensor<32x32xbf16, #dram>> -> !ttl.slice<[1, 1], !tile>
      %read = ttl.copy %0 to %blk : !ttl.slice<[1, 1], !tile>, !blk
      ttl.wait %read explicit
      // The sender waits until its message has left the block; an eager one continues, and its messages have left when the kernel ends.
      // EARLY: ttkernel.noc_async_write_multicast
      // EARLY: ttkernel.noc_async_writes_flushed
      // EAGER: ttkernel.noc_async_write_multicast
      // EAGER-NOT: ttkernel.noc_async_writes_flushed
      // EAGER: ttkernel.noc_async_write_barrier
      %sent = ttl.copy %blk to %pipe : !blk, !ttl.pipe<src>
      ttl.wait %sent explicit
    }
    ttl.if_pipe_dst %net {
    ^bb0(%pipe: !ttl.pipe<dst>):
      %received = ttl.copy %pipe to %blk : !ttl.pipe<dst>, !blk
      ttl.wait %received explicit
    }
    ttl.dfb_push %blk with : <[1, 1], !tile>
  }
}
