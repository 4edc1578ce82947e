// RUN: ttl-opt %s -p ttl-infer-sync,ttl-reorder-transfers | filecheck %s

#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>

// The two transfers from a start one after the other; that from b, which stood between them, comes last.
// CHECK-LABEL: ttl.operation @both
// CHECK-DAG: %[[A:.*]] = ttl.tensor_accessor %a
// CHECK-DAG: %[[B:.*]] = ttl.tensor_accessor %b
// CHECK: %[[FIRST:.*]] = ttl.tensor_slice %[[A]]
// CHECK: %[[OTHER:.*]] = ttl.tensor_slice %[[B]]
// CHECK: %[[SECOND:.*]] = ttl.tensor_slice %[[A]]
// CHECK: ttl.copy %[[FIRST]]
// CHECK-NEXT: ttl.copy %[[SECOND]]
// CHECK-NEXT: ttl.copy %[[OTHER]]
ttl.operation @both(%a: tensor<128x32xbf16, #encoding>, %b: tensor<128x32xbf16, #encoding>) grid <1x1> {
  %b_accessor = ttl.tensor_accessor %b : tensor<128x32xbf16, #encoding>
  %a_accessor = ttl.tensor_accessor %a : tensor<128x32xbf16, #encoding>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %b_dfb = ttl.create_dfb "b_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %c_dfb = ttl.create_dfb "c_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.datamovement_kernel @read {
    %0 = ttl.dfb_reserve %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %1 = ttl.dfb_reserve %b_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %2 = ttl.dfb_reserve %c_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %c0 = arith.constant 0 : index
    %3 = ttl.tensor_slice %a_accessor[%c0, %c0] : !ttl.accessor<tensor<128x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %4 = ttl.copy %3 to %0 : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    %5 = ttl.tensor_slice %b_accessor[%c0, %c0] : !ttl.accessor<tensor<128x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %6 = ttl.copy %5 to %1 : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    %c1 = arith.constant 1 : index
    %7 = ttl.tensor_slice %a_accessor[%c1, %c0] : !ttl.accessor<tensor<128x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %8 = ttl.copy %7 to %2 : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %4 explicit
    ttl.wait %6 explicit
    ttl.wait %8 explicit
    ttl.dfb_push %2 with : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %1 with : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %0 with : <[1, 1], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %9 = ttl.dfb_wait %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %10 = ttl.dfb_wait %b_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %11 = ttl.dfb_wait %c_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.dfb_pop %11 with : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %10 with : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %9 with : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
