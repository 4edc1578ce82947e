// RUN: not ttmlir-opt --convert-ttkernel-to-emitc %s 2>&1 | FileCheck %s
// RUN: not ttmlir-translate --mlir-to-cpp %s 2>&1 | FileCheck %s --check-prefix=CPP
// RUN: not ttmlir-translate --ttmetal-to-cpp %s 2>&1 | FileCheck %s --check-prefix=METAL
// Everything that has no form in C++ is said in one run, at its place, and nothing is written.

// CPP-NOT: void
// METAL: error: the module has no ttmetal.dispatch: compile it with --ttir-to-ttmetal-backend-pipeline
!cb = !ttkernel.cb<cb_in0, 4096, memref<1x1x!tt.tile<32x32, f32>, #tt.memory_space<l1>>, 4096, 1>

// CHECK-NOT: func.func
// CPP: error: 'func.func' op cannot emit type !ttkernel.cb<cb_in0,
func.func @first(%cb: !cb) {
  %c0 = arith.constant 0 : i32
  // CHECK: error: failed to legalize operation 'ttkernel.unpack_a' that was explicitly marked illegal
  // CHECK: note: nothing in the dialect computes on one unpacked tile
  // CHECK: note: what works: 'ttkernel.copy_tile', which unpacks a tile and copies it into a register
  "ttkernel.unpack_a"(%cb, %c0) : (!cb, i32) -> ()
  // CHECK: error: failed to legalize operation 'arith.divui' that was explicitly marked illegal
  // CHECK: note: what works in a kernel: calls of ttkernel, scf.for, scf.if, and arith on integers
  %q = arith.divui %c0, %c0 : i32
  "ttkernel.tile_regs_acquire"() : () -> ()
  "ttkernel.return"() : () -> ()
}
// CHECK: error: failed to legalize operation 'func.func' that was explicitly marked illegal
// CHECK: note: 'second' has an argument of type i32
// CHECK: note: what works: kernels, whose arguments are circular buffers and which return nothing
// CPP: error: 'ttkernel.tile_regs_acquire' op unable to find printer for op
func.func @second(%n: i32) {
  "ttkernel.tile_regs_acquire"() : () -> ()
  "ttkernel.return"() : () -> ()
}
