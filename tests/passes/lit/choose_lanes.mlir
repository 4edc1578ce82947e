// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-lanes)' | filecheck %s

!wide = tensor<2x2x!ttl.tile<32x32, bf16>>
!column = tensor<2x1x!ttl.tile<32x32, bf16>>
!row = tensor<1x2x!ttl.tile<32x32, bf16>>

// A reduction leaves its results in a column or a row of a tile. What is computed of them is computed for that column or row only
// (ttl.lanes), where nothing reads the rest of the tile.

// What this loop carries, and what comes of it after the loop, is read by broadcasts of its first column and by nothing else.
// CHECK-LABEL: ttl.operation @running_sum
ttl.operation @running_sum() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %zeros = ttl.block_fill {value = 0, shape = array<i64: 2, 1>, layout = "tile"} : -> tensor<2x1x!ttl.element<whole>>
    %0 = ttl.retype %zeros : tensor<2x1x!ttl.element<whole>> -> !column
    %1:2 = affine.for %i = 0 to 4 iter_args(%largest = %0, %total = %0) -> (!column, !column) {
      %2 = ttl.dfb_wait %a : <[2, 2], !ttl.tile<32x32, bf16>, 1>
      %3 = ttl.block_read %2 : <[2, 2], !ttl.tile<32x32, bf16>>
      %4 = ttl.block_reduce_max %3 {dims = array<i64: -1>} : !wide -> !column
      // CHECK: ttl.block_max %largest, %{{.*}} {ttl.lanes = "column"}
      %5 = ttl.block_max %largest, %4 : !column, !column -> !column
      %6 = ttl.block_sub %largest, %5 : !column, !column -> !column
      // CHECK: ttl.block_exp %{{.*}} {approx = false, scale = {{.*}}, ttl.lanes = "column"}
      %7 = ttl.block_exp %6 {approx = false, scale = 1.000000e+00 : f64} : !column -> !column
      %8 = ttl.block_broadcast %5 {dims = array<i64: -1>, shape = array<i64: 2, 2>} : !column -> !wide
      %9 = ttl.block_sub %3, %8 : !wide, !wide -> !wide
      // Powers of the whole block are computed in all of its tiles.
      // CHECK: ttl.block_exp %{{.*}} {approx = false, scale = 1.000000e+00 : f64} : tensor<2x2x
      %10 = ttl.block_exp %9 {approx = false, scale = 1.000000e+00 : f64} : !wide -> !wide
      %11 = ttl.block_reduce_sum %10 {dims = array<i64: -1>} : !wide -> !column
      %12 = ttl.block_mul %total, %7 : !column, !column -> !column
      %13 = ttl.block_add %12, %11 : !column, !column -> !column
      ttl.dfb_pop %2 explicit : <[2, 2], !ttl.tile<32x32, bf16>>
      affine.yield %5, %13 : !column, !column
    }
    // CHECK: ttl.block_recip %{{.*}} {ttl.lanes = "column"}
    %14 = ttl.block_recip %1#1 : !column -> !column
    %15 = ttl.block_broadcast %14 {dims = array<i64: -1>, shape = array<i64: 2, 2>} : !column -> !wide
    %16 = ttl.dfb_reserve %x : <[2, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %15, %16 : !wide -> <[2, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %16 explicit : <[2, 2], !ttl.tile<32x32, bf16>>
  }
}

// In a block of the results of a reduction nothing else is defined, wherever it is stored. A block that arrives is defined as a whole,
// and a product reads whole tiles.
// CHECK-LABEL: ttl.operation @stored
ttl.operation @stored() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
  %r = ttl.create_dfb "r" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %0 = ttl.dfb_wait %a : <[2, 2], !ttl.tile<32x32, bf16>, 1>
    %1 = ttl.dfb_wait %c : <[2, 1], !ttl.tile<32x32, bf16>, 1>
    %2 = ttl.block_read %0 : <[2, 2], !ttl.tile<32x32, bf16>>
    %3 = ttl.block_read %1 : <[2, 1], !ttl.tile<32x32, bf16>>
    %4 = ttl.block_reduce_sum %2 {dims = array<i64: -2>} : !wide -> !row
    // CHECK: ttl.block_recip %{{.*}} {ttl.lanes = "row"}
    %5 = ttl.block_recip %4 : !row -> !row
    %6 = ttl.dfb_reserve %r : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %5, %6 : !row -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %6 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    %7 = ttl.block_reduce_max %2 {dims = array<i64: -1>} : !wide -> !column
    // Of a reduction and a block that arrived, only the column of the reduction is defined.
    // CHECK: ttl.block_max %{{.*}}, %{{.*}} {ttl.lanes = "column"}
    %8 = ttl.block_max %7, %3 : !column, !column -> !column
    // The block that arrived is defined as a whole.
    // CHECK: ttl.block_recip %{{[0-9]+}} : tensor<2x1x
    %9 = ttl.block_recip %3 : !column -> !column
    %10 = ttl.block_where %3, %8, %9 : !column, !column, !column -> !column
    %11 = ttl.dfb_reserve %c : <[2, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %10, %11 : !column -> <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %11 explicit : <[2, 1], !ttl.tile<32x32, bf16>>
    %12 = ttl.block_transpose %3 : !column -> !row
    // The product reads whole tiles.
    // CHECK: ttl.block_exp %{{.*}} {approx = false, scale = 1.000000e+00 : f64} : tensor<1x2x
    %13 = ttl.block_exp %12 {approx = false, scale = 1.000000e+00 : f64} : !row -> !row
    %14 = ttl.block_matmul %13, %3 : !row, !column -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %15 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %14, %15 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %15 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %0 explicit : <[2, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %1 explicit : <[2, 1], !ttl.tile<32x32, bf16>>
  }
}
