// RUN: ttl-opt %s -p ttl-microcores-to-kernels | filecheck %s
// RUN: ttl-opt %s -p ttl-microcores-to-kernels,ttl-kernels-to-microcores | filecheck %s --check-prefix=AGAIN
// RUN: ttl-opt %s -p ttl-check | filecheck %s --check-prefix=CHECKED
// RUN: ttl-opt %s -p ttl-microcores-to-kernels,convert-datamovement-to-ttkernel,convert-ttl-to-ttkernel | filecheck %s --check-prefix=PROGRAM

// Threads of microcores become kernels (CHECK), and these become threads again (AGAIN). A check of threads checks their
// kernels, and leaves the threads as they are (CHECKED). PROGRAM lines show where the kernels run.

// A thread becomes a kernel with a hint, and runs where it is written: here the first thread is on the network that the second
// kernel has by default. What stands between threads stays between kernels.
// CHECK-LABEL: ttl.operation @written
// CHECK-NEXT: ttl.datamovement_kernel @read attributes {microcore_hint = "NOC1"} {
// CHECK: arith.constant
// CHECK: ttl.compute_kernel @compute {
// CHECK: ttl.datamovement_kernel @write attributes {microcore_hint = "NOC0"} {
// AGAIN-LABEL: ttl.operation @written
// AGAIN-NEXT: ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
// AGAIN-NEXT: ttl.thread(@NOC1) @read {
// AGAIN: arith.constant
// AGAIN: ttl.thread(@UNPACK, @MATH, @PACK) @compute {
// AGAIN: ttl.thread(@NOC0) @write {
// CHECKED-LABEL: ttl.operation @written
// CHECKED-NEXT: ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
// CHECKED-NEXT: ttl.thread(@NOC1) @read {
// CHECKED: ttl.thread(@NOC0) @write {
// PROGRAM-LABEL: ttkernel.program @written
// PROGRAM: ttkernel.kernel @read noc on brisc noc 1
// PROGRAM: ttkernel.kernel @write noc on ncrisc noc 0
ttl.operation @written() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC1) @read {
      ttl.dma_barrier
    }
    %c1 = arith.constant 1 : index
    ttl.thread(@UNPACK, @MATH, @PACK) @compute {
      ttl.print ["compute"]
    }
    ttl.thread(@NOC0) @write {
      ttl.dma_barrier
    }
  }
}

// The compiler chose the networks of these threads. They become kernels without hints, for which the compiler chooses the same
// again.
// CHECK-LABEL: ttl.operation @inferred
// CHECK-NEXT: ttl.datamovement_kernel @read {
// CHECK: ttl.datamovement_kernel @write {
// AGAIN-LABEL: ttl.operation @inferred
// AGAIN: ttl.thread(@NOC0) @read inferred {
// AGAIN: ttl.thread(@NOC1) @write inferred {
ttl.operation @inferred() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC0) @read inferred {
      ttl.dma_barrier
    }
    ttl.thread(@NOC1) @write inferred {
      ttl.dma_barrier
    }
  }
}

// Only the network of the second thread is written. The first kernel gets the other one.
// CHECK-LABEL: ttl.operation @first_is_inferred
// CHECK-NEXT: ttl.datamovement_kernel @read {
// CHECK: ttl.datamovement_kernel @write attributes {microcore_hint = "NOC1"} {
// AGAIN-LABEL: ttl.operation @first_is_inferred
// AGAIN: ttl.thread(@NOC0) @read inferred {
// AGAIN: ttl.thread(@NOC1) @write {
ttl.operation @first_is_inferred() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC0) @read inferred {
      ttl.dma_barrier
    }
    ttl.thread(@NOC1) @write {
      ttl.dma_barrier
    }
  }
}

// Only the network of the first thread is written. The second kernel gets the other one.
// CHECK-LABEL: ttl.operation @second_is_inferred
// CHECK-NEXT: ttl.datamovement_kernel @read attributes {microcore_hint = "NOC1"} {
// CHECK: ttl.datamovement_kernel @write {
// AGAIN-LABEL: ttl.operation @second_is_inferred
// AGAIN: ttl.thread(@NOC1) @read {
// AGAIN: ttl.thread(@NOC0) @write inferred {
ttl.operation @second_is_inferred() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC1) @read {
      ttl.dma_barrier
    }
    ttl.thread(@NOC0) @write inferred {
      ttl.dma_barrier
    }
  }
}

// Both threads are for one network, which is declared twice.
// CHECK-LABEL: ttl.operation @one_network
// CHECK-NEXT: ttl.datamovement_kernel @read attributes {microcore_hint = "NOC1"} {
// CHECK: ttl.datamovement_kernel @write attributes {microcore_hint = "NOC1"} {
// AGAIN-LABEL: ttl.operation @one_network
// AGAIN-NEXT: ttl.tile_proc microcores <NOC1, NOC1, UNPACK, MATH, PACK> {
// AGAIN-NEXT: ttl.thread(@NOC1) @read {
// AGAIN: ttl.thread(@NOC1) @write {
// PROGRAM-LABEL: ttkernel.program @one_network
// PROGRAM: ttkernel.kernel @read noc on ncrisc noc 1
// PROGRAM: ttkernel.kernel @write noc on brisc noc 1
ttl.operation @one_network() grid <1x1> {
  ttl.tile_proc microcores <NOC1, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC1) @read {
      ttl.dma_barrier
    }
    ttl.thread(@NOC1) @write {
      ttl.dma_barrier
    }
  }
}

// The role of a thread says where it runs, and "inferred" only who chose that. The compiler would choose other networks for
// these kernels, so they get hints.
// CHECK-LABEL: ttl.operation @against_the_rule
// CHECK-NEXT: ttl.datamovement_kernel @read attributes {microcore_hint = "NOC1"} {
// CHECK: ttl.datamovement_kernel @write attributes {microcore_hint = "NOC0"} {
// AGAIN-LABEL: ttl.operation @against_the_rule
// AGAIN: ttl.thread(@NOC1) @read {
// AGAIN: ttl.thread(@NOC0) @write {
ttl.operation @against_the_rule() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC1) @read inferred {
      ttl.dma_barrier
    }
    ttl.thread(@NOC0) @write inferred {
      ttl.dma_barrier
    }
  }
}

// The same with both threads on one network.
// CHECK-LABEL: ttl.operation @one_network_against_the_rule
// CHECK-NEXT: ttl.datamovement_kernel @read attributes {microcore_hint = "NOC0"} {
// CHECK: ttl.datamovement_kernel @write attributes {microcore_hint = "NOC0"} {
// AGAIN-LABEL: ttl.operation @one_network_against_the_rule
// AGAIN: ttl.thread(@NOC0) @read {
// AGAIN: ttl.thread(@NOC0) @write {
ttl.operation @one_network_against_the_rule() grid <1x1> {
  ttl.tile_proc microcores <NOC0, NOC0> {
    ttl.thread(@NOC0) @read inferred {
      ttl.dma_barrier
    }
    ttl.thread(@NOC0) @write inferred {
      ttl.dma_barrier
    }
  }
}
