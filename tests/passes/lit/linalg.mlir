// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions,ttl-to-linalg)' | filecheck %s
// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions,ttl-to-linalg,linalg-to-ttl)' | filecheck %s --check-prefix=BACK
// RUN: not ttl-opt %s --pass-pipeline 'builtin.module(ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-to-linalg)' 2>&1 | filecheck %s --check-prefix=LATE

// A region is a function of its blocks, tile after tile: computed in float32, rounded where it is stored.
// CHECK-DAG: #[[POINTS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, 0)>
// CHECK-LABEL: ttl.operation @repeated
// CHECK: ttl.structured_call "repeated_0"(%{{.*}}, %{{.*}}, %{{.*}}) : !ttl.block<[2, 4], !ttl.tile<32x32, bf16>>
// CHECK: func.func @repeated_0(%{{.*}}: memref<2x4x32x32xbf16>, %{{.*}}: memref<2x1x32x32xbf16>, %{{.*}}: memref<2x4x32x32xbf16>)
// CHECK: linalg.generic {indexing_maps = [#[[POINTS]], #[[COLUMN]], #[[POINTS]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
// CHECK: arith.mulf
// CHECK: arith.truncf
// BACK-LABEL: ttl.operation @repeated
// BACK: ttl.compute_region
// BACK: ttl.tile_read %{{.*}} {strides = array<i64: 1, 0>, mode = "column", offset = 0 : i64}
// BACK: ttl.tile_compute mul
// BACK-NOT: linalg
// LATE: failed to legalize operation 'ttl.compute_region'
// LATE: its tiles have places in the registers
// LATE: run ttl-to-linalg before ttl-assign-dst
ttl.operation @repeated() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  %b = ttl.create_dfb "b" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    %b_blk = ttl.dfb_wait %b : <[2, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 4], !ttl.tile<32x32, bf16>>
    %b_value = ttl.block_read %b_blk : <[2, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_broadcast %b_value {dims = array<i64: -1>, shape = array<i64: 2, 4>} : tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<2x4x!ttl.tile<32x32, bf16>>
    %1 = ttl.block_mul %a_value, %0 : tensor<2x4x!ttl.tile<32x32, bf16>>, tensor<2x4x!ttl.tile<32x32, bf16>> -> tensor<2x4x!ttl.tile<32x32, bf16>>
    %x_blk = ttl.dfb_reserve %x : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %1, %x_blk : tensor<2x4x!ttl.tile<32x32, bf16>> -> <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %x_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %b_blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
  }
}
