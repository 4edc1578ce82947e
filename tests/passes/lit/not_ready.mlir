// RUN: ttl-opt %s -p convert-ttl-to-ttkernel --split-input-file --verify-diagnostics

// A pass that needs another one before it says so at the operation concerned. Here the transfers have to be converted before;
ttl.operation @transfers(%a: tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>) grid <1x1> {
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %0 = ttl.tensor_accessor %a : tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>
  ttl.datamovement_kernel @read {
    %c0 = arith.constant 0 : index
    %blk = ttl.dfb_reserve %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %s = ttl.tensor_slice %0[%c0, %c0] : !ttl.accessor<tensor<32x32xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    // expected-error@+1 {{not ready for the pass convert-ttl-to-ttkernel: ttl.copy has to be converted before, by convert-datamovement-to-ttkernel}}
    %x = ttl.copy %s to %blk : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %x explicit
    ttl.dfb_push %blk with : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// -----

// and here the computation.
ttl.operation @computes() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    // expected-error@+1 {{ttl.block_read has to be converted before, by convert-compute-to-ttkernel}}
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.block_neg %a_value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    ttl.block_store %0, %a_blk : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
