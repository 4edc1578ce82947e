// RUN: ttl-opt %s -p convert-ttl-to-ttkernel | filecheck %s

// What an operation computes for its kernels is in each that uses it; coordinates come from the node, sizes are known,
// affine loops are loops; a signpost is a zone, a print is the device's, an assertion says what fails.
// CHECK-LABEL: ttkernel.program @f() grid <4x2>
// CHECK-NEXT: ttkernel.circular_buffer @dfb index 0 pages 2 of 4096 bytes : f32 by user
// CHECK-NEXT: ttkernel.declare_semaphore @go id 0 = 3
// CHECK-NEXT: ttkernel.kernel @first noc on ncrisc noc 0 {
// CHECK: %[[X:.*]] = ttkernel.get_absolute_logical_x
// CHECK: ttkernel.get_absolute_logical_y
// CHECK: scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: ttkernel.zone "turn" {
// CHECK-NEXT: ttkernel.dprint ["i ", " of ", "{{.*}}"](%i, %size : index, index)
// CHECK: scf.if
// CHECK-NEXT: ttkernel.dprint ["assertion failed: few
// CHECK: ttkernel.kernel @second noc on brisc noc 1 {
// CHECK: ttkernel.cb_wait_front
// CHECK: ttkernel.cb_pop_front
// CHECK: ttkernel.kernel @third tensix config {
// CHECK-SAME: math_fidelity = "HiFi4"
ttl.operation @f() grid <4x2> {
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[100], f32, 2>
  %go = ttl.create_semaphore "go" = 3
  %n = ttl.node : index
  ttl.datamovement_kernel @first {
    affine.for %i = 0 to 4 {
      ttl.signpost begin "turn"
      %size = ttl.grid_size : index
      ttl.print ["i ", " of ", ""](%i, %size : index, index)
      ttl.signpost end "turn"
      %few = arith.cmpi slt, %n, %size : index
      ttl.assert %few, "few"
    }
  }
  ttl.datamovement_kernel @second {
    %blk = ttl.dfb_wait %dfb : <[100], f32, 2>
    ttl.dfb_pop %blk with : <[100], f32>
  }
  ttl.compute_kernel @third {
  }
}
