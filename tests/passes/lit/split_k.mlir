// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-infer-sync,ttl-split-k{parts=2})' | filecheck %s

#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>

// Blocks are half as large along the inner dimension, twice as many; a sum over both halves is in the place of the product.
// CHECK-LABEL: ttl.operation @operation
// CHECK: ttl.create_dfb "a_dfb" {ttl.in_columns = 2 : index} : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 4>
// CHECK: ttl.create_dfb "b_dfb" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 4>
// CHECK-COUNT-4: ttl.dfb_reserve
// CHECK-COUNT-2: ttl.tensor_slice
// CHECK-NOT: ttl.tensor_slice
// CHECK-COUNT-2: ttl.copy
// CHECK-COUNT-2: ttl.tensor_slice
// CHECK-NOT: ttl.tensor_slice
// CHECK-COUNT-2: ttl.copy
// CHECK-COUNT-4: ttl.dfb_push
// CHECK: ttl.compute_kernel
// CHECK: %[[TOTAL:.*]] = affine.for
// CHECK-COUNT-4: ttl.dfb_wait
// CHECK: ttl.block_matmul
// CHECK: ttl.block_matmul
// CHECK: ttl.block_add
// CHECK: ttl.block_add
// CHECK-COUNT-4: ttl.dfb_pop
ttl.operation @operation(%a: tensor<64x256xbf16, #encoding>, %b: tensor<256x64xbf16, #encoding>, %y: tensor<64x64xbf16, #encoding>) grid <1x1> {
  %0 = ttl.tensor_accessor %y : tensor<64x64xbf16, #encoding>
  %1 = ttl.tensor_accessor %b : tensor<256x64xbf16, #encoding>
  %2 = ttl.tensor_accessor %a : tensor<64x256xbf16, #encoding>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  %b_dfb = ttl.create_dfb "b_dfb" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  ttl.datamovement_kernel @read {
    affine.for %m = 0 to 2 {
      affine.for %k = 0 to 4 {
        %3 = ttl.dfb_reserve %a_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
        %4 = ttl.dfb_reserve %b_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
        %5 = arith.constant 2 : index
        %6 = arith.muli %k, %5 : index
        %7 = ttl.tensor_slice %2[%m, %6 size 2] : !ttl.accessor<tensor<64x256xbf16, #encoding>> -> !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
        %8 = ttl.copy %7 to %3 : !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 2], !ttl.tile<32x32, bf16>>
        %9 = arith.constant 0 : index
        %10 = ttl.tensor_slice %1[%6 size 2, %9 size 2] : !ttl.accessor<tensor<256x64xbf16, #encoding>> -> !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>
        %11 = ttl.copy %10 to %4 : !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>
        ttl.wait %8 explicit
        ttl.wait %11 explicit
        ttl.dfb_push %4 with : <[2, 2], !ttl.tile<32x32, bf16>>
        ttl.dfb_push %3 with : <[1, 2], !ttl.tile<32x32, bf16>>
      }
    }
  }
  ttl.compute_kernel @compute {
    affine.for %_m = 0 to 2 {
      %12 = ttl.dfb_reserve %y_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
      %total = ttl.block_fill {value = 0 : i64, shape = array<i64: 1, 2>} : -> tensor<1x2x!ttl.tile<32x32, whole>>
      %13 = ttl.retype %total : tensor<1x2x!ttl.tile<32x32, whole>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
      %14 = affine.for %_k = 0 to 4 iter_args(%15 = %13) -> (tensor<1x2x!ttl.tile<32x32, bf16>>) {
        %16 = ttl.dfb_wait %a_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
        %17 = ttl.dfb_wait %b_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
        %18 = ttl.block_read %16 : <[1, 2], !ttl.tile<32x32, bf16>>
        %19 = ttl.block_read %17 : <[2, 2], !ttl.tile<32x32, bf16>>
        %20 = ttl.block_matmul %18, %19 : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<2x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
        %total_1 = ttl.block_add %15, %20 : tensor<1x2x!ttl.tile<32x32, bf16>>, tensor<1x2x!ttl.tile<32x32, bf16>> -> tensor<1x2x!ttl.tile<32x32, bf16>>
        ttl.dfb_pop %17 with : <[2, 2], !ttl.tile<32x32, bf16>>
        ttl.dfb_pop %16 with : <[1, 2], !ttl.tile<32x32, bf16>>
        affine.yield %total_1 : tensor<1x2x!ttl.tile<32x32, bf16>>
      }
      ttl.block_store %14, %12 : tensor<1x2x!ttl.tile<32x32, bf16>> -> <[1, 2], !ttl.tile<32x32, bf16>>
      ttl.dfb_push %12 with : <[1, 2], !ttl.tile<32x32, bf16>>
    }
  }
  ttl.datamovement_kernel @write {
    affine.for %m_1 = 0 to 2 {
      %21 = ttl.dfb_wait %y_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
      %22 = arith.constant 0 : index
      %23 = ttl.tensor_slice %0[%m_1, %22 size 2] : !ttl.accessor<tensor<64x64xbf16, #encoding>> -> !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
      %24 = ttl.copy %21 to %23 : !ttl.block<[1, 2], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
      ttl.wait %24 explicit
      ttl.dfb_pop %21 with : <[1, 2], !ttl.tile<32x32, bf16>>
    }
  }
}
