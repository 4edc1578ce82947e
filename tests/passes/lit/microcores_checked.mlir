// RUN: ttl-opt %s --pass-pipeline 'builtin.module(ttl-check{strict=true})' --verify-diagnostics

// Threads are checked like kernels: the second one does not pop its block.
!tile = !ttl.tile<32x32, bf16>
!block = !ttl.block<[1, 1], !tile>
!slice = !ttl.slice<[1, 1], !tile>
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
!one_tile = tensor<32x32xbf16, #dram>
ttl.operation @copy(%a: !one_tile, %b: !one_tile) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : !one_tile
  %b_accessor = ttl.tensor_accessor %b : !one_tile
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[1, 1], !tile, 2>
  %c0 = arith.constant 0 : index
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC0) @read {
      %blk = ttl.dfb_reserve %dfb : <[1, 1], !tile, 2>
      %part = ttl.tensor_slice %a_accessor[%c0, %c0] : !ttl.accessor<!one_tile> -> !slice
      %xf = ttl.copy %part to %blk : !slice, !block
      ttl.wait %xf explicit
      ttl.dfb_push %blk with : <[1, 1], !tile>
    }
    ttl.thread(@NOC1) @write {
      // expected-warning@+1 {{block of dfb is never popped by the program [TTL0341]}}
      %blk = ttl.dfb_wait %dfb : <[1, 1], !tile, 2>
      %part = ttl.tensor_slice %b_accessor[%c0, %c0] : !ttl.accessor<!one_tile> -> !slice
      %xf = ttl.copy %blk to %part : !block, !slice
      ttl.wait %xf explicit
    }
  }
}
