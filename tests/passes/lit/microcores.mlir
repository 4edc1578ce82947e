// RUN: ttl-opt %s -p ttl-kernels-to-microcores | filecheck %s
// RUN: ttl-opt %s -p ttl-kernels-to-microcores,ttl-microcores-to-kernels | filecheck %s --check-prefix=BACK

// Kernels as threads of microcores, and back (BACK lines), which is what was written.

// A kernel that asks for a network has it, the other one the other; what stands between kernels stays there.
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

// A compute kernel may say that it is one: that is kept.
// CHECK-LABEL: ttl.operation @hint_of_compute
// CHECK: ttl.thread(@UNPACK, @MATH, @PACK) @compute attributes {microcore_hint = "MATH"} {
// BACK-LABEL: ttl.operation @hint_of_compute
// BACK-NEXT: ttl.compute_kernel @compute attributes {microcore_hint = "MATH"} {
ttl.operation @hint_of_compute() grid <1x1> {
  ttl.compute_kernel @compute attributes {microcore_hint = "MATH"} {
  }
}
