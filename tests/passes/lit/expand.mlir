// RUN: ttl-opt %s -p ttl-expand | filecheck %s
// RUN: ttl-opt %s -p ttl-expand,ttl-expand | filecheck %s

// What has no tile function is written in what has one; numbers stand on the right; what has one stays.
// CHECK-LABEL: ttl.operation @rows
ttl.operation @rows() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    // CHECK: %[[A:.*]] = ttl.block_read
    %0 = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    // CHECK-NEXT: %[[TWO:.*]] = ttl.block_fill {value = 2 : i64
    // CHECK-NEXT: %[[MOD:.*]] = ttl.block_mod %[[A]], %[[TWO]]
    // CHECK-NEXT: %[[SUB:.*]] = ttl.block_sub %[[A]], %[[MOD]]
    // CHECK-NEXT: %[[HALF:.*]] = arith.constant 5.000000e-01 : f64
    // CHECK-NEXT: %[[MUL:.*]] = ttl.block_mul %[[SUB]], %[[HALF]]
    // CHECK-NEXT: %[[ROUND:.*]] = ttl.block_round %[[MUL]] {{.*}}ttl.why = "a // b takes 5 functions of the chip: fill, mod, sub, mul, round"
    // CHECK-NEXT: ttl.block_relu %[[ROUND]]
    %c2 = arith.constant 2 : i64
    %1 = ttl.block_floordiv %0, %c2 : tensor<1x1x!ttl.tile<32x32, bf16>>, i64 -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_relu %1 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %2, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %3 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
