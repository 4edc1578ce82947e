// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions)' | filecheck %s

// Everything between the blocks that are read and the one that is stored is one region; each block is an input once.
// CHECK-LABEL: ttl.operation @one_expression
// CHECK: ttl.compute_region ins(%a_blk, %b_blk : {{.*}}) outs(%[[OUT:[0-9a-z_]+]] : {{.*}}) attributes {space = array<i64: 1, 2>, ttl.why = "a + b, exp and a * b are computed together in the registers, with no buffer between them"} {
// CHECK-NEXT: ^{{.*}}(%[[A:.*]]: !ttl.tile<32x32, bf16>, %[[B:.*]]: !ttl.tile<32x32, bf16>, %{{.*}}: !ttl.tile<32x32, bf16>):
// CHECK-DAG: %[[LEFT:.*]] = ttl.tile_read %[[A]] {strides = array<i64: 0, 1>, mode = "plain", offset = 0 : i64}
// CHECK-DAG: %[[RIGHT:.*]] = ttl.tile_read %[[B]]
// CHECK: %[[SUM:.*]] = ttl.tile_compute add %[[LEFT]], %[[RIGHT]]
// CHECK-NEXT: %[[EXP:.*]] = ttl.tile_compute exp %[[SUM]]
// CHECK-NEXT: %[[PRODUCT:.*]] = ttl.tile_compute mul %[[EXP]], %[[LEFT]]
// CHECK-NEXT: ttl.yield %[[PRODUCT]]
// CHECK-NOT: ttl.block_
ttl.operation @one_expression() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_add %a_value, %b_value : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_exp %0 {approx = false, scale = 1.000000e+00 : f64} : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_mul %1, %a_value : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %2, %3 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %3 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
}

// Stores that share a value are one region, which computes it once.
// CHECK-LABEL: ttl.operation @several_outputs
// CHECK: ttl.compute_region {{.*}} outs(%{{[^ ]*}}, %{{[^ ]*}} :
// CHECK: %[[EXP:.*]] = ttl.tile_compute exp
// CHECK-NOT: ttl.tile_compute exp
// CHECK-DAG: %[[NEG:.*]] = ttl.tile_compute neg %[[EXP]]
// CHECK-DAG: %[[ABS:.*]] = ttl.tile_compute abs %[[EXP]]
// CHECK: ttl.yield %[[NEG]], %[[ABS]]
ttl.operation @several_outputs() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %2 = ttl.dfb_reserve %y : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %3 = ttl.block_neg %0 : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    ttl.block_store %3, %1 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    %4 = ttl.block_abs %0 : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    ttl.block_store %4, %2 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
}

// Stores that share nothing are not.
// CHECK-LABEL: ttl.operation @nothing_in_common
// CHECK-COUNT-2: ttl.compute_region
ttl.operation @nothing_in_common() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.dfb_reserve %x : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %1 = ttl.dfb_reserve %y : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %2 = ttl.block_neg %a_value : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    ttl.block_store %2, %0 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    %3 = ttl.block_abs %b_value : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    ttl.block_store %3, %1 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %0 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
}

// Nor are one that reduces within tiles and one that does not: the packer writes the lanes of the reduction only.
// CHECK-LABEL: ttl.operation @lanes
// CHECK-COUNT-2: ttl.compute_region
ttl.operation @lanes() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %1 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %2 = ttl.block_transpose %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.block_reduce_max %a_value {dims = array<i64: -1>} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %4 = ttl.block_add %2, %3 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    ttl.block_store %4, %0 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_store %2, %1 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %0 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// A product is added to what the sum adds it to; transposing and repeating are ways to read.
// CHECK-LABEL: ttl.operation @products
// CHECK: %[[C:.*]] = ttl.tile_read %{{.*}} {strides = array<i64: 1, 0>, mode = "column"
// CHECK: ttl.tile_matmul %{{.*}}, %{{.*}} onto %[[C]] {depth = 3 : i64, left_strides = array<i64: 3, 0>, right_strides = array<i64: 0, 0>, left_step = 1 : i64, right_step = 1 : i64, transposed = true}
ttl.operation @products() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 3], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 3], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 3], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 3], !ttl.tile<32x32, bf16>, 1>
    %c_blk = ttl.dfb_wait %c : <[2, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 3], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 3], !ttl.tile<32x32, bf16>>
    %c_value = ttl.block_read %c_blk : <[2, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_broadcast %c_value {dims = array<i64: -1>, shape = array<i64: 2, 1>} : tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_transpose %b_value : tensor<1x3x!ttl.tile<32x32, bf16>> -> tensor<3x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_matmul %a_value, %1 : tensor<2x3x!ttl.tile<32x32, bf16>>, tensor<3x1x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.block_add %0, %2 : tensor<2x1x!ttl.tile<32x32, bf16>>, tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
    %4 = ttl.dfb_reserve %x : <[2, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %4 : tensor<2x1x!ttl.tile<32x32, bf16>> -> <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %4 explicit : <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 3], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 3], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %c_blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
  }
}

// A reduction goes along the reduced dimension of its input, and multiplies with a scaler.
// CHECK-LABEL: ttl.operation @reductions
// CHECK: ttl.tile_reduce %{{.*}} scaled %{{.*}} {pool = "sum", within = "columns", strides = array<i64: 3, 0>, extents = array<i64: 3>, steps = array<i64: 1>}
ttl.operation @reductions() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 3], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 3], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 3], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_reduce_sum %a_value {dims = array<i64: -1>} : tensor<2x3x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[2, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<2x1x!ttl.tile<32x32, bf16>> -> <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 3], !ttl.tile<32x32, bf16>>
  }
}

// Along an outer dimension whole tiles are combined.
// CHECK-LABEL: ttl.operation @whole_tiles
// CHECK: %[[FIRST:.*]] = ttl.tile_read {{.*}} offset = 0 : i64
// CHECK: %[[SECOND:.*]] = ttl.tile_read {{.*}} offset = 2 : i64
// CHECK: %[[TWO:.*]] = ttl.tile_compute max %[[FIRST]], %[[SECOND]]
// CHECK: %[[THIRD:.*]] = ttl.tile_read {{.*}} offset = 4 : i64
// CHECK: %[[ALL:.*]] = ttl.tile_compute max %[[TWO]], %[[THIRD]]
// CHECK-NEXT: ttl.yield %[[ALL]]
ttl.operation @whole_tiles() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[3, 1, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[3, 1, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[3, 1, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_reduce_max %a_value {dims = array<i64: 0>} : tensor<3x1x2x!ttl.tile<32x32, bf16>> -> tensor<1x1x2x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[1, 1, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<1x1x2x!ttl.tile<32x32, bf16>> -> <[1, 1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[1, 1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[3, 1, 2], !ttl.tile<32x32, bf16>>
  }
}

// A loop that keeps its value in the registers is three regions: the first value, a turn, and what is stored.
// CHECK-LABEL: ttl.operation @carried
// CHECK: %[[FIRST:.*]] = ttl.compute_region ins(%a_blk : {{.*}}) outs()
// CHECK: } -> tensor<1x2x!ttl.tile<32x32, bf16>>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[SO_FAR:.*]] = %[[FIRST]])
// CHECK: ttl.compute_region ins(%[[SO_FAR]], %{{.*}}) outs()
// CHECK: } {ttl.in_dst
// CHECK: ttl.compute_region ins(%[[SUM]] : {{.*}}) outs(%{{.*}} :
// CHECK: ttl.tile_compute relu
ttl.operation @carried() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %3 = scf.for %4 = %0 to %1 step %2 iter_args(%5 = %a_value) -> (tensor<1x2x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.dfb_wait %d : <[1, 2], !ttl.tile<32x32, bf16>, 2>
      %7 = ttl.block_read %6 : <[1, 2], !ttl.tile<32x32, bf16>>
      %8 = ttl.block_add %5, %7 : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
      ttl.dfb_pop %6 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
      scf.yield %8 : tensor<1x2x!ttl.tile<32x32, bf16>>
    }
    %9 = ttl.block_relu %3 : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %10 = ttl.dfb_reserve %x : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %9, %10 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
}

// One that keeps several has them in places of their own, in one order; equal first values are computed for each.
// CHECK-LABEL: ttl.operation @several_carried
// CHECK: %[[FIRST:.*]], %[[SECOND:.*]] = ttl.compute_region ins() outs()
// CHECK-COUNT-2: ttl.tile_compute fill
// CHECK: iter_args(%[[S:.*]] = %[[FIRST]], %[[Q:.*]] = %[[SECOND]])
// CHECK: ttl.compute_region ins(%[[S]], %[[Q]], %{{.*}}) outs()
// CHECK: ttl.compute_region ins(%s, %q : {{.*}}) outs(%{{.*}}, %{{.*}} :
ttl.operation @several_carried() grid <1x1> {
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %zero = ttl.block_fill {value = 0 : i64, shape = array<i64: 1, 1>} : -> tensor<1x1x!ttl.tile<32x32, whole>>
    %zeros = ttl.retype %zero : tensor<1x1x!ttl.tile<32x32, whole>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %s, %q = scf.for %3 = %0 to %1 step %2 iter_args(%4 = %zeros, %5 = %zeros) -> (tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %7 = ttl.block_read %6 : <[1, 1], !ttl.tile<32x32, bf16>>
      %8 = ttl.block_add %4, %7 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      %9 = ttl.block_square %7 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      %10 = ttl.block_add %5, %9 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.dfb_pop %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
      scf.yield %8, %10 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    %11 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %12 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %s, %11 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    %13 = ttl.block_sub %q, %s : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    ttl.block_store %13, %12 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %12 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %11 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// A section begins before the block of the first value is given back, and stays open until the sum is stored.
// CHECK-LABEL: ttl.operation @given_back_before
// CHECK-NOT: compiler
// CHECK: %[[FIRST:.*]] = ttl.compute_region ins(%a_blk : {{.*}}) outs()
// CHECK: ttl.dfb_pop %a_blk
// CHECK: iter_args(%{{.*}} = %[[FIRST]])
ttl.operation @given_back_before() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %c_blk = ttl.dfb_wait %c : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %c_value = ttl.block_read %c_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %3 = scf.for %4 = %0 to %1 step %2 iter_args(%5 = %a_value) -> (tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %7 = ttl.block_read %6 : <[1, 1], !ttl.tile<32x32, bf16>>
      %8 = ttl.block_add %5, %7 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.dfb_pop %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
      scf.yield %8 : tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    %9 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %9 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %9 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %10 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %c_value, %10 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %c_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Where another block is given back in between that something else is computed from, there is none.
// CHECK-LABEL: ttl.operation @more_given_back
// CHECK: ttl.create_dfb {{.*}}made_by = "compiler"
// CHECK-NOT: ttl.in_dst
// CHECK: ttl.dfb_push
ttl.operation @more_given_back() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %c_blk = ttl.dfb_wait %c : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %c_value = ttl.block_read %c_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %c_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %3 = scf.for %4 = %0 to %1 step %2 iter_args(%5 = %a_value) -> (tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %7 = ttl.block_read %6 : <[1, 1], !ttl.tile<32x32, bf16>>
      %8 = ttl.block_add %5, %7 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.dfb_pop %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
      scf.yield %8 : tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    %9 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %9 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %9 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %10 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %c_value, %10 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Nor does a section stay open where it is given back after the loop: the sum is stored before that.
// CHECK-LABEL: ttl.operation @given_back_after
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: ttl.in_dst
// CHECK: ttl.compute_region ins(%[[SUM]]
// CHECK: ttl.compute_region ins(%c_blk
// CHECK: ttl.dfb_pop %c_blk
ttl.operation @given_back_after() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %c_blk = ttl.dfb_wait %c : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %c_value = ttl.block_read %c_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %10 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %3 = scf.for %4 = %0 to %1 step %2 iter_args(%5 = %a_value) -> (tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %7 = ttl.block_read %6 : <[1, 1], !ttl.tile<32x32, bf16>>
      %8 = ttl.block_add %5, %7 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.dfb_pop %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
      scf.yield %8 : tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    ttl.dfb_pop %c_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %9 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %9 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %9 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_store %c_value, %10 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
