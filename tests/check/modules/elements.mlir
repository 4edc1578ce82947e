// Single elements, indices that are read, assertions, sizes of the grid and of tensors, a barrier, a node's part of a tensor.
#rows = #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>
#tiles = #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>
ttl.operation @elements(%a: tensor<64x64xf32, #rows>, %y: tensor<4x64xf32, #rows>, %t: tensor<128x64xbf16, #tiles>, %u: tensor<128x64xbf16, #tiles>) grid <2x2> {
  %a_rows = ttl.tensor_accessor %a : tensor<64x64xf32, #rows>
  %y_rows = ttl.tensor_accessor %y : tensor<4x64xf32, #rows>
  %t_accessor = ttl.tensor_accessor %t : tensor<128x64xbf16, #tiles>
  %u_accessor = ttl.tensor_accessor %u : tensor<128x64xbf16, #tiles>
  %t_part = ttl.grid_slice %t_accessor [2, 1] : !ttl.accessor<tensor<128x64xbf16, #tiles>>
  %u_part = ttl.grid_slice %u_accessor [2, 1] : !ttl.accessor<tensor<128x64xbf16, #tiles>>
  %row_dfb = ttl.create_dfb "row_dfb" : !ttl.dfb<[1, 64], f32, 2>
  %tile_dfb = ttl.create_dfb "tile_dfb" index 5 : !ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.datamovement_kernel @read {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %half = arith.constant 5.000000e-01 : f64
    %n = ttl.node_linear
    %columns, %rows = ttl.grid_size : index, index
    %height = ttl.dim %a axis 0 : tensor<64x64xf32, #rows>
    %right = arith.cmpi eq, %columns, %rows : index
    ttl.assert %right, "the grid is square"
    %row = ttl.dfb_reserve %row_dfb : <[1, 64], f32, 2>
    %slice = ttl.tensor_slice %a_rows[%n size 1, %zero size 64] : !ttl.accessor<tensor<64x64xf32, #rows>> -> !ttl.slice<[1, 64], f32>
    %xf = ttl.copy %slice to %row : !ttl.slice<[1, 64], f32>, !ttl.block<[1, 64], f32>
    ttl.wait %xf explicit
    %first = ttl.element_read %row[%zero, %one] : <[1, 64], f32>
    ttl.element_write %half, %row[%zero, %zero] : <[1, 64], f32>
    ttl.print ["first ", " of ", ""](%first, %height : f64, index)
    %page = ttl.read_index %row[%zero, %zero] : <[1, 64], f32>
    ttl.dfb_push %row explicit : <[1, 64], f32>
    %tile = ttl.dfb_reserve %tile_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    %part = ttl.tensor_slice %t_part[%zero size 2, %zero] : !ttl.accessor<tensor<128x64xbf16, #tiles>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    %xf_tile = ttl.copy %part to %tile : !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>, !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>
    ttl.dma_barrier
    ttl.dfb_push %tile explicit : <[2, 1], !ttl.tile<32x32, bf16>>
  }
  ttl.datamovement_kernel @write {
    %zero = arith.constant 0 : index
    %n = ttl.node_linear
    %row = ttl.dfb_wait %row_dfb : <[1, 64], f32, 2>
    %slice = ttl.tensor_slice %y_rows[%n size 1, %zero size 64] : !ttl.accessor<tensor<4x64xf32, #rows>> -> !ttl.slice<[1, 64], f32>
    %xf = ttl.copy %row to %slice : !ttl.block<[1, 64], f32>, !ttl.slice<[1, 64], f32>
    ttl.wait %xf explicit
    ttl.dfb_pop %row explicit : <[1, 64], f32>
    %tile = ttl.dfb_wait %tile_dfb : <[2, 1], !ttl.tile<32x32, bf16>, 2>
    %part = ttl.tensor_slice %u_part[%zero size 2, %zero] : !ttl.accessor<tensor<128x64xbf16, #tiles>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    %xfs = ttl.create_group
    %xf_tile = ttl.copy %tile to %part : !ttl.block<[2, 1], !ttl.tile<32x32, bf16>>, !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>
    ttl.group_add %xf_tile to %xfs
    ttl.group_wait %xfs
    ttl.dfb_pop %tile explicit : <[2, 1], !ttl.tile<32x32, bf16>>
  }
}
