// RUN: ttl-opt %s --verify-diagnostics --split-input-file

// What a tile of a region cannot be, and what the compiler's own data movement kernels cannot write.
ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %x_blk = ttl.dfb_reserve %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.compute_region ins(%a_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 1, 1>} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      // expected-error@+1 {{a unit is one of}}
      %0 = ttl.tile_read %arg0 {strides = array<i64: 1, 1>, mode = "plain", offset = 0 : i64, unit = "brain"} : !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %0 : !ttl.tile<32x32, bf16>
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %x_blk = ttl.dfb_reserve %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.compute_region ins(%a_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 1, 1>} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      // expected-error@+1 {{a space of 2 dimensions has no strides [1]}}
      %0 = ttl.tile_read %arg0 {strides = array<i64: 1>, mode = "plain", offset = 0 : i64} : !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %0 : !ttl.tile<32x32, bf16>
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %x_blk = ttl.dfb_reserve %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.compute_region ins(%a_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 1, 1>} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      // expected-error@+1 {{a tile is read plain}}
      %0 = ttl.tile_read %arg0 {strides = array<i64: 1, 1>, mode = "sideways", offset = 0 : i64} : !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %0 : !ttl.tile<32x32, bf16>
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %x_blk = ttl.dfb_reserve %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.compute_region ins(%a_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 1, 1>} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      // expected-error@+1 {{exp takes 1 operands, not 2}}
      %0 = ttl.tile_compute exp %arg0, %arg0 : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %0 : !ttl.tile<32x32, bf16>
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %x_blk = ttl.dfb_reserve %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.compute_region ins(%a_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 1, 1>} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      // expected-error@+1 {{of a tile are reduced, not corners}}
      %0 = ttl.tile_reduce %arg0 scaled %arg0 {pool = "sum", within = "corners", strides = array<i64: 0, 0>, extents = array<i64: 1>, steps = array<i64: 0>} : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %0 : !ttl.tile<32x32, bf16>
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %x_blk = ttl.dfb_reserve %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.compute_region ins(%a_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%x_blk : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 1, 1>} {
    ^bb0(%arg0: !ttl.tile<32x32, bf16>, %arg0_0: !ttl.tile<32x32, bf16>):
      // expected-error@+1 {{2 reduced dimensions have 1 steps}}
      %0 = ttl.tile_reduce %arg0 scaled %arg0 {pool = "sum", within = "columns", strides = array<i64: 0, 0>, extents = array<i64: 1, 1>, steps = array<i64: 0>} : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %0 : !ttl.tile<32x32, bf16>
    }
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.datamovement_kernel @write {
    // expected-error@+1 {{columns or rows count, not tiles}}
    ttl.write_scaler %a counts 32 "tiles" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.datamovement_kernel @write {
    // expected-error@+1 {{a tile has 32 columns, so 33 cannot count}}
    ttl.write_scaler %a counts 33 "columns" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  }
}

// -----

ttl.operation @f() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.datamovement_kernel @write {
    // expected-error@+1 {{a mask is one of}}
    ttl.write_mask "carnival" %a rows 32 columns 40 : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  }
}
