// RUN: ttl-opt %s --pass-pipeline 'builtin.module(cse,dce)' | filecheck %s

// The same expression is computed once, and a block is read once until something is stored.
// CHECK-LABEL: ttl.operation @twice
// CHECK: %[[FIRST:.*]] = ttl.block_read
// CHECK-NEXT: %[[NEG:.*]] = ttl.block_neg %[[FIRST]]
// CHECK-NEXT: ttl.block_add %[[NEG]], %[[NEG]]
// CHECK: ttl.block_store
// CHECK: %[[AGAIN:.*]] = ttl.block_read
// CHECK-NEXT: ttl.block_accumulate %[[AGAIN]]
ttl.operation @twice() grid <1x1> {
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], f32, 2>
  ttl.compute_kernel @compute {
    %blk = ttl.dfb_wait %a_dfb : <[1, 1], f32, 2>
    %first = ttl.block_read %blk : <[1, 1], f32>
    %second = ttl.block_read %blk : <[1, 1], f32>
    %a = ttl.block_neg %first : tensor<1x1xf32> -> tensor<1x1xf32>
    %b = ttl.block_neg %second : tensor<1x1xf32> -> tensor<1x1xf32>
    %sum = ttl.block_add %a, %b : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
    ttl.block_store %sum, %blk : tensor<1x1xf32> -> <[1, 1], f32>
    %again = ttl.block_read %blk : <[1, 1], f32>
    ttl.block_accumulate %again, %blk : tensor<1x1xf32> -> <[1, 1], f32>
  }
}
