// RUN: ttl-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect
// What the verifiers of the ttl dialect refuse, one mistake in each piece.

// expected-error@+1 {{a grid has at least one node along each dimension, not (8, 0)}}
ttl.operation @f() grid <8x0> {
}

// -----

// expected-error@+1 {{'ttl.operation' op 1 arguments have 2 names}}
"ttl.operation"() <{sym_name = "f", grid = #ttl.grid<1x1>, arg_names = ["a", "b"]}> ({
^bb0(%a: index):
}) : () -> ()

// -----

// expected-error@+1 {{'ttl.compute_kernel' op 'ttl.compute_kernel' expects parent op 'ttl.operation'}}
ttl.compute_kernel @compute {
}

// -----

// expected-error@+1 {{a dataflow buffer holds at least one block, not 0}}
%a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 1], f32, 0>

// -----

// expected-error@+1 {{every extent of a block is at least 1, not [2, 0]}}
%a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 0], f32, 2>

// -----

// expected-error@+1 {{unknown element type f17, known are bf16, f32}}
%a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2], !ttl.tile<32x32, f17>, 2>

// -----

// expected-error@+1 {{a tile is 16 or 32 wide and 1, 2, 4, 8, 16 or 32 high, not 32x8}}
%a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2], !ttl.tile<32x8, f32>, 2>

// -----

%a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 1], f32, 2>
// expected-error@+1 {{'ttl.dfb_wait' op a block of !ttl.dfb<[2, 1], f32, 2> is no !ttl.block<[2, 2], f32>}}
%blk = "ttl.dfb_wait"(%a_dfb) : (!ttl.dfb<[2, 1], f32, 2>) -> !ttl.block<[2, 2], f32>

// -----

%blk = "test.block"() : () -> !ttl.block<[2, 1], f32>
// expected-error@+1 {{'ttl.dfb_pop' op a block is given back explicit, with, inferred, not sometimes}}
ttl.dfb_pop %blk sometimes : <[2, 1], f32>

// -----

%blk = "test.block"() : () -> !ttl.block<[2, 1], f32>
// expected-error@+1 {{'ttl.block_read' op the value of !ttl.block<[2, 1], f32> is tensor<2x1xf32>, not tensor<2x1xbf16>}}
%value = "ttl.block_read"(%blk) : (!ttl.block<[2, 1], f32>) -> tensor<2x1xbf16>

// -----

%blk, %i = "test.block"() : () -> (!ttl.block<[2, 1], f32>, index)
// expected-error@+1 {{'ttl.block_read' op a part of !ttl.block<[2, 1], f32> has 2 offsets and extents, not 1 and 2}}
%value = "ttl.block_read"(%blk, %i) : (!ttl.block<[2, 1], f32>, index) -> tensor<1x1xf32>

// -----

%blk, %i = "test.block"() : () -> (!ttl.block<[2, 1], f32>, index)
// expected-error@+1 {{'ttl.block_read' op [1, 2] is not part of !ttl.block<[2, 1], f32>}}
%value = "ttl.block_read"(%blk, %i, %i) : (!ttl.block<[2, 1], f32>, index, index) -> tensor<1x2xf32>

// -----

%value, %blk, %i = "test.values"() : () -> (tensor<3x1xf32>, !ttl.block<[2, 1], f32>, index)
// expected-error@+1 {{'ttl.block_store' op [3, 1] is not part of !ttl.block<[2, 1], f32>}}
"ttl.block_store"(%blk, %value, %i, %i) : (!ttl.block<[2, 1], f32>, tensor<3x1xf32>, index, index) -> ()

// -----

%blk, %i = "test.block"() : () -> (!ttl.block<[2, 1], f32>, index)
// expected-error@+1 {{'ttl.block_view' op a part of !ttl.block<[2, 1], f32> has its elements, not bf16}}
%view = "ttl.block_view"(%blk, %i, %i) : (!ttl.block<[2, 1], f32>, index, index) -> !ttl.block<[1, 1], bf16>

// -----

%a, %b = "test.values"() : () -> (tensor<2x1x!ttl.tile<32x32, bf16>>, tensor<2x2x!ttl.tile<32x32, bf16>>)
// expected-error@+1 {{'ttl.block_add' op a + b: blocks of different shapes, a: (2, 1) tiles = (64, 32) elements and b: (2, 2) tiles}}
%c = ttl.block_add %a, %b : tensor<2x1x!ttl.tile<32x32, bf16>>, tensor<2x2x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>

// -----

%a = "test.value"() : () -> tensor<2x1x!ttl.tile<32x32, bf16>>
// expected-error@+1 {{'ttl.block_exp' op the result is tensor<2x1x!ttl.tile<32x32, bf16>>, not tensor<2x1x!ttl.tile<32x32, f32>>}}
%c = ttl.block_exp %a {approx = false, scale = 1.0 : f64} : tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, f32>>

// -----

%a = "test.value"() : () -> tensor<2x1x!ttl.tile<32x32, bf16>>
// expected-error@+1 {{'ttl.block_reduce_sum' op the parameter dims is missing}}
%c = ttl.block_reduce_sum %a : tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>

// -----

%a = "test.value"() : () -> tensor<2x1x!ttl.tile<32x32, bf16>>
// expected-error@+1 {{'ttl.block_add' op add takes 2 operands, not 1}}
%c = ttl.block_add %a : tensor<2x1x!ttl.tile<32x32, bf16>> -> tensor<2x1x!ttl.tile<32x32, bf16>>

// -----

%a = "test.value"() : () -> !ttl.transfer
// expected-error@+1 {{'ttl.block_neg' op an operand is the value of a block or a number, not !ttl.transfer}}
%c = ttl.block_neg %a : !ttl.transfer -> tensor<2x1xf32>

// -----

%a = "test.value"() : () -> !ttl.accessor<tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>>
%i = arith.constant 0 : index
// expected-error@+1 {{'ttl.tensor_slice' op a slice of a tensor of 2 dimensions has 2 offsets and sizes, not 1 and 1}}
%c = ttl.tensor_slice %a[%i size 2] : !ttl.accessor<tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>> -> !ttl.slice<[2, 1], !ttl.tile<32x32, bf16>>

// -----

%a = "test.value"() : () -> !ttl.accessor<tensor<64xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>
%i = arith.constant 0 : index
// expected-error@+1 {{'ttl.tensor_slice' op the slice is !ttl.slice<[2], bf16>, not !ttl.slice<[3], bf16>}}
%c = ttl.tensor_slice %a[%i size 2] : !ttl.accessor<tensor<64xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>> -> !ttl.slice<[3], bf16>

// -----

%blk = "test.block"() : () -> !ttl.block<[2, 1], f32>
// expected-error@+1 {{'ttl.copy' op one end of a copy is a block, and the other a slice or a pipe, not !ttl.block<[2, 1], f32> and !ttl.block<[2, 1], f32>}}
%xf = ttl.copy %blk to %blk : !ttl.block<[2, 1], f32>, !ttl.block<[2, 1], f32>

// -----

%blk, %pipe = "test.block"() : () -> (!ttl.block<[2, 1], f32>, !ttl.pipe<dst>)
// expected-error@+1 {{'ttl.copy' op the dst of a copy cannot be !ttl.pipe<dst>}}
%xf = ttl.copy %blk to %pipe : !ttl.block<[2, 1], f32>, !ttl.pipe<dst>

// -----

%blk, %slice = "test.block"() : () -> (!ttl.block<[2, 1], f32>, !ttl.slice<[2, 1], bf16>)
// expected-error@+1 {{'ttl.copy' op nothing is converted: bf16 to or from f32}}
%xf = ttl.copy %slice to %blk : !ttl.slice<[2, 1], bf16>, !ttl.block<[2, 1], f32>

// -----

// expected-error@+1 {{source and destination of a pipe have one coordinate at least}}
%net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> []>]

// -----

// expected-error@+1 {{the step of a range is at least 1, not 0}}
%net = ttl.create_pipe_net "net" [#ttl.pipe<[0] -> [0:4:0]>]

// -----

%net = ttl.create_pipe_net "net" []
// expected-error@+1 {{'ttl.if_pipe_src' op the region has one argument, a !ttl.pipe<src>, not !ttl.pipe<dst>}}
ttl.if_pipe_src %net {
^bb0(%pipe: !ttl.pipe<dst>):
}

// -----

// expected-error@+1 {{'ttl.create_semaphore' op a semaphore holds 0 to 4294967295, not -1}}
%s = ttl.create_semaphore "s" = -1

// -----

%s = ttl.create_semaphore "s" = 0
%i = arith.constant 0 : index
// expected-error@+1 {{'ttl.semaphore_wait' op a semaphore is compared with eq or ge, not lt}}
ttl.semaphore_wait %s lt %i

// -----

%a = "test.value"() : () -> !ttl.accessor<tensor<64xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>
// expected-error@+1 {{'ttl.dim' op a tensor of 1 dimensions has no axis 1}}
%n = ttl.dim %a axis 1 : !ttl.accessor<tensor<64xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>

// -----

// expected-error@+1 {{'ttl.print' op there is text around 0 operands: 1 pieces, not 2}}
ttl.print ["a", "b"]

// -----

// expected-error@+1 {{'ttl.signpost' op a signpost is of the begin or the end of a range, not middle}}
ttl.signpost middle "load"

// -----

// A value is defined before it is used.
ttl.operation @f() grid <1x1> {
  ttl.datamovement_kernel @read {
    // expected-error@+1 {{operand #0 does not dominate this use}}
    ttl.print ["", ""](%i : index)
    // expected-note@+1 {{operand defined here (op in the same block)}}
    %i = arith.constant 0 : index
  }
}

// -----

// What is in a kernel is not seen in the next one.
ttl.operation @f() grid <1x1> {
  ttl.datamovement_kernel @read {
    %i = arith.constant 0 : index
  }
  ttl.datamovement_kernel @write {
    // expected-error@below {{use of undeclared SSA value name %i}}
    ttl.print ["", ""](%i : index)
  }
}

// -----

// expected-error@+1 {{unregistered operation 'ttl.dfb_want' found in dialect ('ttl') that does not allow unknown operations; did you mean ttl.dfb_wait?}}
ttl.dfb_want

// -----

%blk = "test.block"() : () -> !ttl.block<[2, 1], f32>
// expected-error@+1 {{expected a !ttl.dfb, not !ttl.block<[2, 1], f32>}}
%x = ttl.dfb_wait %blk : !ttl.block<[2, 1], f32>

// -----

// expected-error@+1 {{shards given out col_major need the nodes that get them}}
"test.value"() {a = #ttl.layout<tiled, height_sharded, [32, 32], col_major>} : () -> ()

// -----

// expected-error@+1 {{expected columns and rows of nodes, such as 2x4 at [1, 0]}}
"test.value"() {a = #ttl.layout<tiled, height_sharded, [32, 32], 2x2x2>} : () -> ()

// -----

// expected-error@+1 {{no nodes: 0x2}}
"test.value"() {a = #ttl.layout<tiled, height_sharded, [32, 32], 0x2>} : () -> ()

// -----

%i = arith.constant 0 : index
// expected-error@+1 {{there is nothing to look up in an empty list}}
%x = ttl.lookup [] at %i

// -----

%i = arith.constant 0 : index
// expected-error@+1 {{the members of a list have to fit 32 bits together, with or without a sign}}
%x = ttl.lookup [-1, 4294967295] at %i

// -----

// Distributed tensors (section 10.3).
// expected-error@+1 {{grid and shard have as many dimensions, not [2] and [1, 2]}}
%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2], shard=[1, 2], f32, sharded, l1>

// -----

// expected-error@+1 {{every extent of grid and shard is at least 1, not [2, 0] and [1, 2]}}
%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 0], shard=[1, 2], f32, sharded, l1>

// -----

// expected-error@+1 {{shards are rows and columns of a tensor of two dimensions, not 1}}
%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2], shard=[2], f32, sharded, l1>

// -----

// expected-error@+1 {{a tensor that is replicated has one shard, the whole tensor, not a grid of [2, 1]}}
%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 1], shard=[1, 2], f32, replicated, l1>

// -----

// expected-error@+1 {{a distributed tensor is in l1 or dram, not dst}}
%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 1], shard=[1, 2], f32, sharded, dst>

// -----

// expected-error@+1 {{expected l1 or dram or dst or system, not l3}}
%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 1], shard=[1, 2], f32, sharded, l3>

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  // expected-error@+1 {{a tensor of [2, 8] x !ttl.tile<32x32, bf16> in l1 is not a distributed tensor of [2, 4] x !ttl.tile<32x32, bf16> in l1}}
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, l1>
}

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  // expected-error@+1 {{shards of (2, 1) tiles are requested of a tensor whose shards in L1 have (1, 2) (TTL0533)}}
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[1, 8], shard=[2, 1], !ttl.tile<32x32, bf16>, sharded, l1>
}

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x4> {
  // expected-error@+1 {{8 shards (2 below and 4 beside each other) for 16 nodes, a grid of (4, 4) (TTL0532)}}
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
}

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <2x4> {
  // expected-error@+1 {{which the operation's grid (2, 4) does not have (TTL0533)}}
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
}

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  // expected-error@+1 {{the shards in L1 follow the nodes row_major, not col_major}}
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1, col_major>
}

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  // expected-error@+1 {{a tensor that is block_sharded is not interleaved (TTL0533)}}
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, interleaved, l1>
}

// -----

%a = "test.make"() : () -> !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, interleaved, l1>
// expected-error@+1 {{the shard of a tensor that is interleaved (TTL0534)}}
%s = ttl.extract_shard %a : !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, interleaved, l1> -> !ttl.slice<[2, 8], !ttl.tile<32x32, bf16>>

// -----

%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
// expected-error@+1 {{the shard of a node is !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>> or memref<1x2x!ttl.tile<32x32, bf16>, "l1">, not !ttl.slice<[2, 2]}}
%s = ttl.extract_shard %a : !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1> -> !ttl.slice<[2, 2], !ttl.tile<32x32, bf16>>

// -----

%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
%blk = "test.block"() : () -> !ttl.block<[1, 2], !ttl.tile<32x32, bf16>>
%b = ttl.redistribute %a strategy=sharded : !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
// expected-error@+1 {{the result of a redistribution cannot be written to}}
%s = ttl.extract_shard %b : !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1> -> !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>
%xf = ttl.copy %blk to %s : !ttl.block<[1, 2], !ttl.tile<32x32, bf16>>, !ttl.slice<[1, 2], !ttl.tile<32x32, bf16>>

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, replicated, l1>
  ttl.datamovement_kernel @write {
  %blk = "test.block"() : () -> !ttl.block<[2, 8], !ttl.tile<32x32, bf16>>
  // expected-error@+1 {{a replicated tensor is written by all 8 nodes of the grid (TTL0535)}}
  %s = ttl.extract_shard %a : !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, replicated, l1> -> !ttl.slice<[2, 8], !ttl.tile<32x32, bf16>>
  %xf = ttl.copy %blk to %s : !ttl.block<[2, 8], !ttl.tile<32x32, bf16>>, !ttl.slice<[2, 8], !ttl.tile<32x32, bf16>>
  }
}

// -----

%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
// expected-error@+1 {{the result is interleaved, not !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>}}
%b = ttl.redistribute %a strategy=interleaved : !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>

// -----

%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
// expected-error@+1 {{a redistribution keeps shape and elements: [2, 8] x !ttl.tile<32x32, bf16> is not [2, 4] x !ttl.tile<32x32, bf16>}}
%b = ttl.redistribute %a strategy=sharded : !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, l1>

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
ttl.operation @f(%x: tensor<64x256xbf16, #l1>) grid <4x2> {
  %a = ttl.distribute %x : tensor<64x256xbf16, #l1> -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
  // expected-error@+1 {{4 shards (2 below and 2 beside each other) for 8 nodes, a grid of (4, 2) (TTL0532)}}
  %b = ttl.redistribute %a strategy=sharded : !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1> -> !ttl.dist_tensor<grid=[2, 2], shard=[1, 4], !ttl.tile<32x32, bf16>, sharded, l1>
}

// -----

%a = "test.make"() : () -> !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, replicated, l1>
%dfb = ttl.create_dfb "dfb" : !ttl.dfb<[2, 8], !ttl.tile<32x32, bf16>, 2>
// expected-error@+1 {{only a sharded tensor can be gathered, not one that is replicated}}
ttl.gather_shards %a to %dfb : !ttl.dist_tensor<grid=[1, 1], shard=[2, 8], !ttl.tile<32x32, bf16>, replicated, l1>, !ttl.dfb<[2, 8], !ttl.tile<32x32, bf16>, 2>

// -----

%a = "test.make"() : () -> !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>
%dfb = ttl.create_dfb "dfb" : !ttl.dfb<[2, 8], !ttl.tile<32x32, bf16>, 2>
// expected-error@+1 {{a block of the buffer is a shard, [1, 2] x !ttl.tile<32x32, bf16>, not [2, 8]}}
ttl.gather_shards %a to %dfb : !ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>, !ttl.dfb<[2, 8], !ttl.tile<32x32, bf16>, 2>

// -----

#l1 = #ttl.encoding<l1, #ttl.layout<tiled, block_sharded, [32, 64], 4x2>>
%t = "test.make"() : () -> !ttl.accessor<tensor<64x256xbf16, #l1>>
%i = arith.constant 0 : index
// expected-error@+1 {{a tensor of [2, 8] x !ttl.tile<32x32, bf16> in l1 is not a distributed tensor of [2, 2]}}
%s = ttl.tensor_slice %t[%i size 1, %i size 1] of !ttl.dist_tensor<grid=[2, 2], shard=[1, 1], !ttl.tile<32x32, bf16>, sharded, l1> : !ttl.accessor<tensor<64x256xbf16, #l1>> -> !ttl.slice<[1, 1], !ttl.tile<32x32, bf16>>
