// RUN: ttl-opt %s -p ttkernel-canonicalize | filecheck %s

// Column 0 is neither 1 nor more, and whether a node is in it is not asked again; the other branch knows the opposite.
// CHECK-LABEL: ttkernel.program @nodes
// CHECK: scf.if
// CHECK-NEXT: ttkernel.cb_push_back %first
// CHECK-NEXT: ttkernel.cb_push_back %zero
// CHECK-NEXT: } else {
// CHECK-NEXT: ttkernel.cb_push_back %later
// CHECK-NEXT: }
// CHECK-NEXT: }
ttkernel.program @nodes() grid <2x1> {
  ttkernel.circular_buffer @first index 0 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @zero index 1 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @later index 2 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @read noc {
    %first = ttkernel.get_cb @first : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %zero = ttkernel.get_cb @zero : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %later = ttkernel.get_cb @later : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %x = ttkernel.get_absolute_logical_x
    %is_first = arith.cmpi eq, %x, %0 : index
    %is_later = arith.cmpi sge, %x, %1 : index
    scf.if %is_first {
      scf.if %is_first {
        ttkernel.cb_push_back %first, %1 : <1, !ttl.tile<32x32, bf16>>
      }
      scf.if %is_later {
        ttkernel.cb_push_back %later, %1 : <1, !ttl.tile<32x32, bf16>>
      } else {
        ttkernel.cb_push_back %zero, %1 : <1, !ttl.tile<32x32, bf16>>
      }
    } else {
      scf.if %is_later {
        ttkernel.cb_push_back %later, %1 : <1, !ttl.tile<32x32, bf16>>
      }
    }
  }
}

// Both conditions of an "and" hold where it does, and what they exclude is gone. Behind the branch nothing is known, and
// an "and" that does not hold says nothing of its conditions.
// CHECK-LABEL: ttkernel.program @conditions
// CHECK: scf.if
// CHECK-NEXT: ttkernel.cb_push_back %both
// CHECK-NEXT: } else {
// CHECK: scf.if
// CHECK-NEXT: ttkernel.cb_push_back %open
// CHECK: scf.if
// CHECK-NEXT: ttkernel.cb_push_back %behind
// CHECK-NOT: cb_push_back
ttkernel.program @conditions() grid <4x4> {
  ttkernel.circular_buffer @both index 0 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @open index 1 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.circular_buffer @behind index 2 pages 1 of 2048 bytes : !ttl.tile<32x32, bf16> by user
  ttkernel.kernel @read noc {
    %both = ttkernel.get_cb @both : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %open = ttkernel.get_cb @open : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %behind = ttkernel.get_cb @behind : !ttkernel.cb<1, !ttl.tile<32x32, bf16>>
    %1 = arith.constant 1 : index
    %2 = arith.constant 2 : index
    %x = ttkernel.get_absolute_logical_x
    %y = ttkernel.get_absolute_logical_y
    %right = arith.cmpi sgt, %x, %1 : index
    %low = arith.cmpi sgt, %y, %1 : index
    %corner = arith.andi %right, %low : i1
    %left = arith.cmpi slt, %x, %2 : index
    scf.if %corner {
      scf.if %low {
        ttkernel.cb_push_back %both, %1 : <1, !ttl.tile<32x32, bf16>>
      }
      scf.if %left {
        ttkernel.cb_push_back %open, %1 : <1, !ttl.tile<32x32, bf16>>
      }
    } else {
      scf.if %low {
        ttkernel.cb_push_back %open, %1 : <1, !ttl.tile<32x32, bf16>>
      }
    }
    scf.if %low {
      ttkernel.cb_push_back %behind, %1 : <1, !ttl.tile<32x32, bf16>>
    }
  }
}
