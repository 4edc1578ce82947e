// RUN: ttmlir-opt --canonicalize %s | FileCheck %s
// Calls of the kernel API stay; numbers that nobody uses go.

// CHECK-LABEL: func.func @kernel
// CHECK-NOT: arith.constant 7
// CHECK: "ttkernel.tile_regs_acquire"
// CHECK: "ttkernel.tile_regs_acquire"
// CHECK: "ttkernel.mem_zeros_base"
// CHECK: "ttkernel.return"
func.func @kernel() {
  %0 = arith.constant 7 : i32
  "ttkernel.tile_regs_acquire"() : () -> ()
  "ttkernel.tile_regs_acquire"() : () -> ()
  %1 = "ttkernel.mem_zeros_base"() : () -> i32
  "ttkernel.return"() : () -> ()
}
