// RUN: ttmlir-opt --canonicalize %s | FileCheck %s
// Memory that is allocated stays, used or not.

#l1_ = #tt.memory_space<l1>
#layout = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<64x128xf32, #l1_>>

// CHECK-LABEL: func.func @allocated
// CHECK: "ttmetal.alloc"
// CHECK: "ttmetal.alloc"
func.func @allocated() {
  %0 = "ttmetal.alloc"() <{address = 4096 : i64, memory_space = #l1_, size = 32768 : i64}> : () -> tensor<64x128xf32, #layout>
  %1 = "ttmetal.alloc"() <{address = 4096 : i64, memory_space = #l1_, size = 32768 : i64}> : () -> tensor<64x128xf32, #layout>
  return
}
