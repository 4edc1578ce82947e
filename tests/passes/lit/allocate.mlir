// RUN: ttl-opt %s -p ttl-allocate --split-input-file --verify-diagnostics
// RUN: not ttl-opt %s -p ttl-allocate --split-input-file 2>&1 | filecheck %s
// RUN: not ttl-opt %s --ttl-target=chip=blackhole -p ttl-allocate --split-input-file 2>&1 | filecheck %s --check-prefix=BLACKHOLE

// The program's buffers have the first numbers, semaphores have theirs.
// CHECK-LABEL: ttl.operation @numbers
// CHECK: ttl.create_dfb "made" index 2
// CHECK-NEXT: ttl.create_dfb "a" index 0
// CHECK-NEXT: ttl.create_dfb "b" index 1
// CHECK: ttl.create_semaphore "first" = 0 {ttl.id = 0 : i64}
// CHECK: ttl.create_semaphore "second" = 1 {ttl.id = 1 : i64}
ttl.operation @numbers() grid <1x1> {
  %made = ttl.create_dfb "made" {ttl.made_by = "compiler"} : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 1>
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 1], !ttl.tile<32x32, bf16>, 2>
  %b = ttl.create_dfb "b" : !ttl.dfb<[1, 1], !ttl.tile<32x32, f32>, 2>
  %first = ttl.create_semaphore "first" = 0
  %second = ttl.create_semaphore "second" = 1
}

// -----

// What does not fit is said for the chip that the operation is compiled for.
// CHECK: error: dataflow buffers take 1536000 bytes of L1, and a node of wormhole has
// BLACKHOLE: error: dataflow buffers take 1536000 bytes of L1, and a node of blackhole has
ttl.operation @too_much() grid <1x1> {
  // expected-error@+1 {{dataflow buffers take 1536000 bytes of L1}}
  %a = ttl.create_dfb "a" : !ttl.dfb<[1, 750], !ttl.tile<32x32, bf16>, 1>
}
