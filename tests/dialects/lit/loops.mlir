// RUN: ttl-opt %s -p licm | filecheck %s
// RUN: ttl-opt %s -p lower-affine --print-debuginfo | filecheck %s --check-prefix=LOWER

// Expressions that do not change leave the loop; waits stay in it. What lower-affine makes keeps its place.
// CHECK-LABEL: ttl.operation @loop
// CHECK: ttl.block_exp
// CHECK-NEXT: affine.for
// CHECK-NEXT: ttl.dfb_wait
// LOWER: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// LOWER-NOT: loc(unknown)
// LOWER: } loc({{.*}}loops.mlir":16:5)
ttl.operation @loop() grid <1x1> {
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %value = ttl.block_fill {value = 1.0 : f64, shape = array<i64: 1, 1>} : -> tensor<1x1x!ttl.tile<32x32, whole>>
    affine.for %i = 0 to 4 {
      %e = ttl.block_exp %value {approx = false, scale = 1.0 : f64} : tensor<1x1x!ttl.tile<32x32, whole>> -> tensor<1x1x!ttl.tile<32x32, real>>
      %blk = ttl.dfb_wait %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      ttl.block_store %e, %blk : tensor<1x1x!ttl.tile<32x32, real>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    }
  }
}
