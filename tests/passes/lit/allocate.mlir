// RUN: ttl-opt %s -p ttl-allocate | filecheck %s
// RUN: ttl-opt %s -p ttl-allocate,ttl-allocate | filecheck %s
// RUN: ttl-opt %s --ttl-allocate{order=largest} | filecheck %s --check-prefix=LARGEST
// RUN: ttl-opt %s --ttl-allocate{order=smallest} | filecheck %s --check-prefix=SMALLEST

// A buffer that the compiler makes for an intermediate value is marked ttl.made_by = "compiler", and ttl.why says what it is for.
// What does not fit is in not_allocated.mlir.
!tile = !ttl.tile<32x32, bf16>
!dfb = !ttl.dfb<[1, 1], !tile, 1>
!blk = !ttl.block<[1, 1], !tile>

// The buffers of the program have the first numbers, in its order; the compiler's come behind them. Semaphores have numbers of their own.
// CHECK-LABEL: ttl.operation @numbers
// CHECK-NEXT: ttl.create_dfb "t" index 2
// CHECK-NEXT: ttl.create_dfb "a" index 0
// CHECK-NEXT: ttl.create_dfb "b" index 1
// CHECK-NEXT: ttl.create_semaphore "first" = 0 {ttl.id = 0 : i64}
// CHECK-NEXT: ttl.create_semaphore "second" = 4 {ttl.id = 1 : i64}
ttl.operation @numbers() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !tile, 2>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 2>
  %first = ttl.create_semaphore "first" = 0
  %second = ttl.create_semaphore "second" = 4
}

// The compile option order asks for the largest buffers first, or the smallest, the compiler's among them.
// CHECK-LABEL: ttl.operation @order
// LARGEST-LABEL: ttl.operation @order
// SMALLEST-LABEL: ttl.operation @order
ttl.operation @order() grid <1x1> {
  // CHECK: ttl.create_dfb "t" index 2
  // LARGEST: ttl.create_dfb "t" index 1
  // SMALLEST: ttl.create_dfb "t" index 1
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 2], !tile, 1>
  // CHECK: ttl.create_dfb "small" index 0
  // LARGEST: ttl.create_dfb "small" index 2
  // SMALLEST: ttl.create_dfb "small" index 0
  %small = ttl.create_dfb "small" : !dfb
  // CHECK: ttl.create_dfb "large" index 1
  // LARGEST: ttl.create_dfb "large" index 0
  // SMALLEST: ttl.create_dfb "large" index 2
  %large = ttl.create_dfb "large" : !ttl.dfb<[1, 4], !tile, 1>
}

// Of two buffers of one type that are needed one after the other, one is enough: the second value is in the buffer of the first.
// CHECK-LABEL: ttl.operation @one_after_the_other
// CHECK-NEXT: %t = ttl.create_dfb "t" index 0 {{.*}}ttl.why = "a sum; it serves 2 such purposes, one after the other"
// CHECK-NEXT: ttl.compute_kernel
// CHECK: ttl.dfb_pop %t_out
// CHECK-NEXT: %u_in = ttl.dfb_reserve %t
// CHECK: %u_out = ttl.dfb_wait %t
ttl.operation @one_after_the_other() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler", ttl.why = "a sum"} : !dfb
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler", ttl.why = "a product"} : !dfb
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 1], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 1], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 1], !tile>
    %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 1], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
  }
}

// So it is in a loop whose every iteration fills and empties both.
// CHECK-LABEL: ttl.operation @in_every_iteration
// CHECK-NEXT: ttl.create_dfb "t" index 0
// CHECK-NOT: ttl.create_dfb
ttl.operation @in_every_iteration() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !dfb
  ttl.compute_kernel @compute {
    affine.for %i = 0 to 4 {
      %t_in = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
      ttl.dfb_push %t_in explicit : <[1, 1], !tile>
      %t_out = ttl.dfb_wait %t : <[1, 1], !tile, 1>
      ttl.dfb_pop %t_out explicit : <[1, 1], !tile>
      %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
      ttl.dfb_push %u_in explicit : <[1, 1], !tile>
      %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
      ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
    }
  }
}

// They stay two where their types differ, here in the count of blocks,
// CHECK-LABEL: ttl.operation @another_type
// CHECK-NEXT: ttl.create_dfb "t" index 0
// CHECK-NEXT: ttl.create_dfb "u" index 1
ttl.operation @another_type() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 1], !tile, 2>
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 1], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 1], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 1], !tile>
    %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 2>
    ttl.dfb_push %u_in explicit : <[1, 1], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 2>
    ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
  }
}

// where one of them is of the program,
// CHECK-LABEL: ttl.operation @of_the_program
// CHECK-NEXT: ttl.create_dfb "t" index 1
// CHECK-NEXT: ttl.create_dfb "u" index 0
ttl.operation @of_the_program() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %u = ttl.create_dfb "u" : !dfb
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 1], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 1], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 1], !tile>
    %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 1], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
  }
}

// where kernels that run at the same time use them,
// CHECK-LABEL: ttl.operation @another_kernel
// CHECK-NEXT: ttl.create_dfb "t" index 0
// CHECK-NEXT: ttl.create_dfb "u" index 1
ttl.operation @another_kernel() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !dfb
  ttl.datamovement_kernel @read {
    %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 1], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
  }
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 1], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 1], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 1], !tile>
  }
}

// where the first is being filled while the second is in use,
// CHECK-LABEL: ttl.operation @inside_the_other
// CHECK-NEXT: ttl.create_dfb "t" index 0
// CHECK-NEXT: ttl.create_dfb "u" index 1
ttl.operation @inside_the_other() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !dfb
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
    %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 1], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
    ttl.dfb_push %t_in explicit : <[1, 1], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 1], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 1], !tile>
  }
}

// and where a loop carries a value in the first from one iteration to the next, whether the value before the loop is in it
// CHECK-LABEL: ttl.operation @carried
// CHECK-NEXT: ttl.create_dfb "t" index 0
// CHECK-NEXT: ttl.create_dfb "u" index 1
ttl.operation @carried() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !dfb
  ttl.compute_kernel @compute {
    %before = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
    ttl.dfb_push %before explicit : <[1, 1], !tile>
    affine.for %i = 0 to 4 {
      %last = ttl.dfb_wait %t : <[1, 1], !tile, 1>
      ttl.dfb_pop %last explicit : <[1, 1], !tile>
      %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
      ttl.dfb_push %u_in explicit : <[1, 1], !tile>
      %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
      ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
      %next = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
      ttl.dfb_push %next explicit : <[1, 1], !tile>
    }
    %after = ttl.dfb_wait %t : <[1, 1], !tile, 1>
    ttl.dfb_pop %after explicit : <[1, 1], !tile>
  }
}

// or the loop alone uses it.
// CHECK-LABEL: ttl.operation @carried_by_the_loop_alone
// CHECK-NEXT: ttl.create_dfb "t" index 0
// CHECK-NEXT: ttl.create_dfb "u" index 1
ttl.operation @carried_by_the_loop_alone() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !dfb
  ttl.compute_kernel @compute {
    affine.for %i = 0 to 4 {
      %last = ttl.dfb_wait %t : <[1, 1], !tile, 1>
      ttl.dfb_pop %last explicit : <[1, 1], !tile>
      %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
      ttl.dfb_push %u_in explicit : <[1, 1], !tile>
      %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
      ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
      %next = ttl.dfb_reserve %t : <[1, 1], !tile, 1>
      ttl.dfb_push %next explicit : <[1, 1], !tile>
    }
  }
}

// L1 has room for 681 tiles of bfloat16: too few for 300, 300 and 150. u keeps its number, and its blocks lie in the memory of t, which is not in use
// at the same time. In 300 tiles, two blocks of 150 end where the ring ends.
// CHECK-LABEL: ttl.operation @scarce
// CHECK-NEXT: ttl.create_dfb "a" index 0
// CHECK-NEXT: ttl.create_dfb "t" index 1
// CHECK-NEXT: ttl.create_dfb "u" index 2 {{.*}}ttl.why = "a row; it uses the memory of t, at another time"{{.*}}ttl.shares = "t"
ttl.operation @scarce() grid <1x1> {
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 300], !tile, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 300], !tile, 1>
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler", ttl.why = "a row"} : !ttl.dfb<[1, 150], !tile, 1>
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 300], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 300], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 300], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 300], !tile>
    %u_in = ttl.dfb_reserve %u : <[1, 150], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 150], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 150], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 150], !tile>
  }
}

// Memory that is enough is not shared.
// CHECK-LABEL: ttl.operation @enough
// CHECK-NEXT: ttl.create_dfb "t" index 0 {ttl.made_by = "compiler"}
// CHECK-NEXT: ttl.create_dfb "u" index 1 {ttl.made_by = "compiler"}
ttl.operation @enough() grid <1x1> {
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 2], !tile, 1>
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !dfb
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 2], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 2], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 2], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 2], !tile>
    %u_in = ttl.dfb_reserve %u : <[1, 1], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 1], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 1], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 1], !tile>
  }
}

// A tensor in L1 leaves less room. Of 128 tiles that are interleaved over all 64 nodes a node has 2, which leaves 679;
// CHECK-LABEL: ttl.operation @beside_interleaved_pages
// CHECK: ttl.create_dfb "a" index 0
// CHECK-NEXT: ttl.create_dfb "t" index 1
#pages = #ttl.encoding<l1, #ttl.layout<tiled, interleaved>>
ttl.operation @beside_interleaved_pages(%x: tensor<2048x64xbf16, #pages>) grid <1x1> {
  %accessor = ttl.tensor_accessor %x : tensor<2048x64xbf16, #pages>
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 678], !tile, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
}

// a shard of 256 x 64 elements takes 16 on the node that has it,
// CHECK-LABEL: ttl.operation @beside_a_shard
// CHECK: ttl.create_dfb "a" index 0
// CHECK-NEXT: ttl.create_dfb "t" index 1
#shard = #ttl.encoding<l1, #ttl.layout<tiled, height_sharded, [256, 64], 8x1 at [0, 1]>>
ttl.operation @beside_a_shard(%x: tensor<2048x64xbf16, #shard>) grid <1x1> {
  %accessor = ttl.tensor_accessor %x : tensor<2048x64xbf16, #shard>
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 664], !tile, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
}

// and so do four shards of 64 x 64 elements: 32 of them are on 8 nodes, a row of 4 and a square of 2 x 2.
// CHECK-LABEL: ttl.operation @beside_four_shards
// CHECK: ttl.create_dfb "a" index 0
// CHECK-NEXT: ttl.create_dfb "t" index 1
#four_shards = #ttl.encoding<l1, #ttl.layout<tiled, height_sharded, [64, 64], 4x1, 2x2 at [4, 4]>>
ttl.operation @beside_four_shards(%x: tensor<2048x64xbf16, #four_shards>) grid <1x1> {
  %accessor = ttl.tensor_accessor %x : tensor<2048x64xbf16, #four_shards>
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 664], !tile, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !dfb
}
