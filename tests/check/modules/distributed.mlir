// Distributed tensors: the shard of a node, another distribution of the same values, and all shards gathered.
#dram = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @distributed(%x: tensor<32x64xbf16, #dram>, %y: tensor<64x64xbf16, #dram>, %z: tensor<32x128xbf16, #dram>) grid <2x1> {
  %y_accessor = ttl.tensor_accessor %y : tensor<64x64xbf16, #dram>
  %z_accessor = ttl.tensor_accessor %z : tensor<32x128xbf16, #dram>
  %all_dfb = ttl.create_dfb "all_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %own_dfb = ttl.create_dfb "own_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %whole_dfb = ttl.create_dfb "whole_dfb" : !ttl.dfb<[1, 2], !ttl.tile<32x32, bf16>, 2>
  %a = ttl.distribute %x : tensor<32x64xbf16, #dram> -> !ttl.dist_tensor<grid=[1, 2], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, dram>
  %b = ttl.redistribute %a strategy=replicated : !ttl.dist_tensor<grid=[1, 2], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, dram> -> !ttl.dist_tensor<grid=[1, 1], shard=[1, 2], !ttl.tile<32x32, bf16>, replicated, dram>
  ttl.datamovement_kernel @read {
    ttl.gather_shards %a to %all_dfb : !ttl.dist_tensor<grid=[1, 2], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, dram>, !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
    %own = ttl.dfb_reserve %own_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %shard = ttl.extract_shard %a : !ttl.dist_tensor<grid=[1, 2], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, dram> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %xf = ttl.copy %shard to %own : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %xf explicit
    ttl.dfb_push %own explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %whole = ttl.dfb_reserve %whole_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %everything = ttl.extract_shard %b : !ttl.dist_tensor<grid=[1, 1], shard=[1, 2], !ttl.tile<32x32, bf16>, replicated, dram> -> !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
    %xf_whole = ttl.copy %everything to %whole : !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 2], !ttl.tile<32x32, bf16>>
    ttl.wait %xf_whole explicit
    ttl.dfb_push %whole explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %n = ttl.node_linear
    affine.for %column = 0 to 2 {
      %blk = ttl.dfb_wait %all_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
      %slice = ttl.tensor_slice %y_accessor[%n, %column] : !ttl.accessor<tensor<64x64xbf16, #dram>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
      %xf = ttl.copy %blk to %slice : !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
      ttl.wait %xf explicit
      ttl.dfb_pop %blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    }
    %own = ttl.dfb_wait %own_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.dfb_pop %own explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %whole = ttl.dfb_wait %whole_dfb : <[1, 2], !ttl.tile<32x32, bf16>, 2>
    %left = arith.muli %n, %two : index
    %part = ttl.tensor_slice %z_accessor[%zero, %left size 2] : !ttl.accessor<tensor<32x128xbf16, #dram>> -> !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
    %xf_part = ttl.copy %whole to %part : !ttl.block<[1, 2], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
    ttl.wait %xf_part explicit
    ttl.dfb_pop %whole explicit : <[1, 2], !ttl.tile<32x32, bf16>>
  }
}
