// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions,ttl-assign-dst)' | filecheck %s

// The matrix unit adds what it reads from two buffers: neither operand has a place. What follows is computed in place.
// CHECK-LABEL: ttl.operation @sum_of_blocks
// CHECK-COUNT-2: ttl.tile_read %{{.*}} {strides = array<i64: 0, 0>, mode = "plain", offset = 0 : i64, unit = "unpack"}
// CHECK-NEXT: %[[SUM:.*]] = ttl.tile_compute add %{{.*}}, %{{.*}} at 0 by fpu
// CHECK-NEXT: ttl.tile_compute relu %[[SUM]] at 0 by sfpu
ttl.operation @sum_of_blocks() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_add %a_value, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_relu %0 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// One operand may be repeated on its way: the right one of a product, wherever it was written.
// CHECK-LABEL: ttl.operation @repeated_operand
// CHECK-DAG: %[[COLUMN:.*]] = ttl.tile_read %{{.*}} mode = "column"{{.*}} unit = "unpack"}
// CHECK-DAG: %[[PLAIN:.*]] = ttl.tile_read %{{.*}} mode = "plain"{{.*}} unit = "unpack"}
// CHECK: ttl.tile_compute mul %[[PLAIN]], %[[COLUMN]] at 0 by fpu_bcast
ttl.operation @repeated_operand() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_broadcast %b_value {dims = array<i64: -1>, shape = array<i64: 1, 1>} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_mul %0, %a_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// With one operand in a register, it reads the other one from its buffer.
// CHECK-LABEL: ttl.operation @register_and_block
// CHECK: %[[EXP:.*]] = ttl.tile_compute exp %{{.*}} at 0 by sfpu
// CHECK: %[[READ:.*]] = ttl.tile_read {{.*}}unit = "unpack"}
// CHECK-NEXT: ttl.tile_compute sub %[[EXP]], %[[READ]] at 0 by reuse
ttl.operation @register_and_block() grid <1x1> attributes {ttl.fp32_dest_acc_en = false} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_sub %0, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Not from registers of 32 bits, which the matrix unit would not read whole: the vector unit has both in registers.
// CHECK-LABEL: ttl.operation @wide_registers
// CHECK: ttl.tile_compute sub %{{.*}}, %{{.*}} at {{[01]}} by sfpu
ttl.operation @wide_registers() grid <1x1> attributes {ttl.fp32_dest_acc_en = true} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_sub %0, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Nor integers, ever.
// CHECK-LABEL: ttl.operation @integers
// CHECK: ttl.tile_compute add %{{.*}}, %{{.*}} at 0 by sfpu
ttl.operation @integers() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, si32>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, si32>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, si32>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, si32>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, si32>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, si32>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, si32>>
    %0 = ttl.block_add %a_value, %b_value : tensor<1x1x!ttl.tile<32x32, si32>>, tensor<1x1x!ttl.tile<32x32, si32>> -> tensor<1x1x!ttl.tile<32x32, si32>>
    %1 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, si32>, 1>
    ttl.block_store %0, %1 : tensor<1x1x!ttl.tile<32x32, si32>> -> <[1, 1], !ttl.tile<32x32, si32>>
    ttl.dfb_push %1 explicit : <[1, 1], !ttl.tile<32x32, si32>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, si32>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, si32>>
  }
}

// A product is added to what is in its place.
// CHECK-LABEL: ttl.operation @fresh
// CHECK: %[[EXP:.*]] = ttl.tile_compute exp %{{.*}} at [[PLACE:[0-9]+]] by sfpu
// CHECK: ttl.tile_matmul %{{.*}} onto %[[EXP]] {{.*}}unit = "fpu", place = [[PLACE]] : i64}
ttl.operation @fresh() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %c_blk = ttl.dfb_wait %c : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %c_value = ttl.block_read %c_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %c_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %2 = ttl.block_matmul %1, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.block_add %0, %2 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %4 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %4 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %4 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %c_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Registers are zero to begin with: nothing computes zeros.
// CHECK-LABEL: ttl.operation @zero
// CHECK: %[[ZERO:.*]] = ttl.tile_compute fill at 0 by zero
// CHECK: ttl.tile_matmul %{{.*}} onto %[[ZERO]] {{.*}}place = 0 : i64}
ttl.operation @zero() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_fill {value = 0 : i64, shape = array<i64: 1, 1>} : -> tensor<1x1x!ttl.tile<32x32, whole>>
    %1 = ttl.retype %0 : tensor<1x1x!ttl.tile<32x32, whole>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_matmul %a_value, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.block_add %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %4 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %3, %4 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %4 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// What another operation still needs is not overwritten: the result gets a place of its own.
// CHECK-LABEL: ttl.operation @lives_on
// CHECK: %[[EXP:.*]] = ttl.tile_compute exp %{{.*}} at 0 by sfpu
// CHECK-NEXT: %[[NEG:.*]] = ttl.tile_compute neg %[[EXP]] at 1 by sfpu
// CHECK-NEXT: ttl.tile_compute max %[[NEG]], %[[EXP]] at {{[01]}} by sfpu
ttl.operation @lives_on() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_neg %0 : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_max %1, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %2, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %3 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// What needs more registers is computed first: five values in three places.
// CHECK-LABEL: ttl.operation @larger_first
// CHECK-NOT: place = 3
// CHECK-NOT: at 3
// CHECK: ttl.tile_compute sub
ttl.operation @larger_first() grid <1x1> attributes {ttl.fp32_dest_acc_en = true} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %c = ttl.create_dfb "c" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %e = ttl.create_dfb "e" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %c_blk = ttl.dfb_wait %c : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %d_blk = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %e_blk = ttl.dfb_wait %e : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %c_value = ttl.block_read %c_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %d_value = ttl.block_read %d_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %e_value = ttl.block_read %e_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_exp %b_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_exp %c_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.block_exp %d_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %4 = ttl.block_exp %e_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %5 = ttl.block_add %0, %1 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %6 = ttl.block_add %2, %3 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %7 = ttl.block_add %5, %6 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %8 = ttl.block_sub %4, %7 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %9 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %8, %9 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %9 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %c_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %d_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %e_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// The matrix unit reads a block from its buffer, before the vector unit needs the same one in a register: it is read twice.
// CHECK-LABEL: ttl.operation @read_twice
// CHECK: %[[B:.*]] = ttl.tile_read {{.*}}unit = "unpack"}
// CHECK-NEXT: %[[A:.*]] = ttl.tile_read {{.*}}unit = "unpack"}
// CHECK-NEXT: %[[SUB:.*]] = ttl.tile_compute sub %[[A]], %[[B]] at 0 by fpu
// CHECK-NEXT: %[[AGAIN:.*]] = ttl.tile_read {{.*}}unit = "unpack", place = 1 : i64}
// CHECK-NEXT: %[[ABS:.*]] = ttl.tile_compute abs %[[AGAIN]] at 1 by sfpu
// CHECK-NEXT: ttl.tile_compute truediv %[[SUB]], %[[ABS]] at 0 by sfpu
ttl.operation @read_twice() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_sub %a_value, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_abs %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_truediv %0, %1 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %2, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %3 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// A product of two blocks adds itself to what is in the registers: the sum takes no function of its own. What is needed
// once more keeps its register.
// CHECK-LABEL: ttl.operation @product_added
// CHECK: %[[EXP:.*]] = ttl.tile_compute exp %{{.*}} at 0 by sfpu
// CHECK: %[[PRODUCT:.*]] = ttl.tile_compute mul %{{.*}}, %{{.*}} at 0 by fpu
// CHECK-NEXT: %[[SUM:.*]] = ttl.tile_compute add %[[PRODUCT]], %[[EXP]] at 0 by added
// CHECK: %[[RELU:.*]] = ttl.tile_compute relu %{{.*}} by sfpu
// CHECK: %[[OTHER:.*]] = ttl.tile_compute mul %{{.*}} by fpu
// CHECK: ttl.tile_compute add %[[RELU]], %[[OTHER]] at {{[0-9]}} by sfpu
ttl.operation @product_added() grid <1x1> attributes {ttl.fp32_dest_acc_en = false} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 3>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_mul %a_value, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %2 = ttl.block_add %1, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %3 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 3>
    ttl.block_store %2, %3 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %3 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %4 = ttl.block_relu %b_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %5 = ttl.block_mul %b_value, %b_value : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %6 = ttl.block_add %4, %5 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %7 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 3>
    %8 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 3>
    ttl.block_store %6, %7 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_store %4, %8 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %7 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %8 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
