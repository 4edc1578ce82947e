// RUN: ttl-opt %s -p ttl-check --verify-diagnostics
// RUN: not ttl-opt %s -p ttl-check 2>&1 | filecheck %s

// The checks of the language, as diagnostics of the text. Advice and facts are notes at the same place.
// CHECK: check.mlir:16:10: error: slice 5:6 is out of range in dimension 0, which has 2 tiles [TTL0507]
// CHECK-NEXT: %s = ttl.tensor_slice
// CHECK-NEXT: ^
// CHECK-NEXT: check.mlir:16:10: note: the tensor is (2, 2) tiles
ttl.operation @f(%a: tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>) grid <1x1> {
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %0 = ttl.tensor_accessor %a : tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>
  ttl.datamovement_kernel @read {
    %blk = ttl.dfb_reserve %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %c5 = arith.constant 5 : index
    // expected-error@+1 {{out of range in dimension 0, which has 2 tiles [TTL0507]}}
    %s = ttl.tensor_slice %0[%c5 size 1, %c5 size 1] : !ttl.accessor<tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %x = ttl.copy %s to %blk : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %x explicit
  }
  ttl.compute_kernel @compute {
    // expected-warning@+1 {{[TTL0303]}}
    %blk = ttl.dfb_wait %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.dfb_pop %blk with : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
