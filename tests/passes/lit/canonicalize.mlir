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
