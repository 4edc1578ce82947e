// RUN: ttl-opt %s -p canonicalize --split-input-file --allow-unregistered-dialect | filecheck %s
// What canonicalize knows of the ttl dialect.

// The extents of the grid are constants; along an extent of 1 a coordinate is 0.
// CHECK-LABEL: ttl.operation @grid()
// CHECK-DAG: %[[Y:.*]], %{{.*}} = ttl.node
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: ttl.print ["", "", "", "", ""](%[[Y]], %[[ZERO]], %[[EIGHT]], %[[ONE]]
// CHECK-NOT: ttl.grid_size
ttl.operation @grid() grid <8x1> {
  ttl.datamovement_kernel @read {
    %y, %x = ttl.node : index, index
    %rows, %columns = ttl.grid_size : index, index
    ttl.print ["", "", "", "", ""](%y, %x, %rows, %columns : index, index, index, index)
  }
}

// -----

// In fewer dimensions than it has, the last ones are multiplied.
// CHECK-LABEL: ttl.operation @flat()
// CHECK: %[[ALL:.*]] = arith.constant 24 : index
// CHECK: ttl.print ["", ""](%[[ALL]] : index)
ttl.operation @flat() grid <2x3x4> {
  ttl.datamovement_kernel @read {
    %all = ttl.grid_size : index
    ttl.print ["", ""](%all : index)
  }
}

// -----

// CHECK-LABEL: ttl.operation @one_node()
// CHECK-NOT: ttl.node_linear
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: ttl.print ["", ""](%[[ZERO]] : index)
ttl.operation @one_node() grid <1x1> {
  ttl.datamovement_kernel @read {
    %n = ttl.node_linear
    ttl.print ["", ""](%n : index)
  }
}

// -----

// Static extents are constants, symbolic ones stay; sizes of slices that are constants become part of the type.
// CHECK-LABEL: ttl.operation @shape
// CHECK-DAG: %[[H:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[W:.*]] = ttl.dim %{{.*}} axis 1
// CHECK: "test.use"(%[[H]], %[[W]])
// CHECK: ttl.tensor_slice %{{.*}}[%{{.*}} size 64, %{{.*}} size %[[W]]] : {{.*}} -> !ttl.slice<[64, ?], bf16>
ttl.operation @shape(%a: tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>) grid <1x1> {
  %acc = ttl.tensor_accessor %a : tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>
  ttl.datamovement_kernel @read {
    %i = arith.constant 0 : index
    %h = ttl.dim %acc axis 0 : !ttl.accessor<tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>
    %w = ttl.dim %acc axis 1 : !ttl.accessor<tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>>
    "test.use"(%h, %w) : (index, index) -> ()
    %s = ttl.tensor_slice %acc[%i size %h, %i size %w] : !ttl.accessor<tensor<64x?xbf16, #ttl.encoding<dram, #ttl.layout<row_major, interleaved>>>> -> !ttl.slice<[?, ?], bf16>
    "test.use"(%s) : (!ttl.slice<[?, ?], bf16>) -> ()
  }
}

// -----

// No node has a part in a net without pipes.
// CHECK-LABEL: ttl.operation @no_pipes
// CHECK-NOT: ttl.if_pipe_src
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: "test.use"(%[[NO]])
ttl.operation @no_pipes() grid <1x1> {
  %net = ttl.create_pipe_net "net" []
  ttl.datamovement_kernel @read {
    ttl.if_pipe_src %net {
    ^bb0(%pipe: !ttl.pipe<src>):
      ttl.dma_barrier
    }
    %sends = ttl.is_pipe_src %net
    "test.use"(%sends) : (i1) -> ()
  }
}

// -----

// What acts on buffers, transfers and semaphores stays, though nobody uses its result; expressions and reads of blocks go.
// CHECK-LABEL: ttl.operation @effects
// CHECK: ttl.create_dfb "a_dfb"
// CHECK: ttl.create_semaphore "s"
// CHECK: ttl.dfb_wait
// CHECK-NEXT: ttl.create_group
// CHECK-NEXT: ttl.dma_barrier
// CHECK-NOT: ttl.block_exp
ttl.operation @effects() grid <1x1> {
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %s = ttl.create_semaphore "s" = 0
  ttl.compute_kernel @compute {
    %blk = ttl.dfb_wait %a_dfb : <[1, 1], !ttl.tile<32x32, bf16>, 2>
    %value = ttl.block_read %blk : <[1, 1], !ttl.tile<32x32, bf16>>
    %e = ttl.block_exp %value {approx = false, scale = 1.0 : f64} : tensor<1x1x!ttl.tile<32x32, bf16>> -> tensor<1x1x!ttl.tile<32x32, bf16>>
    %g = ttl.create_group
    ttl.dma_barrier
  }
}

// -----

// A list of one number is that number; an index that is known gives its member, unless there is none.
// CHECK-LABEL: ttl.operation @lists()
// CHECK-DAG: %[[NODE:.*]] = ttl.node_linear
// CHECK-DAG: %[[OUT:.*]] = ttl.lookup [3, -1] at
// CHECK-DAG: %[[KEPT:.*]] = ttl.lookup [2, 5] at %[[NODE]]
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[MINUS:.*]] = arith.constant -1 : index
// CHECK: ttl.print ["", "", "", "", ""](%[[SEVEN]], %[[MINUS]], %[[KEPT]], %[[OUT]]
ttl.operation @lists() grid <2x1> {
  ttl.datamovement_kernel @read {
    %node = ttl.node_linear
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %same = ttl.lookup [7, 7] at %node
    %known = ttl.lookup [3, -1] at %one
    %kept = ttl.lookup [2, 5] at %node
    %outside = ttl.lookup [3, -1] at %two
    ttl.print ["", "", "", "", ""](%same, %known, %kept, %outside : index, index, index, index)
  }
}
