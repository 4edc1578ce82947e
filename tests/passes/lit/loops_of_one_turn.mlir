// RUN: ttl-opt %s -p ttkernel-canonicalize | filecheck %s

// The variable of a loop of one turn is a constant, which does not take its name: other loops begin with the same one.
// CHECK-LABEL: ttkernel.program @once
// CHECK-NOT: %word = arith.constant
// CHECK: scf.for %row
ttkernel.program @once() grid <1x1> {
  ttkernel.circular_buffer @a index 0 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @read noc on ncrisc noc 0 {
    %a = ttkernel.get_cb @a : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 4 : index
    scf.for %word = %0 to %1 step %1 {
      %n = arith.addi %word, %1 : index
      ttkernel.cb_reserve_back %a, %n : <1, !ttl.tile<32x32, bf16>>
    }
    scf.for %row = %0 to %2 step %1 {
      %n = arith.addi %row, %1 : index
      ttkernel.cb_push_back %a, %n : <1, !ttl.tile<32x32, bf16>>
    }
  }
}
