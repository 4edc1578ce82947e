// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock)' | filecheck %s

// Eight tiles of 16 bits fit into half of the registers: one section.
// CHECK-LABEL: ttl.operation @whole
// CHECK: attributes {space = array<i64: 2, 4>, subblock = array<i64: 8>
ttl.operation @whole() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 4], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<2x4x!ttl.tile<32x32, bf16>> -> tensor<2x4x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<2x4x!ttl.tile<32x32, bf16>> -> <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
  }
}

// Twelve do not: two equal sections, in the order of the tiles, whatever the shape.
// CHECK-LABEL: ttl.operation @equal
// CHECK: subblock = array<i64: 6>, ttl.why = "12 tiles in 2 sections of 6: the registers hold 8 tiles, and each point needs 1"
ttl.operation @equal() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[3, 4], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[3, 4], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[3, 4], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[3, 4], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<3x4x!ttl.tile<32x32, bf16>> -> tensor<3x4x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[3, 4], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<3x4x!ttl.tile<32x32, bf16>> -> <[3, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[3, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[3, 4], !ttl.tile<32x32, bf16>>
  }
}

// Eleven have no equal sections: the last one is smaller.
// CHECK-LABEL: ttl.operation @remainder
// CHECK: subblock = array<i64: 8>, ttl.why = "11 tiles in 2 sections of 8
ttl.operation @remainder() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 11], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 11], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 11], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 11], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<1x11x!ttl.tile<32x32, bf16>> -> tensor<1x11x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[1, 11], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<1x11x!ttl.tile<32x32, bf16>> -> <[1, 11], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[1, 11], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 11], !ttl.tile<32x32, bf16>>
  }
}

// Registers of 32 bits are half as many, and every point needs two of them.
// CHECK-LABEL: ttl.operation @two_places
// CHECK: ttl.why = "8 tiles in 4 sections of 2: the registers hold 4 tiles, and each point needs 2", subblock = array<i64: 2>
ttl.operation @two_places() grid <1x1> attributes {ttl.fp32_dest_acc_en = true} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 4], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[2, 4], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<2x4x!ttl.tile<32x32, bf16>> -> tensor<2x4x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_max %0, %b_value : tensor<2x4x!ttl.tile<32x32, bf16>>, tensor<2x4x!ttl.tile<32x32, bf16>> -> tensor<2x4x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<2x4x!ttl.tile<32x32, bf16>> -> <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
  }
}

// One section may have all registers, if the program says so.
// CHECK-LABEL: ttl.operation @all_of_them
// CHECK: subblock = array<i64: 16>}
ttl.operation @all_of_them() grid <1x1> attributes {ttl.dst_full_sync_en = true} {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 8], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 8], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 8], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 8], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<2x8x!ttl.tile<32x32, bf16>> -> tensor<2x8x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[2, 8], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<2x8x!ttl.tile<32x32, bf16>> -> <[2, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[2, 8], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 8], !ttl.tile<32x32, bf16>>
  }
}

// A product reads a row and a column for every tile: a rectangle, the larger and then the squarer the better.
// CHECK-LABEL: ttl.operation @square
// CHECK: space = array<i64: 4, 4>, subblock = array<i64: 2, 4>
ttl.operation @square() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[4, 2], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[4, 4], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[4, 2], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[4, 2], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[2, 4], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_matmul %a_value, %b_value : tensor<4x2x!ttl.tile<32x32, bf16>>, tensor<2x4x!ttl.tile<32x32, bf16>> -> tensor<4x4x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[4, 4], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<4x4x!ttl.tile<32x32, bf16>> -> <[4, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[4, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[4, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
  }
}

// The tiles of a transposed operand are not beside each other: as many rows as possible, column by column.
// CHECK-LABEL: ttl.operation @by_column
// CHECK: space = array<i64: 4, 4>, subblock = array<i64: 4, 2>
ttl.operation @by_column() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[4, 2], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[4, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[4, 4], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[4, 2], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[4, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[4, 2], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[4, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_transpose %b_value : tensor<4x2x!ttl.tile<32x32, bf16>> -> tensor<2x4x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_matmul %a_value, %0 : tensor<4x2x!ttl.tile<32x32, bf16>>, tensor<2x4x!ttl.tile<32x32, bf16>> -> tensor<4x4x!ttl.tile<32x32, bf16>>
    %2 = ttl.dfb_reserve %x : <[4, 4], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %2 : tensor<4x4x!ttl.tile<32x32, bf16>> -> <[4, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %2 explicit : <[4, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[4, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[4, 2], !ttl.tile<32x32, bf16>>
  }
}

// What is repeated is not read in the order of the tiles: a rectangle that divides the space.
// CHECK-LABEL: ttl.operation @repeated
// CHECK: space = array<i64: 3, 5>, subblock = array<i64: 1, 5>
ttl.operation @repeated() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[3, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[3, 5], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[3, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[3, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_broadcast %a_value {dims = array<i64: -1>, shape = array<i64: 3, 5>} : tensor<3x1x!ttl.tile<32x32, bf16>> -> tensor<3x5x!ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_reserve %x : <[3, 5], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %1 : tensor<3x5x!ttl.tile<32x32, bf16>> -> <[3, 5], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 explicit : <[3, 5], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[3, 1], !ttl.tile<32x32, bf16>>
  }
}

// What a loop keeps in the registers is one section, all of it.
// CHECK-LABEL: ttl.operation @carried
// CHECK: ttl.compute_region ins() outs() attributes {space = array<i64: 2, 2>, subblock = array<i64: 4>}
// CHECK: ttl.compute_region {{.*}} attributes {space = array<i64: 2, 2>, subblock = array<i64: 2, 2>
// CHECK: ttl.compute_region {{.*}} attributes {space = array<i64: 2, 2>, subblock = array<i64: 4>}
ttl.operation @carried() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 3], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[3, 2], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 3], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[3, 2], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 3], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[3, 2], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_fill {value = 0 : i64, shape = array<i64: 2, 2>} : -> tensor<2x2x!ttl.tile<32x32, whole>>
    %1 = ttl.retype %0 : tensor<2x2x!ttl.tile<32x32, whole>> -> tensor<2x2x!ttl.tile<32x32, bf16>>
    %2 = arith.constant 0 : index
    %3 = arith.constant 4 : index
    %4 = arith.constant 1 : index
    %5 = scf.for %6 = %2 to %3 step %4 iter_args(%7 = %1) -> (tensor<2x2x!ttl.tile<32x32, bf16>>) {
      %8 = ttl.block_matmul %a_value, %b_value : tensor<2x3x!ttl.tile<32x32, bf16>>, tensor<3x2x!ttl.tile<32x32, bf16>> -> tensor<2x2x!ttl.tile<32x32, bf16>>
      %9 = ttl.block_add %7, %8 : tensor<2x2x!ttl.tile<32x32, bf16>>, tensor<2x2x!ttl.tile<32x32, bf16>> -> tensor<2x2x!ttl.tile<32x32, bf16>>
      scf.yield %9 : tensor<2x2x!ttl.tile<32x32, bf16>>
    }
    %10 = ttl.dfb_reserve %x : <[2, 2], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %5, %10 : tensor<2x2x!ttl.tile<32x32, bf16>> -> <[2, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %10 explicit : <[2, 2], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 3], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[3, 2], !ttl.tile<32x32, bf16>>
  }
}
