// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode{registers=16 sync=full},ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock{shapes=0:3})' | filecheck %s
// RUN: not ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode{registers=32},ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock{shapes=0:8})' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not ttl-opt %s --pass-pipeline 'builtin.module(ttl-choose-mode,ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock{shapes=1:2})' 2>&1 | filecheck %s --check-prefix=NONE

// As many tiles as are asked for, in all registers of 16 bits.
// CHECK-LABEL: ttl.operation @asked
// CHECK-SAME: ttl.dst_full_sync_en = true, ttl.fp32_dest_acc_en = false
// CHECK: attributes {space = array<i64: 2, 4>, subblock = array<i64: 3>
// LARGE: the compile option subblock.0=8 is not possible: its 8 points need 1 tiles of the registers each, which hold 4 [TTL1461]
// LARGE: legal here: 1, 2, 3, 4
// NONE: the compile option subblock.1 is about the region 1, which operation asked does not have [TTL1460]
ttl.operation @asked() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  %x = ttl.create_dfb "x" : !ttl.dfb<[2, 4], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[2, 4], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_exp %a_value {approx = false, scale = 1.000000e+00 : f64} : tensor<2x4x!ttl.tile<32x32, bf16>> -> tensor<2x4x!ttl.tile<32x32, bf16>>
    %x_blk = ttl.dfb_reserve %x : <[2, 4], !ttl.tile<32x32, bf16>, 1>
    ttl.block_store %0, %x_blk : tensor<2x4x!ttl.tile<32x32, bf16>> -> <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %x_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 4], !ttl.tile<32x32, bf16>>
  }
}
