// RUN: ttl-opt %s -p ttl-form-regions --verify-diagnostics

// Regions are formed of values that ttl-materialize has put into buffers where they are read from one.
ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    // expected-error@+1 {{not ready for the pass ttl-form-regions: the matrix product reads this from a circular buffer, where ttl-materialize puts it}}
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_matmul %0, %a_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
