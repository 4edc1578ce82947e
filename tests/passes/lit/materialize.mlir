// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize)' | filecheck %s

// What is read from a buffer anyway needs none: a product can read its right operand transposed.
// CHECK-LABEL: ttl.operation @of_blocks
// CHECK-NOT: compiler
// CHECK: ttl.compute_kernel
ttl.operation @of_blocks() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_transpose %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_matmul %a_value, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// The matrix unit reads both operands from circular buffers: one that is computed is stored, handed over and waited
// for, and given back after the product.
// CHECK-LABEL: ttl.operation @operand_of_a_product
// CHECK: %[[DFB:.*]] = ttl.create_dfb "temporary" {ttl.made_by = "compiler", ttl.why = "the matrix product reads it from a circular buffer"
// CHECK: %[[EXP:.*]] = ttl.block_exp
// CHECK-NEXT: %[[ROOM:.*]] = ttl.dfb_reserve %[[DFB]]
// CHECK-NEXT: ttl.block_store %[[EXP]], %[[ROOM]]
// CHECK-NEXT: ttl.dfb_push %[[ROOM]] inferred
// CHECK-NEXT: %[[BLK:.*]] = ttl.dfb_wait %[[DFB]]
// CHECK-NEXT: %[[VALUE:.*]] = ttl.block_read %[[BLK]]
// CHECK-NEXT: %[[PRODUCT:.*]] = ttl.block_matmul %[[VALUE]]
// CHECK: ttl.block_store %[[PRODUCT]]
// CHECK-NEXT: ttl.dfb_pop %[[BLK]] inferred
ttl.operation @operand_of_a_product() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_matmul %0, %a_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// So do reductions, broadcasts and transposes. A reduction brings the tile it multiplies with, which a data movement
// kernel writes.
// CHECK-LABEL: ttl.operation @operands_of_others
// CHECK-DAG: ttl.why = "a reduction reads it from a circular buffer"
// CHECK-DAG: ttl.why = "a broadcast reads it from a circular buffer"
// CHECK-DAG: ttl.why = "a transpose reads it from a circular buffer"
// CHECK-DAG: %[[ONES:.*]] = ttl.create_dfb "ones" {ttl.made_by = "compiler", ttl.why = "reductions multiply with a tile of ones"
// CHECK: ttl.compute_kernel @compute
// CHECK-NEXT: ttl.dfb_wait %[[ONES]]
// CHECK: ttl.datamovement_kernel
// CHECK-NEXT: ttl.write_scaler %[[ONES]]
ttl.operation @operands_of_others() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_neg %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_reduce_sum %0 {dims = array<i64: -1>} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_broadcast %1 {dims = array<i64: -1>, shape = array<i64: 1, 1>} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.block_abs %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %4 = ttl.block_transpose %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %5 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %4, %5 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %5 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// What computations of different shapes need is computed once.
// CHECK-LABEL: ttl.operation @shared
// CHECK: ttl.why = "the matrix product reads it from a circular buffer"
// CHECK: ttl.block_tanh
// CHECK-NOT: ttl.block_tanh
// CHECK: ttl.block_matmul
ttl.operation @shared() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[2, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 2], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[2, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_tanh %a_value : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_matmul %0, %b_value : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %2 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %3 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
  }
}

// A reduction makes the packer write some lanes only: it is computed apart.
// CHECK-LABEL: ttl.operation @beside_a_reduction
// CHECK: ttl.why = "2 computations need it"
ttl.operation @beside_a_reduction() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_tanh %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_reduce_max %a_value {dims = array<i64: -1>} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_add %1, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %3 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %4 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %2, %4 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %4 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Two values that a loop carries go through a buffer of two blocks each: one is read while the next is written.
// CHECK-LABEL: ttl.operation @two_carried
// CHECK-COUNT-2: ttl.why = "a loop carries it from one iteration to the next"{{.*}}!ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK-COUNT-2: ttl.dfb_wait
// CHECK-COUNT-2: ttl.dfb_pop
// CHECK: }
ttl.operation @two_carried() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %3, %4 = scf.for %5 = %0 to %1 step %2 iter_args(%6 = %a_value, %7 = %b_value) -> (tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %8 = ttl.block_add %6, %7 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      %9 = ttl.block_neg %6 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      scf.yield %8, %9 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    %10 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %10 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %11 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %4, %11 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %11 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// A sum over the turns of a loop stays in the registers.
// CHECK-LABEL: ttl.operation @kept_in_registers
// CHECK-NOT: compiler
// CHECK: iter_args
// CHECK: ttl.in_dst
// CHECK-SAME: ttl.why = "the sum stays in the registers over the loop: 1 tiles of 8"
ttl.operation @kept_in_registers() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
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
    %9 = ttl.block_relu %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %10 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %9, %10 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// So do several, where one section stores them.
// CHECK-LABEL: ttl.operation @several_in_registers
// CHECK-NOT: compiler
// CHECK: iter_args
// CHECK: ttl.in_dst
// CHECK-SAME: ttl.why = "the 2 sums stay in the registers over the loop: 2 tiles of 8"
ttl.operation @several_in_registers() grid <1x1> {
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

// What does not continue with them reads them from buffers, which one section after the loop fills.
// CHECK-LABEL: ttl.operation @stored_apart
// CHECK-COUNT-2: ttl.why = "what follows the loop cannot continue in the registers"
// CHECK: ttl.in_dst
// CHECK: ttl.block_store
// CHECK-NEXT: ttl.block_store
// CHECK-NEXT: ttl.dfb_push
// CHECK-NEXT: ttl.dfb_push
ttl.operation @stored_apart() grid <1x1> {
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
    ttl.block_store %s, %11 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %11 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %12 = ttl.dfb_reserve %y : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %q, %12 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %12 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Where they do not fit together, none of them stays: to store the rest, the registers have to be free.
// CHECK-LABEL: ttl.operation @several_too_large
// CHECK-COUNT-2: ttl.why = "a loop carries it from one iteration to the next"
// CHECK-NOT: ttl.in_dst
// CHECK: ttl.compute_kernel
ttl.operation @several_too_large() grid <1x1> {
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 9], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 9], !ttl.tile<32x32, bf16>, 1>
  %y = ttl.create_dfb "y" : !ttl.dfb<[1, 9], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %zero = ttl.block_fill {value = 0 : i64, shape = array<i64: 1, 9>} : -> tensor<1x9x!ttl.tile<32x32, whole>>
    %zeros = ttl.retype %zero : tensor<1x9x!ttl.tile<32x32, whole>> -> tensor<1x9x!ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %s, %q = scf.for %3 = %0 to %1 step %2 iter_args(%4 = %zeros, %5 = %zeros) -> (tensor<1x9x!ttl.tile<32x32, bf16>>, tensor<1x9x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.dfb_wait %d : <[1, 9], !ttl.tile<32x32, bf16>, 2>
      %7 = ttl.block_read %6 : <[1, 9], !ttl.tile<32x32, bf16>>
      %8 = ttl.block_add %4, %7 : tensor<1x9x!ttl.tile<32x32, bf16>>, tensor<1x9x!ttl.tile<32x32, bf16>> -> tensor<1x9x!ttl.tile<32x32, bf16>>
      %9 = ttl.block_square %7 : tensor<1x9x!ttl.tile<32x32, bf16>> -> tensor<1x9x!ttl.tile<32x32, bf16>>
      %10 = ttl.block_add %5, %9 : tensor<1x9x!ttl.tile<32x32, bf16>>, tensor<1x9x!ttl.tile<32x32, bf16>> -> tensor<1x9x!ttl.tile<32x32, bf16>>
      ttl.dfb_pop %6 explicit : <[1, 9], !ttl.tile<32x32, bf16>>
      scf.yield %8, %10 : tensor<1x9x!ttl.tile<32x32, bf16>>, tensor<1x9x!ttl.tile<32x32, bf16>>
    }
    %11 = ttl.dfb_reserve %x : <[1, 9], !ttl.tile<32x32, bf16>, 1>
    %12 = ttl.dfb_reserve %y : <[1, 9], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %s, %11 : tensor<1x9x!ttl.tile<32x32, bf16>> -> <[1, 9], !ttl.tile<32x32, bf16>>
    %13 = ttl.block_sub %q, %s : tensor<1x9x!ttl.tile<32x32, bf16>>, tensor<1x9x!ttl.tile<32x32, bf16>> -> tensor<1x9x!ttl.tile<32x32, bf16>>
    ttl.block_store %13, %12 : tensor<1x9x!ttl.tile<32x32, bf16>> -> <[1, 9], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %12 explicit : <[1, 9], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %11 explicit : <[1, 9], !ttl.tile<32x32, bf16>>
  }
}

// What follows reads it from a buffer.
// CHECK-LABEL: ttl.operation @what_follows
// CHECK: ttl.why = "what follows the loop cannot continue in the registers"
// CHECK: ttl.in_dst
ttl.operation @what_follows() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 1 : index
    %3 = scf.for %4 = %0 to %1 step %2 iter_args(%5 = %a_value) -> (tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %6 = ttl.block_add %5, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      scf.yield %6 : tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    %7 = ttl.block_matmul %3, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %8 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %7, %8 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %8 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Either branch stores what it chooses.
// CHECK-LABEL: ttl.operation @chosen
// CHECK: %[[DFB:.*]] = ttl.create_dfb {{.*}}ttl.why = "a branch chooses its value"
// CHECK: scf.if
// CHECK: ttl.dfb_reserve %[[DFB]]
// CHECK: } else {
// CHECK: ttl.dfb_reserve %[[DFB]]
// CHECK: }
// CHECK-NEXT: ttl.dfb_wait %[[DFB]]
ttl.operation @chosen() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.node_linear
    %1 = arith.constant 0 : index
    %2 = arith.cmpi eq, %0, %1 : index
    %3 = scf.if %2 -> (tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %4 = ttl.block_neg %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      scf.yield %4 : tensor<1x1x!ttl.tile<32x32, bf16>>
    } else {
      %5 = ttl.block_abs %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      scf.yield %5 : tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    %6 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %6 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// A value outlives the block it is computed from.
// CHECK-LABEL: ttl.operation @given_back
// CHECK: ttl.why = "the block it is computed from is given back before it is used"
// CHECK: ttl.block_exp
// CHECK: ttl.block_store
// CHECK: ttl.dfb_pop %a_blk
ttl.operation @given_back() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %2 = ttl.block_read %1 : <[1, 1], !ttl.tile<32x32, bf16>>
    %3 = ttl.block_add %0, %2 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %4 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %4 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %4 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %1 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// What does not change in a loop is computed before it.
// CHECK-LABEL: ttl.operation @once
// CHECK: ttl.why = "it is computed once and used in a loop or a branch"
// CHECK: ttl.block_exp
// CHECK: scf.for
// CHECK-NOT: ttl.block_exp
// CHECK: ttl.block_mul
// CHECK: }
// CHECK-NEXT: ttl.dfb_pop %{{.*}} inferred
ttl.operation @once() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %o = ttl.create_dfb "o" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = arith.constant 0 : index
    %2 = arith.constant 4 : index
    %3 = arith.constant 1 : index
    scf.for %4 = %1 to %2 step %3 {
      %5 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %6 = ttl.block_read %5 : <[1, 1], !ttl.tile<32x32, bf16>>
      %7 = ttl.block_mul %0, %6 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      %8 = ttl.dfb_reserve %o : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      ttl.block_store %7, %8 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
      ttl.dfb_push %8 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
      ttl.dfb_pop %5 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    }
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// More values at once than there are registers.
// CHECK-LABEL: ttl.operation @registers
// CHECK: ttl.why = "the expression needs {{[0-9]+}} registers and there are 4"
ttl.operation @registers() grid <1x1> attributes {ttl.fp32_dest_acc_en = true} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %e = ttl.create_dfb "e" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %f = ttl.create_dfb "f" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %g = ttl.create_dfb "g" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %h = ttl.create_dfb "h" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %i = ttl.create_dfb "i" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %j = ttl.create_dfb "j" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %c_blk = ttl.dfb_wait %c : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %d_blk = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %e_blk = ttl.dfb_wait %e : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %f_blk = ttl.dfb_wait %f : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %g_blk = ttl.dfb_wait %g : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %h_blk = ttl.dfb_wait %h : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %i_blk = ttl.dfb_wait %i : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %j_blk = ttl.dfb_wait %j : <[1, 1], !ttl.tile<32x32, f32>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %c_value = ttl.block_read %c_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %d_value = ttl.block_read %d_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %e_value = ttl.block_read %e_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %f_value = ttl.block_read %f_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %g_value = ttl.block_read %g_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %h_value = ttl.block_read %h_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %i_value = ttl.block_read %i_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %j_value = ttl.block_read %j_blk : <[1, 1], !ttl.tile<32x32, f32>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %1 = ttl.block_exp %b_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %2 = ttl.block_exp %c_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %3 = ttl.block_exp %d_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %4 = ttl.block_exp %e_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %5 = ttl.block_exp %f_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %6 = ttl.block_exp %g_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %7 = ttl.block_exp %h_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %8 = ttl.block_exp %i_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %9 = ttl.block_exp %j_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %10 = ttl.block_max %0, %1 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %11 = ttl.block_max %1, %2 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %12 = ttl.block_max %2, %3 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %13 = ttl.block_max %3, %4 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %14 = ttl.block_max %4, %5 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %15 = ttl.block_max %5, %6 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %16 = ttl.block_max %6, %7 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %17 = ttl.block_max %7, %8 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %18 = ttl.block_max %8, %9 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %19 = ttl.block_add %10, %11 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %20 = ttl.block_add %19, %12 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %21 = ttl.block_add %20, %13 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %22 = ttl.block_add %21, %14 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %23 = ttl.block_add %22, %15 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %24 = ttl.block_add %23, %16 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %25 = ttl.block_add %24, %17 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %26 = ttl.block_add %25, %18 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %27 = ttl.block_mul %26, %0 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %28 = ttl.block_mul %27, %1 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %29 = ttl.block_mul %28, %2 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %30 = ttl.block_mul %29, %3 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %31 = ttl.block_mul %30, %4 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %32 = ttl.block_mul %31, %5 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %33 = ttl.block_mul %32, %6 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %34 = ttl.block_mul %33, %7 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %35 = ttl.block_mul %34, %8 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %36 = ttl.block_mul %35, %9 : tensor<1x1x!ttl.tile<32x32, f32>>, tensor<1x1x!ttl.tile<32x32, f32>> -> tensor<1x1x!ttl.tile<32x32, f32>>
    %37 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, f32>, 1>
    ttl.block_store %36, %37 : tensor<1x1x!ttl.tile<32x32, f32>> -> <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_push %37 explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %c_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %d_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %e_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %f_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %g_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %h_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %i_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
    ttl.dfb_pop %j_blk explicit : <[1, 1], !ttl.tile<32x32, f32>>
  }
}
