// RUN: ttl-opt %s -p ttl-choose-mode --split-input-file --verify-diagnostics
// RUN: not ttl-opt %s -p ttl-choose-mode --split-input-file 2>&1 | filecheck %s

// One addition is rounded once, where it is stored: registers of 16 bits hold twice as many tiles.
// CHECK: ttl.operation @rounds_once() grid <1x1> attributes {ttl.fp32_dest_acc_en = false}
ttl.operation @rounds_once() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %0 = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %1 = ttl.block_add %0, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// -----

// Two of them would be rounded twice.
// CHECK: ttl.operation @rounds_twice() grid <1x1> attributes {ttl.fp32_dest_acc_en = true}
// CHECK: ttl.block_store {{.*}}ttl.why = "the registers are 32 bits wide, so that the value is rounded once
ttl.operation @rounds_twice() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %0 = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %1 = ttl.block_add %0, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_mul %1, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %2, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// -----

// Integers of 32 bits need wide registers; what the program says stays, unless it cannot be.
// CHECK: error: fp32_dest_acc_en=False leaves 16 bits for a value in the registers, and int32 has 32 [TTL1407]
ttl.operation @integers() grid <1x1> attributes {ttl.fp32_dest_acc_en = false} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, si32>, 1>
  ttl.compute_kernel @compute {
    // expected-error@+1 {{leaves 16 bits for a value in the registers, and int32 has 32}}
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, si32>, 1>
  }
}
