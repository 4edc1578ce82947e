// RUN: ttl-opt %s --allow-unregistered-dialect --pass-pipeline 'builtin.module(raise-scf-to-affine)' | filecheck %s
// RUN: ttl-opt %s --allow-unregistered-dialect --pass-pipeline 'builtin.module(raise-scf-to-affine,loop-tile{sizes=4},affine-simplify-bounded)' | filecheck %s --check-prefix=TILED
// RUN: ttl-opt %s --allow-unregistered-dialect --pass-pipeline 'builtin.module(loop-coalesce)' | filecheck %s --check-prefix=ONE
// RUN: ttl-opt %s --allow-unregistered-dialect --pass-pipeline 'builtin.module(loop-unroll{factor=4})' | filecheck %s --check-prefix=FOUR

// Bounds and places that are sums of multiples; a minimum is a bound of two results.
// CHECK-LABEL: func.func @rows
// CHECK: affine.for %[[I:.*]] = 0 to 10 {
// CHECK: affine.for %[[J:.*]] = 0 to 8 {
// CHECK: affine.load %{{.*}}[%[[I]] * 2 + %[[J]], %[[J]]] : memref<32x8xf32>
// Ten turns in blocks of four: the last one is shorter.
// TILED-LABEL: func.func @rows
// TILED: affine.for %[[B:.*]] = 0 to 10 step 4 {
// TILED: affine.for %{{.*}} = #{{.*}}(%[[B]]) to min #{{.*}}(%[[B]]) {
// ONE-LABEL: func.func @rows
// ONE-COUNT-1: scf.for
// ONE: arith.floordivsi
// FOUR-LABEL: func.func @rows
// FOUR-COUNT-4: "test.act"
func.func @rows(%m: memref<32x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %far = arith.muli %i, %c2 : index
      %row = arith.addi %far, %j : index
      %x = memref.load %m[%row, %j] : memref<32x8xf32>
      "test.act"(%x) : (f32) -> ()
    }
  }
  func.return
}
