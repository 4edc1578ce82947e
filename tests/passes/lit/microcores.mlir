// RUN: ttl-opt %s -p ttl-kernels-to-microcores | filecheck %s
// RUN: ttl-opt %s -p ttl-kernels-to-microcores,ttl-microcores-to-kernels | filecheck %s --check-prefix=BACK

// Kernels become threads of microcores, and these become kernels again (BACK), as they were written.

// The first kernel asks for NoC 1, so the other kernel that moves data gets NoC 0, marked as inferred. What stands between
// kernels stays there.
// CHECK-LABEL: ttl.operation @f
// CHECK-NEXT: ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
// CHECK-NEXT: ttl.thread(@NOC1) @read {
// CHECK: arith.constant
// CHECK: ttl.thread(@UNPACK, @MATH, @PACK) @compute {
// CHECK: ttl.thread(@NOC0) @write inferred {

// BACK-LABEL: ttl.operation @f
// BACK-NEXT: ttl.datamovement_kernel @read attributes {microcore_hint = "NOC1"} {
// BACK: arith.constant
// BACK: ttl.compute_kernel @compute {
// BACK: ttl.datamovement_kernel @write {
ttl.operation @f() grid <1x1> {
  ttl.datamovement_kernel @read attributes {microcore_hint = "NOC1"} {
    ttl.dma_barrier
  }
  %one = arith.constant 1 : index
  ttl.compute_kernel @compute {
    %y, %x = ttl.node : index, index
  }
  ttl.datamovement_kernel @write {
    ttl.dma_barrier
  }
}

// A compute kernel keeps its hint.
// CHECK-LABEL: ttl.operation @hint_of_compute
// CHECK: ttl.thread(@UNPACK, @MATH, @PACK) @compute attributes {microcore_hint = "MATH"} {
// BACK-LABEL: ttl.operation @hint_of_compute
// BACK-NEXT: ttl.compute_kernel @compute attributes {microcore_hint = "MATH"} {
ttl.operation @hint_of_compute() grid <1x1> {
  ttl.compute_kernel @compute attributes {microcore_hint = "MATH"} {
  }
}
