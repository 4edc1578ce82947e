// RUN: not ttl-opt %s --split-input-file -p ttl-materialize,ttl-form-regions,ttl-assign-dst,ttl-subblock,convert-compute-to-ttkernel 2>&1 | filecheck %s

// How many blocks lie before it depends on the way.
// CHECK: error: d is acquired while the kernel holds 0 or 1 other blocks of it, depending on the path to this line
ttl.operation @two_ways() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 3>
  %x = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 3>
    %1 = ttl.node_linear
    %2 = arith.constant 0 : index
    %3 = arith.cmpi eq, %1, %2 : index
    scf.if %3 {
      ttl.dfb_pop %0 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    } else {
    }
    %4 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 3>
    %5 = ttl.block_read %4 : <[1, 1], !ttl.tile<32x32, bf16>>
    %6 = ttl.dfb_reserve %x : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.block_store %5, %6 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %4 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// -----

// The second one lies at the beginning of the ring, and the chip looks for it behind its end.
// CHECK: error: the block of d may be beyond the end of its ring of 2 blocks
ttl.operation @beyond_the_end() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %d = ttl.create_dfb "d" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %o = ttl.create_dfb "o" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %a_blk = ttl.dfb_wait %a : <[1, 1], !ttl.tile<32x32, bf16>, 1>
    %a_value = ttl.block_read %a_blk : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %a_blk explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %0 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.dfb_pop %0 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %1 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %2 = ttl.dfb_wait %d : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %3 = ttl.block_read %1 : <[1, 1], !ttl.tile<32x32, bf16>>
    %4 = ttl.block_read %2 : <[1, 1], !ttl.tile<32x32, bf16>>
    %5 = ttl.block_add %3, %4 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %6 = ttl.dfb_reserve %o : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    ttl.block_store %5, %6 : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_push %6 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %1 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.dfb_pop %2 explicit : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}
