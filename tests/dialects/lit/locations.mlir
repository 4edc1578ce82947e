// RUN: ttl-opt %s --print-debuginfo | filecheck %s

// Ranges, calls, names and aliases that are defined at the end.
// CHECK: ttl.dma_barrier loc("f.py":3:5 to :20)
ttl.dma_barrier loc("f.py":3:5 to :20)
// CHECK: ttl.dma_barrier loc("f.py":3:5 to 4:2)
ttl.dma_barrier loc(#there)
// CHECK: ttl.dma_barrier loc(callsite("f.py":3:5 to :20 at callsite("f.py":9:1 at "g.py":1:2)))
ttl.dma_barrier loc(callsite("f.py":3:5 to :20 at callsite("f.py":9:1 at "g.py":1:2)))
// CHECK: ttl.dma_barrier loc("infer sync")
ttl.dma_barrier loc("infer sync")
// CHECK: ttl.dma_barrier loc(fused<"why">["f.py":3:5, "g.py":1:1])
ttl.dma_barrier loc(fused<"why">["f.py":3:5 to :9, "g.py":1:1])
// CHECK: ttl.dma_barrier loc(unknown)
ttl.dma_barrier loc(unknown)
// CHECK: ttl.dma_barrier loc("{{.*}}locations.mlir":17:1)
ttl.dma_barrier

#there = loc("f.py":3:5 to 4:2)
