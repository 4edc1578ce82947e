// RUN: ttl-opt %s -p ttl-canonicalize | filecheck %s
// RUN: ttl-opt %s -p ttl-canonicalize,ttl-canonicalize | filecheck %s

// What the grid says is a constant; what a loop does not change is computed before it, once; what nobody asks for is gone.
// CHECK-LABEL: ttl.operation @arithmetic
ttl.operation @arithmetic(%x: tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>) grid <1x4> {
  ttl.datamovement_kernel @read {
    %y, %z = ttl.node : index, index
    %size:2 = ttl.grid_size : index, index
    %unused = arith.addi %z, %z : index
    affine.for %i = 0 to 8 {
      // CHECK: %[[SIZE:.*]] = arith.constant 4 : index
      // CHECK-NEXT: %[[PART:.*]] = arith.muli %z, %[[SIZE]]
      // CHECK-NEXT: affine.for %i
      // CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[PART]], %i
      // CHECK-NEXT: ttl.print ["", "", ""](%[[SUM]], %[[PART]]
      %0 = arith.muli %z, %size#1 : index
      %1 = arith.muli %z, %size#1 : index
      %2 = arith.addi %0, %i : index
      %3 = arith.addi %2, %y : index
      ttl.print ["", "", ""](%3, %1 : index, index)
    }
    // A loop of one turn is what it does, and a branch that is decided is one of its ends.
    // CHECK-NOT: affine.for
    // CHECK-NOT: scf.if
    // CHECK: ttl.print ["once"]
    affine.for %j = 0 to 1 {
      %c0 = arith.constant 0 : index
      %first = arith.cmpi eq, %j, %c0 : index
      scf.if %first {
        ttl.print ["once"]
      } else {
        ttl.print ["never"]
      }
    }
  }
}

// CHECK-LABEL: ttl.operation @reads
ttl.operation @reads() grid <1x1> {
  %x_dfb = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %x = ttl.dfb_wait %x_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %y = ttl.dfb_reserve %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    // A block that is read twice is read once; a store into another block leaves what was read.
    // CHECK: %[[FIRST:.*]] = ttl.block_read %x
    // CHECK-NEXT: %[[PRODUCT:.*]] = ttl.block_mul %[[FIRST]], %[[FIRST]]
    // CHECK-NEXT: ttl.block_store %[[PRODUCT]], %y
    // CHECK-NEXT: ttl.block_accumulate %[[FIRST]], %y
    %0 = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    %1 = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    %2 = ttl.block_mul %0, %1 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    ttl.block_store %2, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    %3 = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_accumulate %3, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    // It is read again behind what may change it: a store into it, a barrier, its release.
    // CHECK-NEXT: ttl.block_store %[[FIRST]], %x
    // CHECK-NEXT: %[[SECOND:.*]] = ttl.block_read %x
    // CHECK-NEXT: ttl.block_accumulate %[[SECOND]], %y
    ttl.block_store %3, %x : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    %4 = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_accumulate %4, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    // CHECK: ttl.dma_barrier
    // CHECK: %[[THIRD:.*]] = ttl.block_read %x
    // CHECK-NEXT: ttl.block_accumulate %[[THIRD]], %y
    affine.for %i = 0 to 2 {
      ttl.dma_barrier
    }
    %5 = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_accumulate %5, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    // CHECK-NEXT: ttl.dfb_pop %x
    // CHECK-NEXT: %[[FOURTH:.*]] = ttl.block_read %x
    // CHECK-NEXT: ttl.block_accumulate %[[FOURTH]], %y
    ttl.dfb_pop %x explicit : <[1, 1], !ttl.tile<32x32, bf16>>
    %6 = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    ttl.block_accumulate %6, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
    // A read that nobody uses is gone.
    // CHECK: ttl.dma_barrier
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    affine.for %i = 0 to 2 {
      ttl.dma_barrier
    }
    %unused = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// What a branch gives and nobody takes is gone; what it stores stays.
// CHECK-LABEL: ttl.operation @branches
ttl.operation @branches() grid <1x4> {
  %x_dfb = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  ttl.compute_kernel @compute {
    %x = ttl.dfb_wait %x_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %y = ttl.dfb_reserve %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %value = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    %node = ttl.node_linear
    %two = arith.constant 2 : index
    %low = arith.cmpi slt, %node, %two : index
    // CHECK: %[[TAKEN:.*]] = scf.if %low -> (tensor<1x1x!ttl.tile<32x32, bf16>>) {
    // CHECK-NEXT: %[[NEG:.*]] = ttl.block_neg
    // CHECK-NEXT: ttl.block_store %[[NEG]], %y
    // CHECK-NEXT: scf.yield %value :
    // CHECK-NEXT: } else {
    // CHECK-NEXT: %[[SQUARE:.*]] = ttl.block_square
    // CHECK-NEXT: scf.yield %[[SQUARE]] :
    // CHECK-NEXT: }
    // CHECK-NEXT: ttl.block_accumulate %[[TAKEN]], %y
    %taken, %unused = scf.if %low -> (tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>>) {
      %0 = ttl.block_neg %value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.block_store %0, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
      scf.yield %value, %0 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>>
    } else {
      %1 = ttl.block_square %value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      %2 = ttl.block_abs %value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      scf.yield %1, %2 : tensor<1x1x!ttl.tile<32x32, bf16>>, tensor<1x1x!ttl.tile<32x32, bf16>>
    }
    ttl.block_accumulate %taken, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
  }
}

// Numbers leave a loop, values of blocks stay, and so does a division that may be by zero.
// CHECK-LABEL: ttl.operation @loops
ttl.operation @loops(%a: tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>) grid <1x4> {
  %accessor = ttl.tensor_accessor %a : tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>
  %x_dfb = ttl.create_dfb "x" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %y_dfb = ttl.create_dfb "y" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %outside = arith.constant 7 : index
  ttl.compute_kernel @compute {
    %x = ttl.dfb_wait %x_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %y = ttl.dfb_reserve %y_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %value = ttl.block_read %x : <[1, 1], !ttl.tile<32x32, bf16>>
    %n = ttl.dim %accessor axis 1 : !ttl.accessor<tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>
    // A kernel has its own constants.
    // CHECK: ttl.compute_kernel @compute
    // CHECK: %[[SEVEN:.*]] = arith.constant 7 : index
    // CHECK: %node = ttl.node_linear
    // CHECK: %[[PRODUCT:.*]] = arith.muli %node, %[[SEVEN]]
    // CHECK: %[[QUARTER:.*]] = arith.floordivsi %n, %four
    // CHECK: affine.for %i
    // CHECK-NEXT: %[[NEG:.*]] = ttl.block_neg
    // CHECK-NEXT: ttl.block_accumulate %[[NEG]], %y
    // CHECK-NEXT: %[[ONE:.*]] = arith.floordivsi %n, %n
    // CHECK-NEXT: ttl.print ["", "", "", ""](%[[PRODUCT]], %[[QUARTER]], %[[ONE]]
    %seven = arith.constant 7 : index
    affine.for %i = 0 to 4 {
      %node = ttl.node_linear
      %product = arith.muli %node, %seven : index
      %negated = ttl.block_neg %value : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
      ttl.block_accumulate %negated, %y : tensor<1x1x!ttl.tile<32x32, bf16>> -> <[1, 1], !ttl.tile<32x32, bf16>>
      %four = arith.constant 4 : index
      %quarter = arith.floordivsi %n, %four : index
      %one = arith.floordivsi %n, %n : index
      ttl.print ["", "", "", ""](%product, %quarter, %one : index, index, index)
    }
    // The height of the tensor is known.
    // CHECK: %[[HEIGHT:.*]] = arith.constant 64 : index
    // CHECK: ttl.print ["", ""](%[[HEIGHT]]
    %height = ttl.dim %accessor axis 0 : !ttl.accessor<tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>
    ttl.print ["", ""](%height : index)
  }
}
