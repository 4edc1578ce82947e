// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-padding)' | filecheck %s

#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>

// Minus infinity is added to padding of zeros; what is computed of it may be anything, and a choice replaces it. The
// tiles of one row of a mask are for all rows of tiles. A data movement kernel writes the masks before it does anything.
// CHECK-LABEL: ttl.operation @by_mask
// CHECK: %[[LOWEST:.*]] = ttl.create_dfb "padding_mask" {{.*}}"40 columns of a block are no padding"{{.*}}<[1, 2]
// CHECK: %[[SELECT:.*]] = ttl.create_dfb "padding_mask_1"
// CHECK: ttl.compute_kernel @compute
// CHECK-DAG: %[[SELECT_BLK:.*]] = ttl.dfb_wait %[[SELECT]]
// CHECK-DAG: %[[LOWEST_BLK:.*]] = ttl.dfb_wait %[[LOWEST]]
// CHECK: %[[A:.*]] = ttl.block_read %{{.*}} : <[2, 2]
// CHECK: ttl.block_read %[[LOWEST_BLK]]
// CHECK: %[[MASK:.*]] = ttl.block_squeeze
// CHECK: %[[ZEROS:.*]] = ttl.block_add %[[A]], %[[MASK]]
// CHECK: ttl.block_reduce_max %[[ZEROS]]
// CHECK: %[[EXP:.*]] = ttl.block_exp %[[A]]
// CHECK: ttl.block_read %[[SELECT_BLK]]
// CHECK: %[[CONDITION:.*]] = ttl.block_squeeze
// CHECK: %[[INFINITY:.*]] = ttl.block_fill {value = 0xfff0000000000000
// CHECK: %[[CHOSEN:.*]] = ttl.block_where %[[CONDITION]], %[[INFINITY]], %[[EXP]]
// CHECK: ttl.block_reduce_max %[[CHOSEN]]
// CHECK: ttl.datamovement_kernel @write
// CHECK-NEXT: ttl.write_mask "select" %[[SELECT]] rows 32 columns 40
// CHECK-NEXT: ttl.write_mask "lowest" %[[LOWEST]] rows 32 columns 40
ttl.operation @by_mask(%a: tensor<64x40xbf16, #encoding>, %y: tensor<64x1xbf16, #encoding>) grid <1x1> attributes {ttl.fp32_dest_acc_en = true} {
  %y_accessor = ttl.tensor_accessor %y : tensor<64x1xbf16, #encoding>
  %a_accessor = ttl.tensor_accessor %a : tensor<64x40xbf16, #encoding>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.datamovement_kernel @read {
    %0 = ttl.dfb_reserve %a_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
    %c0 = arith.constant 0 : index
    %1 = ttl.tensor_slice %a_accessor[%c0 size 2, %c0 size 2] : !ttl.accessor<tensor<64x40xbf16, #encoding>> -> !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>
    %2 = ttl.copy %1 to %0 : !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>
    ttl.wait %2 explicit
    ttl.dfb_push %0 with : <[2, 2], !ttl.tile<32x32, bf16>>
  }
  ttl.compute_kernel @compute {
    %3 = ttl.dfb_wait %a_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
    %4 = ttl.dfb_reserve %y_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    %5 = ttl.block_read %3 : <[2, 2], !ttl.tile<32x32, bf16>>
    %6 = ttl.block_reduce_max %5 {dims = array<i64: -1>} : tensor<2x2x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
    %7 = ttl.block_exp %5 {approx = false, scale = 1.000000e+00 : f64} : tensor<2x2x!ttl.tile<32x32, bf16>> -> tensor<2x2x!ttl.tile<32x32, bf16>>
    %8 = ttl.block_reduce_max %7 {dims = array<i64: -1>} : tensor<2x2x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
    %9 = ttl.block_add %6, %8 : tensor<2x1x!ttl.tile<32x32, bf16>>, tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
    ttl.block_store %9, %4 {ttl.why = "the registers are 32 bits wide, so that the value is rounded once, where it is stored; fp32_dest_acc_en=False makes them hold twice as many tiles, and round at every step"} : tensor<2x1x!ttl.tile<32x32, bf16>> -> <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %4 with : <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %3 with : <[2, 2], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %10 = ttl.dfb_wait %y_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    %c0_0 = arith.constant 0 : index
    %11 = ttl.tensor_slice %y_accessor[%c0_0 size 2, %c0_0 size 1] : !ttl.accessor<tensor<64x1xbf16, #encoding>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    %12 = ttl.copy %10 to %11 : !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %12 explicit
    ttl.dfb_pop %10 with : <[2, 1], !ttl.tile<32x32, bf16>>
  }
}

// A row of tiles may be any of a tensor, and its columns still end at the same place: weights keep padding out of a sum.
// CHECK-LABEL: ttl.operation @any_row
// CHECK-NOT: padding_mask
// CHECK: ttl.block_reduce_sum %{{.*}} {dims = array<i64: -1>, ttl.counted = 8
ttl.operation @any_row(%a: tensor<70x40xbf16, #encoding>) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : tensor<70x40xbf16, #encoding>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.datamovement_kernel @read {
    affine.for %row = 0 to 3 {
      %0 = ttl.dfb_reserve %a_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
      %c0 = arith.constant 0 : index
      %1 = ttl.tensor_slice %a_accessor[%row size 1, %c0 size 2] : !ttl.accessor<tensor<70x40xbf16, #encoding>> -> !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
      %2 = ttl.copy %1 to %0 : !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 2], !ttl.tile<32x32, bf16>>
      ttl.wait %2 explicit
      ttl.dfb_push %0 with : <[1, 2], !ttl.tile<32x32, bf16>>
    }
  }
  ttl.compute_kernel @compute {
    affine.for %row = 0 to 3 {
      %3 = ttl.dfb_wait %a_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
      %4 = ttl.dfb_reserve %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %5 = ttl.block_read %3 : <[1, 2], !ttl.tile<32x32, bf16>>
      %6 = ttl.block_exp %5 {approx = false, scale = 1.000000e+00 : f64} : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
      %7 = ttl.block_reduce_sum %6 {dims = array<i64: -1>} : tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.block_store %7, %4 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
      ttl.dfb_push %4 with : <[1, 1], !ttl.tile<32x32, bf16>>
      ttl.dfb_pop %3 with : <[1, 2], !ttl.tile<32x32, bf16>>
    }
  }
}
