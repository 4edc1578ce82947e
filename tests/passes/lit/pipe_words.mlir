// RUN: ttl-opt %s -p ttl-plan-pipes | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-pipes,ttl-plan-pipes | filecheck %s
// RUN: ttl-opt %s -p ttl-plan-pipes,convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel,ttkernel-canonicalize | filecheck %s --check-prefix=CODE

// A node has 16 semaphores, which the host sets before kernels start. If the nets of an operation need more, their semaphores
// become words of a buffer that the compiler adds and the kernels set. Two semaphores remain for the start: before the first
// message, every node has to have set its words.

!tile = !ttl.tile<32x32, bf16>
!dfb = !ttl.dfb<[1, 1], !tile, 2>
!block = !ttl.block<[1, 1], !tile>
!slice = !ttl.slice<[1, 1], !tile>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!row = tensor<32x512xbf16, #dram>
!accessor = !ttl.accessor<!row>

// One node receives from 15 others, with a semaphore "valid" for each. With "free", "one" and the semaphore of the program
// that makes 18. The words are 16 bytes apart.
// CHECK-LABEL: ttl.operation @gather
// CHECK: ttl.create_pipe_net "net" {{.*}}ttl.one = "words_started"
// CHECK: ttl.create_semaphore "own" = 0
// CHECK-NOT: ttl.create_semaphore "one"
// CHECK: ttl.create_semaphore "net_free" = 1 {{.*}}ttl.word = 0
// CHECK: ttl.create_semaphore "net_valid" = 0 {{.*}}ttl.word = 1
// CHECK: ttl.create_semaphore "net_valid_15" = 0 {{.*}}ttl.word = 15
// CHECK-DAG: ttl.create_dfb "pipe_words" {{.*}} : !ttl.dfb<[1, 64], ui32, 1>
// CHECK-DAG: ttl.create_semaphore "words_arrived" = 0
// CHECK-DAG: ttl.create_semaphore "words_started" = 0
// CODE-LABEL: ttkernel.program @gather
// CODE: ttkernel.declare_semaphore @own id 0 = 0
// CODE-NEXT: ttkernel.declare_semaphore @words_started id 1 = 0
// CODE-NEXT: ttkernel.declare_semaphore @words_arrived id 2 = 0
// CODE-NEXT: ttkernel.kernel @exchange
ttl.operation @gather(%a: !row, %y: !row) grid <16x1> {
  %net = ttl.create_pipe_net "net" [
    #ttl.pipe<[1, 0] -> [0, 0]>, #ttl.pipe<[2, 0] -> [0, 0]>, #ttl.pipe<[3, 0] -> [0, 0]>, #ttl.pipe<[4, 0] -> [0, 0]>, #ttl.pipe<[5, 0] -> [0, 0]>,
    #ttl.pipe<[6, 0] -> [0, 0]>, #ttl.pipe<[7, 0] -> [0, 0]>, #ttl.pipe<[8, 0] -> [0, 0]>, #ttl.pipe<[9, 0] -> [0, 0]>, #ttl.pipe<[10, 0] -> [0, 0]>,
    #ttl.pipe<[11, 0] -> [0, 0]>, #ttl.pipe<[12, 0] -> [0, 0]>, #ttl.pipe<[13, 0] -> [0, 0]>, #ttl.pipe<[14, 0] -> [0, 0]>, #ttl.pipe<[15, 0] -> [0, 0]>]
  %own = ttl.create_semaphore "own" = 0
  %a_accessor = ttl.tensor_accessor %a : !row
  %y_accessor = ttl.tensor_accessor %y : !row
  %sent = ttl.create_dfb "sent" : !dfb
  %got = ttl.create_dfb "got" : !dfb
  %c0 = arith.constant 0 : index
  %node = ttl.node : index
  // CODE-NOT: words_arrived
  ttl.datamovement_kernel @exchange {
    // The first block is read while other nodes set their words. The wait for them comes behind the read, in the first
    // iteration only.
    // CODE: scf.for %step
    // CODE: ttkernel.noc_async_read_page
    // CODE-NEXT: ttkernel.noc_async_read_barrier
    // CODE-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %step, %c0
    // CODE-NEXT: scf.if %[[FIRST]] {
    // CODE-NEXT: %words_started = ttkernel.get_semaphore @words_started
    // CODE-NEXT: ttkernel.noc_semaphore_wait %words_started, %c1
    // CODE-NEXT: }
    affine.for %step = 0 to 3 {
      %out = ttl.dfb_reserve %sent : <[1, 1], !tile, 2>
      %part = ttl.tensor_slice %a_accessor[%c0, %node] : !accessor -> !slice
      %read = ttl.copy %part to %out : !slice, !block
      ttl.wait %read explicit
      // Word 0 is "free", and the pipe of node 1 has word 1. Flags are copied from "words_started", which holds 1 from the
      // start on.
      // CODE-NEXT: %[[SENDS:.*]] = arith.cmpi sge, %node, %c1
      // CODE-NEXT: scf.if %[[SENDS]] {
      // CODE-NEXT: %[[PIPE:.*]] = arith.subi %node, %c1
      // CODE: %[[FREE:.*]] = ttkernel.semaphore_at %pipe_words_start
      // CODE-NEXT: ttkernel.noc_semaphore_wait %[[FREE]], %c1
      // CODE-NEXT: ttkernel.noc_semaphore_set %[[FREE]], %c0
      // CODE: %[[BYTES:.*]] = arith.muli %[[PIPE]], %c16
      // CODE-NEXT: %[[SUM:.*]] = arith.addi %pipe_words_start, %[[BYTES]]
      // CODE-NEXT: %[[VALID:.*]] = arith.addi %[[SUM]], %c16
      // CODE: ttkernel.noc_async_write %sent_address
      // CODE-NEXT: %[[THERE:.*]] = ttkernel.get_noc_addr_xy {{.*}}, %[[VALID]]
      // CODE-NEXT: ttkernel.noc_semaphore_set_remote %words_started_address, %[[THERE]]
      ttl.if_pipe_src %net {
      ^bb0(%pipe: !ttl.pipe<src>):
        %xf = ttl.copy %out to %pipe : !block, !ttl.pipe<src>
        ttl.wait %xf explicit
      }
      ttl.dfb_push %out with : <[1, 1], !tile>
      // CODE: scf.for %pipe = %c0 to %c15
      // CODE: %[[VALID:.*]] = ttkernel.semaphore_at
      // CODE-NEXT: ttkernel.noc_semaphore_wait %[[VALID]], %c1
      // CODE-NEXT: ttkernel.noc_semaphore_set %[[VALID]], %c0
      // CODE: ttkernel.noc_semaphore_inc %remote_pipe_words_start, %c1
      ttl.if_pipe_dst %net {
      ^bb0(%pipe: !ttl.pipe<dst>):
        %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
        %xf = ttl.copy %pipe to %in : !ttl.pipe<dst>, !block
        ttl.wait %xf explicit
        ttl.dfb_push %in with : <[1, 1], !tile>
      }
    }
  }
  // This kernel sends and receives nothing, so it sets the words of its node: "free" to 1, all others to 0. It reports that to
  // the first node, which waits for all 16 reports and then notifies every node.
  // CODE-NOT: words_arrived
  // CODE: ttkernel.kernel @keep
  // CODE: scf.for %word = %c0 to %c64 step %c4 {
  // CODE-NEXT: ttkernel.store_to_l1 %c0, %words, %word
  // CODE-NEXT: }
  // CODE: ttkernel.store_to_l1 %c1, %words, %c0
  // CODE: ttkernel.noc_semaphore_inc %{{.*}}, %c1
  // CODE: %[[FIRST:.*]] = arith.cmpi eq, %node, %c0
  // CODE-NEXT: scf.if %[[FIRST]] {
  // CODE: ttkernel.noc_semaphore_wait %words_arrived, %c16
  // CODE-NEXT: ttkernel.noc_semaphore_set %words_started, %c1
  // CODE: ttkernel.noc_semaphore_set_multicast %{{.*}}, %{{.*}}, %c15
  // CODE-NEXT: }
  // CODE: scf.for %step
  // CODE: ttkernel.noc_async_write_page
  ttl.datamovement_kernel @keep {
    affine.for %step = 0 to 3 {
      %blk = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
      %part = ttl.tensor_slice %y_accessor[%c0, %node] : !accessor -> !slice
      %xf = ttl.copy %blk to %part : !block, !slice
      ttl.wait %xf explicit
      ttl.dfb_pop %blk with : <[1, 1], !tile>
    }
  }
}
