// RUN: not ttl-opt %s -p ttl-plan-pipes 2>&1 | filecheck %s

// An operation with 15 semaphores of its own leaves one for its net, and words (pipe_words.mlir) would need two. The error
// counts what the semaphores are for.
// CHECK: rings takes 18 semaphores, and a node of wormhole has 16 [TTL1416]
// CHECK: what they are for:
// CHECK-NEXT: 15  signals to signals_15: a semaphore of the program
// CHECK-NEXT: 1  one: a semaphore that holds 1, to be copied into those of other nodes
// CHECK-NEXT: 1  net_free: a semaphore that counts the receivers that have the last message of net
// CHECK-NEXT: 1  net_valid: a semaphore that says that a message of net is there
// CHECK: use fewer semaphores of your own
!tile = !ttl.tile<32x32, bf16>
!block = !ttl.block<[1, 1], !tile>
ttl.operation @rings() grid <4x1> {
  %0 = ttl.create_semaphore "signals" = 0
  %1 = ttl.create_semaphore "signals" = 0
  %2 = ttl.create_semaphore "signals" = 0
  %3 = ttl.create_semaphore "signals" = 0
  %4 = ttl.create_semaphore "signals" = 0
  %5 = ttl.create_semaphore "signals" = 0
  %6 = ttl.create_semaphore "signals" = 0
  %7 = ttl.create_semaphore "signals" = 0
  %8 = ttl.create_semaphore "signals" = 0
  %9 = ttl.create_semaphore "signals" = 0
  %10 = ttl.create_semaphore "signals" = 0
  %11 = ttl.create_semaphore "signals" = 0
  %12 = ttl.create_semaphore "signals" = 0
  %13 = ttl.create_semaphore "signals" = 0
  %14 = ttl.create_semaphore "signals" = 0
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [1, 0]>, #ttl.pipe<[1, 0] -> [2, 0]>, #ttl.pipe<[2, 0] -> [3, 0]>, #ttl.pipe<[3, 0] -> [0, 0]>]
  %sent = ttl.create_dfb "sent" : !ttl.dfb<[1, 1], !tile, 2>
  %got = ttl.create_dfb "got" : !ttl.dfb<[1, 1], !tile, 2>
  ttl.datamovement_kernel @dm {
    %out = ttl.dfb_wait %sent : <[1, 1], !tile, 2>
    %in = ttl.dfb_reserve %got : <[1, 1], !tile, 2>
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
