// RUN: ttmlir-opt --convert-ttkernel-to-emitc %s | ttmlir-translate -mlir-to-cpp | FileCheck %s
// Branches, comparisons, choices and bits.

#l1_ = #tt.memory_space<l1>
!cb = !ttkernel.cb<cb_dfl1, 4096, memref<1x1x!tt.tile<32x32, f32>, #l1_>, 4096, 1>

// CHECK: void choose() {
// CHECK-NEXT:   ::tt::CB v1 = ::tt::CB::dataflow1;
// CHECK-NEXT:   ::tt::CB v2 = v1;
// CHECK-NEXT:   int32_t v3 = 0;
// CHECK-NEXT:   int32_t v4 = 4;
// CHECK-NEXT:   bool v5 = v3 < v4;
// CHECK-NEXT:   int32_t v6 = v5 ? v3 : v4;
// CHECK-NEXT:   uint32_t v7 = (uint32_t) v6;
// CHECK-NEXT:   uint32_t v8 = (uint32_t) v4;
// CHECK-NEXT:   bool v9 = v7 >= v8;
// CHECK-NEXT:   uint32_t v10 = (uint32_t) v6;
// CHECK-NEXT:   uint32_t v11 = (uint32_t) v4;
// CHECK-NEXT:   uint32_t v12 = v10 & v11;
// CHECK-NEXT:   int32_t v13 = (int32_t) v12;
// CHECK-NEXT:   int32_t v14;
// CHECK-NEXT:   if (v9) {
// CHECK-NEXT:     cb_wait_front(v2, v13);
// CHECK-NEXT:     v14 = v3;
// CHECK-NEXT:   } else {
// CHECK-NEXT:     v14 = v4;
// CHECK-NEXT:   }
// CHECK-NEXT:   int32_t v15 = v14;
// CHECK-NEXT:   if (v5) {
// CHECK-NEXT:     cb_pop_front(v2, v15);
// CHECK-NEXT:   }
// CHECK-NEXT:   return;
// CHECK-NEXT: }
func.func @choose(%cb: !cb) {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %lt = arith.cmpi slt, %c0, %c4 : i32
  %n = arith.select %lt, %c0, %c4 : i32
  %ge = arith.cmpi uge, %n, %c4 : i32
  %bits = arith.andi %n, %c4 : i32
  %r = scf.if %ge -> (i32) {
    "ttkernel.cb_wait_front"(%cb, %bits) : (!cb, i32) -> ()
    scf.yield %c0 : i32
  } else {
    scf.yield %c4 : i32
  }
  scf.if %lt {
    "ttkernel.cb_pop_front"(%cb, %r) : (!cb, i32) -> ()
  }
  "ttkernel.return"() : () -> ()
}
