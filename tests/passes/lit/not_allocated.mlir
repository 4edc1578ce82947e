// RUN: ttl-opt %s -p ttl-allocate --split-input-file --verify-diagnostics
// RUN: not ttl-opt %s -p ttl-allocate --split-input-file 2>&1 | filecheck %s
// RUN: not ttl-opt %s --ttl-target=chip=blackhole -p ttl-allocate --split-input-file 2>&1 | filecheck %s --check-prefix=BLACKHOLE

// What the program alone has too much of is reported for the chip that the operation is compiled for: this fits Blackhole,
// CHECK: error: dataflow buffers take 1433600 bytes of L1, and a node of wormhole has 1395424 [TTL0801]
// BLACKHOLE: ttl.create_dfb "a" index 0
ttl.operation @too_much_for_wormhole() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 1433600 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 700], !ttl.tile<32x32, bf16>, 1>
}

// -----

// and this no chip.
// CHECK: error: dataflow buffers take 1536000 bytes of L1, and a node of wormhole has
// BLACKHOLE: error: dataflow buffers take 1536000 bytes of L1, and a node of blackhole has
ttl.operation @too_much() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 1536000 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 750], !ttl.tile<32x32, bf16>, 1>
}

// -----

// Where only the buffers of the compiler make it too much, the error names them, and says why they are there.
// CHECK: error: dataflow buffers take 1433600 bytes of L1, 204800 of them in buffers that the compiler needs, and a node of wormhole has 1395424 [TTL1430]
// CHECK: the compiler's buffers:
// CHECK-NEXT: t (line {{.*}}): a sum
ttl.operation @too_much_with_the_compilers() grid <1x1> {
  // expected-error@+1 {{204800 of them in buffers that the compiler needs}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 600], !ttl.tile<32x32, bf16>, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler", ttl.why = "a sum"} : !ttl.dfb<[1, 100], !ttl.tile<32x32, bf16>, 1>
}

// -----

// Memory is not shared with blocks that would cross its end: the ring of t is 300 tiles long, and the third block of 149 tiles would cross that,
// CHECK: error: dataflow buffers take 1533952 bytes of L1, 919552 of them in buffers that the compiler needs
!tile = !ttl.tile<32x32, bf16>
ttl.operation @ends_before_the_ring() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 1533952 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 300], !tile, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 300], !tile, 1>
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 149], !tile, 1>
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 300], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 300], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 300], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 300], !tile>
    %u_in = ttl.dfb_reserve %u : <[1, 149], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 149], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 149], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 149], !tile>
  }
}

// -----

// as the second of 200 tiles would.
// CHECK: error: dataflow buffers take 1638400 bytes of L1, 1024000 of them in buffers that the compiler needs
!tile = !ttl.tile<32x32, bf16>
ttl.operation @ends_behind_the_ring() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 1638400 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 300], !tile, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 300], !tile, 1>
  %u = ttl.create_dfb "u" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 200], !tile, 1>
  ttl.compute_kernel @compute {
    %t_in = ttl.dfb_reserve %t : <[1, 300], !tile, 1>
    ttl.dfb_push %t_in explicit : <[1, 300], !tile>
    %t_out = ttl.dfb_wait %t : <[1, 300], !tile, 1>
    ttl.dfb_pop %t_out explicit : <[1, 300], !tile>
    %u_in = ttl.dfb_reserve %u : <[1, 200], !tile, 1>
    ttl.dfb_push %u_in explicit : <[1, 200], !tile>
    %u_out = ttl.dfb_wait %u : <[1, 200], !tile, 1>
    ttl.dfb_pop %u_out explicit : <[1, 200], !tile>
  }
}

// -----

// Two blocks of a let transfers overlap with computation. One block is offered where that makes enough room,
// CHECK: error: dataflow buffers take 1802240 bytes of L1
// CHECK: note: use smaller blocks: those of a are the largest of the program's own; or give up overlapping: block_count=1 for a makes enough room
ttl.operation @one_block_is_enough() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 1802240 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 340], !ttl.tile<32x32, bf16>, 2>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 200], !ttl.tile<32x32, bf16>, 1>
}

// -----

// and not where it does not.
// CHECK: error: dataflow buffers take 2211840 bytes of L1
// CHECK: note: use smaller blocks: those of a are the largest of the program's own{{$}}
ttl.operation @one_block_is_too_much() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 2211840 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 340], !ttl.tile<32x32, bf16>, 2>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 400], !ttl.tile<32x32, bf16>, 1>
}

// -----

// A row-major block takes whole tiles, however few elements it has.
// CHECK: error: dataflow buffers take 1396736 bytes of L1, and a node of wormhole has 1395424 [TTL1430]
// CHECK: note: row-major blocks are rounded up to whole tiles, which takes 1395372 bytes more
ttl.operation @row_major() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 1396736 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], bf16, 682>
}

// -----

// One tile more than fits beside tensors in L1 (allocate.mlir has one less): tiles that are interleaved over all nodes,
// CHECK: error: dataflow buffers take 1392640 bytes of L1, 2048 of them in buffers that the compiler needs, beside 4096 of tensors in L1
// CHECK: note: use smaller blocks: those of a are the largest of the program's own; or keep x in DRAM
#pages = #ttl.encoding<l1, #ttl.layout<tiled, interleaved>>
ttl.operation @beside_interleaved_pages(%x: tensor<2048x64xbf16, #pages>) grid <1x1> {
  %accessor = ttl.tensor_accessor %x : tensor<2048x64xbf16, #pages>
  // expected-error@+1 {{beside 4096 of tensors in L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 679], !ttl.tile<32x32, bf16>, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
}

// -----

// a shard on a node,
// CHECK: beside 32768 of tensors in L1
// CHECK: or keep x in DRAM
#shard = #ttl.encoding<l1, #ttl.layout<tiled, height_sharded, [256, 64], 8x1 at [0, 1]>>
ttl.operation @beside_a_shard(%x: tensor<2048x64xbf16, #shard>) grid <1x1> {
  %accessor = ttl.tensor_accessor %x : tensor<2048x64xbf16, #shard>
  // expected-error@+1 {{beside 32768 of tensors in L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 665], !ttl.tile<32x32, bf16>, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
}

// -----

// and four shards on a node.
// CHECK: beside 32768 of tensors in L1
// CHECK: or keep x in DRAM
#four_shards = #ttl.encoding<l1, #ttl.layout<tiled, height_sharded, [64, 64], 4x1, 2x2 at [4, 4]>>
ttl.operation @beside_four_shards(%x: tensor<2048x64xbf16, #four_shards>) grid <1x1> {
  %accessor = ttl.tensor_accessor %x : tensor<2048x64xbf16, #four_shards>
  // expected-error@+1 {{beside 32768 of tensors in L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 665], !ttl.tile<32x32, bf16>, 1>
  %t = ttl.create_dfb "t" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
}
