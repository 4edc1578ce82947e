// Buffers in the memory of a tensor, published.
#encoding = #ttl.encoding<l1, #ttl.layout<tiled, height_sharded, [64, 32], 2x1>>
#encoding1 = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
module {
  ttl.operation @double(%x: tensor<128x32xbf16, #encoding>, %z: tensor<128x32xbf16, #encoding1>, %y: tensor<128x32xbf16, #encoding>) grid <2x1> {
    %0 = ttl.node : index
    %y_accessor = ttl.tensor_accessor %y : tensor<128x32xbf16, #encoding>
    %z_accessor = ttl.tensor_accessor %z : tensor<128x32xbf16, #encoding1>
    %x_accessor = ttl.tensor_accessor %x : tensor<128x32xbf16, #encoding>
    %x_dfb = ttl.create_dfb "x_dfb" in %x : tensor<128x32xbf16, #encoding> at 0 : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
    %z_dfb = ttl.create_dfb "z_dfb" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>
    %y_dfb = ttl.create_dfb "y_dfb" in %y : tensor<128x32xbf16, #encoding> at 0 : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 1>
    ttl.datamovement_kernel @read {
      %1 = ttl.dfb_reserve %z_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
      %c2 = arith.constant 2 : index
      %2 = arith.muli %0, %c2 : index
      %c0 = arith.constant 0 : index
      %3 = ttl.tensor_slice %z_accessor[%2 size 2, %c0] : !ttl.accessor<tensor<128x32xbf16, #encoding1>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
      %4 = ttl.copy %3 to %1 : !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>
      ttl.wait %4 explicit
      ttl.dfb_push %1 with : <[2, 1], !ttl.tile<32x32, bf16>>
      %5 = ttl.dfb_wait %z_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
      %6 = ttl.tensor_slice %x_accessor[%2 size 2, %c0] : !ttl.accessor<tensor<128x32xbf16, #encoding>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
      %7 = ttl.copy %5 to %6 : !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
      ttl.wait %7 explicit
      ttl.dfb_pop %5 with : <[2, 1], !ttl.tile<32x32, bf16>>
      %8 = ttl.dfb_reserve %x_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 1>
      ttl.dfb_resident %8 : <[2, 1], !ttl.tile<32x32, bf16>>
      ttl.dfb_push %8 explicit : <[2, 1], !ttl.tile<32x32, bf16>>
    }
    ttl.compute_kernel @compute {
      %9 = ttl.dfb_wait %x_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 1>
      %10 = ttl.dfb_reserve %y_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 1>
      %11 = ttl.block_read %9 : <[2, 1], !ttl.tile<32x32, bf16>>
      %c2_i64 = arith.constant 2 : i64
      %12 = ttl.block_mul %c2_i64, %11 : i64, tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>
      ttl.block_store %12, %10 : tensor<2x1x!ttl.tile<32x32, bf16>> -> <[2, 1], !ttl.tile<32x32, bf16>>
      ttl.dfb_push %10 with : <[2, 1], !ttl.tile<32x32, bf16>>
      ttl.dfb_pop %9 with : <[2, 1], !ttl.tile<32x32, bf16>>
    }
  }
}
