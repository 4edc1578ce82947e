// RUN: ttl-opt %s -p transform-interpreter | filecheck %s

#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>

// The sequence of the module is followed: a pass, what matches, and a mark on each of them.
// CHECK-LABEL: ttl.operation @add
// CHECK-COUNT-3: ttl.create_dfb {{.*}}seen
module attributes {transform.with_named_sequence} {
  ttl.operation @add(%a: tensor<128x32xbf16, #encoding>, %b: tensor<128x32xbf16, #encoding>, %y: tensor<128x32xbf16, #encoding>) grid <1x1> {
    %y_accessor = ttl.tensor_accessor %y : tensor<128x32xbf16, #encoding>
    %a_accessor = ttl.tensor_accessor %a : tensor<128x32xbf16, #encoding>
    %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
    %b_dfb = ttl.create_dfb "b_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
    %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.datamovement_kernel @read {
      affine.for %i = 0 to 4 {
        %0 = ttl.dfb_reserve %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %1 = ttl.dfb_reserve %b_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %c0 = arith.constant 0 : index
        %2 = ttl.tensor_slice %a_accessor[%i, %c0] : !ttl.accessor<tensor<128x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
        %3 = ttl.copy %2 to %0 : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
        ttl.wait %3 explicit
        %4 = ttl.tensor_slice %a_accessor[%i, %c0] : !ttl.accessor<tensor<128x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
        %5 = ttl.copy %4 to %1 : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
        ttl.wait %5 explicit
        ttl.dfb_push %1 with : <[1, 1], !ttl.tile<32x32, bf16>>
        ttl.dfb_push %0 with : <[1, 1], !ttl.tile<32x32, bf16>>
      }
    }
    ttl.compute_kernel @compute {
      affine.for %i_0 = 0 to 4 {
        %6 = ttl.dfb_wait %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %7 = ttl.dfb_wait %b_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %8 = ttl.dfb_reserve %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %9 = ttl.block_read %6 : <[1, 1], !ttl.tile<32x32, bf16>>
        %10 = ttl.block_read %7 : <[1, 1], !ttl.tile<32x32, bf16>>
        %11 = ttl.block_add %9, %10 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
        ttl.block_store %11, %8 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
        ttl.dfb_push %8 with : <[1, 1], !ttl.tile<32x32, bf16>>
        ttl.dfb_pop %7 with : <[1, 1], !ttl.tile<32x32, bf16>>
        ttl.dfb_pop %6 with : <[1, 1], !ttl.tile<32x32, bf16>>
      }
    }
    ttl.datamovement_kernel @write {
      affine.for %i_1 = 0 to 4 {
        %12 = ttl.dfb_wait %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
        %c0_0 = arith.constant 0 : index
        %13 = ttl.tensor_slice %y_accessor[%i_1, %c0_0] : !ttl.accessor<tensor<128x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
        %14 = ttl.copy %12 to %13 : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
        ttl.wait %14 explicit
        ttl.dfb_pop %12 with : <[1, 1], !ttl.tile<32x32, bf16>>
      }
    }
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %done = transform.apply_registered_pass "ttl-microcores-to-kernels" to %root : (!transform.any_op) -> !transform.any_op
    %buffers = transform.structured.match ops{["ttl.create_dfb"]} in %done : (!transform.any_op) -> !transform.any_op
    transform.annotate %buffers "seen" : !transform.any_op
    transform.yield
  }
}
