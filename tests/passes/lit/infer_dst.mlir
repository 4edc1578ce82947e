// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions,ttl-infer-dst-requirements)' | filecheck %s

// What is read from its buffer by the operation that uses it takes no place; the chain is computed in one.
// CHECK-LABEL: ttl.operation @sum_of_blocks
// CHECK: attributes {space = array<i64: 1, 1>, ttl.why = {{.*}}, ttl.dst_peak = 1 : i64, ttl.dst_capacity = 8 : i64, ttl.dst_subblock = 1 : i64}
// CHECK-COUNT-2: ttl.tile_read %{{.*}} {strides = array<i64: 0, 0>, mode = "plain", offset = 0 : i64}
// CHECK-NEXT: ttl.tile_compute add {{.*}} {ttl.dst_cost = 1 : i64, ttl.dst_live = array<i64: 0, 1>}
// CHECK-NEXT: ttl.tile_compute relu {{.*}} {ttl.dst_cost = 1 : i64, ttl.dst_live = array<i64: 1, 2>}
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
