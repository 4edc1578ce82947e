// RUN: ttl-opt %s -p ttl-infer-sync | filecheck %s
// RUN: ttl-opt %s -p ttl-infer-sync,ttl-infer-sync | filecheck %s

// What the language infers is written: the wait of a copy, then the push of a block that was reserved and the pop of one that
// was waited for, after their last use. What is there already stays as it is, and a second time nothing is added.
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
// CHECK-LABEL: ttl.operation @move
ttl.operation @move(%x: tensor<64x32xbf16, #encoding>, %y: tensor<64x32xbf16, #encoding>) grid <1x1> {
  %x_accessor = ttl.tensor_accessor %x : tensor<64x32xbf16, #encoding>
  %y_accessor = ttl.tensor_accessor %y : tensor<64x32xbf16, #encoding>
  %c0 = arith.constant 0 : index
  %x_dfb = ttl.create_dfb "x_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  // CHECK: ttl.datamovement_kernel @read
  ttl.datamovement_kernel @read {
    // CHECK: affine.for
    affine.for %i = 0 to 2 {
      // CHECK: %[[BLK:.*]] = ttl.dfb_reserve
      %blk = ttl.dfb_reserve %x_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %part = ttl.tensor_slice %x_accessor[%i, %c0] : !ttl.accessor<tensor<64x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
      // CHECK: %[[XF:.*]] = ttl.copy
      // CHECK-NEXT: ttl.wait %[[XF]] inferred
      // CHECK-NEXT: ttl.dfb_push %[[BLK]] inferred
      // CHECK-NEXT: }
      %xf = ttl.copy %part to %blk : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    }
  }
  // CHECK: ttl.datamovement_kernel @write
  ttl.datamovement_kernel @write {
    affine.for %i = 0 to 2 {
      // CHECK: %[[BLK:.*]] = ttl.dfb_wait
      %blk = ttl.dfb_wait %x_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %part = ttl.tensor_slice %y_accessor[%i, %c0] : !ttl.accessor<tensor<64x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
      // CHECK: %[[XF:.*]] = ttl.copy
      // CHECK-NEXT: ttl.wait %[[XF]] explicit
      // CHECK-NEXT: ttl.dfb_pop %[[BLK]] inferred
      // CHECK-NEXT: }
      %xf = ttl.copy %blk to %part : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
      ttl.wait %xf explicit
    }
  }
}
