// RUN: ttl-opt %s -p convert-compute-to-ttkernel --verify-diagnostics
// RUN: ttl-opt %s -p convert-datamovement-to-ttkernel --verify-diagnostics
// RUN: ttl-opt %s -p convert-ttl-to-ttkernel --verify-diagnostics

// Threads of microcores have to be kernels before anything in them is converted.
ttl.operation @threads() grid <1x1> {
  // expected-error@+1 {{ttl.tile_proc has to be converted before, by ttl-microcores-to-kernels}}
  ttl.tile_proc microcores <NOC0, NOC1, UNPACK, MATH, PACK> {
    ttl.thread(@NOC0) @read inferred {
      ttl.dma_barrier
    }
  }
}
