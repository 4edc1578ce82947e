// A call of the user's own C++, which fills a buffer; a compute kernel and a mover that read what it filled.
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @external(%x: tensor<32x32xbf16, #encoding>, %y: tensor<32x32xbf16, #encoding>) grid <1x1> {
  %x_accessor = ttl.tensor_accessor %x : tensor<32x32xbf16, #encoding>
  %y_accessor = ttl.tensor_accessor %y : tensor<32x32xbf16, #encoding>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.datamovement_kernel @fill {
    %n = arith.constant 1 : index
    %answer = ttl.extern_call "fill" of "/nowhere/fill.h" ["fill<", ">(", ")"](%a_dfb, %n, %a_dfb : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>, index, !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>) effects "1:0" bits 32 -> index
    %zero = arith.constant 0 : index
    %x_part = ttl.tensor_slice %x_accessor[%zero, %zero] : !ttl.accessor<tensor<32x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.extern_call "look" of "/nowhere/look.h" ["look(", ")"](%n, %x_accessor, %zero, %zero : index, !ttl.accessor<tensor<32x32xbf16, #encoding>>, index, index) effects "" touching "read:1x1:1x1" {ttl.tensors_declared}
    ttl.extern_access read %x_part : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %blk = ttl.dfb_reserve %a_dfb {ttl.extern} : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.dfb_push %blk explicit {ttl.extern} : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.signpost begin "answer"
    ttl.print ["answer ", ""](%answer : index)
    ttl.signpost end "answer"
  }
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_store %value, %y_blk : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %y_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %zero = arith.constant 0 : index
    %blk = ttl.dfb_wait %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %slice = ttl.tensor_slice %y_accessor[%zero, %zero] : !ttl.accessor<tensor<32x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %xf = ttl.copy %blk to %slice : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
