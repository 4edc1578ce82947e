// RUN: ttl-opt %s -p ttl-narrow | filecheck %s
// RUN: ttl-opt %s --ttl-narrow{buffers=1} | filecheck %s --check-prefix=ONE

// Of two float32 buffers that the compiler made the larger one is the first to be narrower; the program's own stays.
// CHECK: ttl.operation @wide() grid <1x1> attributes {ttl.wide = 2 : i64}
// CHECK: ttl.create_dfb "large" {{.*}} : !ttl.dfb<[2, 2], !ttl.tile<32x32, f32>, 1>
// ONE: ttl.operation @wide() grid <1x1> attributes {ttl.wide = 1 : i64}
// ONE: ttl.create_dfb "own" : !ttl.dfb<[4, 4], !ttl.tile<32x32, f32>, 1>
// ONE: ttl.create_dfb "small" {{.*}} : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
// ONE: ttl.create_dfb "large" {{.*}}it is kept as bfloat16, since float32 does not fit into L1"{{.*}} : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 1>
// ONE: ttl.dfb_reserve %large : <[2, 2], !ttl.tile<32x32, bf16>, 1>
ttl.operation @wide() grid <1x1> {
  %own = ttl.create_dfb "own" : !ttl.dfb<[4, 4], !ttl.tile<32x32, f32>, 1>
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 1>
  %small = ttl.create_dfb "small" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %large = ttl.create_dfb "large" {ttl.made_by = "compiler"} : !ttl.dfb<[2, 2], !ttl.tile<32x32, f32>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %0 = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %small : <[1, 1], !ttl.tile<32x32, f32>, 1>
    ttl.block_store %0, %1 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, f32>>
    %b_blk = ttl.dfb_wait %b : <[2, 2], !ttl.tile<32x32, bf16>, 1>
    %2 = ttl.block_read %b_blk : <[2, 2], !ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %large : <[2, 2], !ttl.tile<32x32, f32>, 1>
    ttl.block_store %2, %3 : tensor<2x2x!ttl.tile<32x32, bf16>> -> <[2, 2], !ttl.tile<32x32, f32>>
  }
}
