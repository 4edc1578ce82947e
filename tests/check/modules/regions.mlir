// Compute regions as ttl-form-regions makes them, with every operation on tiles.
#encoding = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @regions(%a: tensor<64x64xbf16, #encoding>, %s: tensor<32x32xbf16, #encoding>, %y: tensor<64x64xbf16, #encoding>) grid <1x1> {
  %a_accessor = ttl.tensor_accessor %a : tensor<64x64xbf16, #encoding>
  %s_accessor = ttl.tensor_accessor %s : tensor<32x32xbf16, #encoding>
  %y_accessor = ttl.tensor_accessor %y : tensor<64x64xbf16, #encoding>
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 2>
  %s_dfb = ttl.create_dfb "s_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y_dfb" : !ttl.dfb<[2, 2], !ttl.tile<32x32, bf16>, 2>
  %z_dfb = ttl.create_dfb "z_dfb" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>
  %w_dfb = ttl.create_dfb "w_dfb" : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.datamovement_kernel @read {
    %zero = arith.constant 0 : index
    %blk = ttl.dfb_reserve %a_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
    %slice = ttl.tensor_slice %a_accessor[%zero size 2, %zero size 2] : !ttl.accessor<tensor<64x64xbf16, #encoding>> -> !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>
    %xf = ttl.copy %slice to %blk : !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>
    ttl.wait %xf explicit
    ttl.dfb_push %blk explicit : <[2, 2], !ttl.tile<32x32, bf16>>
    %one = ttl.dfb_reserve %s_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %slice_one = ttl.tensor_slice %s_accessor[%zero, %zero] : !ttl.accessor<tensor<32x32xbf16, #encoding>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
    %xf_one = ttl.copy %slice_one to %one : !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %xf_one explicit
    ttl.dfb_push %one explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
    %s_blk = ttl.dfb_wait %s_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %y_blk = ttl.dfb_reserve %y_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
    ttl.compute_region ins(%a_blk, %s_blk : !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%y_blk : !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 2, 2>} {
    ^bb0(%in: !ttl.tile<32x32, bf16>, %s_in: !ttl.tile<32x32, bf16>, %out: !ttl.tile<32x32, bf16>):
      %product = ttl.tile_matmul %in, %in {depth = 2 : i64, left_strides = array<i64: 2, 0>, right_strides = array<i64: 0, 1>, left_step = 1 : i64, right_step = 2 : i64, transposed = false} : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      %read = ttl.tile_read %s_in {strides = array<i64: 0, 0>, mode = "plain", offset = 0 : i64} : !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      %sum = ttl.tile_compute add %product, %read : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %sum : !ttl.tile<32x32, bf16>
    }
    ttl.dfb_push %y_blk explicit : <[2, 2], !ttl.tile<32x32, bf16>>
    %z_blk = ttl.dfb_reserve %z_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.compute_region ins(%a_blk, %s_blk : !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>, !ttl.block<[1, 1], !ttl.tile<32x32, bf16>>) outs(%z_blk : !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 2, 1>} {
    ^bb0(%in: !ttl.tile<32x32, bf16>, %s_in: !ttl.tile<32x32, bf16>, %out: !ttl.tile<32x32, bf16>):
      %sum = ttl.tile_reduce %in scaled %s_in {pool = "sum", within = "columns", strides = array<i64: 2, 0>, extents = array<i64: 2>, steps = array<i64: 1>} : !ttl.tile<32x32, bf16>, !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %sum : !ttl.tile<32x32, bf16>
    }
    ttl.dfb_push %z_blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
    %w_blk = ttl.dfb_reserve %w_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.compute_region ins(%a_blk : !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>) outs(%w_blk : !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>) attributes {space = array<i64: 2, 1>} {
    ^bb0(%in: !ttl.tile<32x32, bf16>, %out: !ttl.tile<32x32, bf16>):
      %folded = ttl.tile_fold %in {row = "max", strides = array<i64: 2, 0>, extents = array<i64: 2>, steps = array<i64: 1>} : !ttl.tile<32x32, bf16> -> !ttl.tile<32x32, bf16>
      ttl.yield %folded : !ttl.tile<32x32, bf16>
    }
    ttl.dfb_push %w_blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %s_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[2, 2], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %blk = ttl.dfb_wait %y_dfb : <[2, 2], !ttl.tile<32x32, bf16>, 2>
    %slice = ttl.tensor_slice %y_accessor[%zero size 2, %zero size 2] : !ttl.accessor<tensor<64x64xbf16, #encoding>> -> !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>
    %xf = ttl.copy %blk to %slice : !ttl.block<[2, 2], !ttl.tile<32x32, bf16>>, !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>
    ttl.wait %xf explicit
    ttl.dfb_pop %blk explicit : <[2, 2], !ttl.tile<32x32, bf16>>
    %z_blk = ttl.dfb_wait %z_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    %z_slice = ttl.tensor_slice %y_accessor[%zero size 2, %zero] : !ttl.accessor<tensor<64x64xbf16, #encoding>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    %z_xf = ttl.copy %z_blk to %z_slice : !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %z_xf explicit
    ttl.dfb_pop %z_blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
    %w_blk = ttl.dfb_wait %w_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    %w_slice = ttl.tensor_slice %y_accessor[%zero size 2, %one] : !ttl.accessor<tensor<64x64xbf16, #encoding>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    %w_xf = ttl.copy %w_blk to %w_slice : !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    ttl.wait %w_xf explicit
    ttl.dfb_pop %w_blk explicit : <[2, 1], !ttl.tile<32x32, bf16>>
  }
}
