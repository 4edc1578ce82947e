// RUN: ttl-opt %s -p convert-ttl-to-ttkernel | filecheck %s

// An operation becomes a program: its resources are declared, each kernel has a processor and computes for itself what the operation
// computes for all of them.
// CHECK-LABEL: ttkernel.program @f() grid <4x2>
ttl.operation @f() grid <4x2> {
  // CHECK-NEXT: ttkernel.circular_buffer @dfb index 0 pages 2 of 4096 bytes : f32 by user
  %dfb = ttl.create_dfb "dfb" : !ttl.dfb<[100], f32, 2>
  // CHECK-NEXT: ttkernel.declare_semaphore @go id 0 = 3
  %go = ttl.create_semaphore "go" = 3
  %n = ttl.node : index
  // CHECK-NEXT: ttkernel.kernel @first noc on ncrisc noc 0 {
  ttl.datamovement_kernel @first {
    // The number of a node comes from its coordinates, column by column.
    // CHECK: %[[X:.*]] = ttkernel.get_absolute_logical_x
    // CHECK: %[[BEFORE:.*]] = arith.muli %[[X]], %c2 : index
    // CHECK: %[[Y:.*]] = ttkernel.get_absolute_logical_y
    // CHECK: %n = arith.addi %[[BEFORE]], %[[Y]] : index
    // CHECK: scf.for %i = %{{.*}} to %{{.*}} step %{{.*}} {
    affine.for %i = 0 to 4 {
      // A signpost is a zone, and a print is the device's. The size of the grid is known.
      // CHECK: %size = arith.constant 8 : index
      // CHECK: ttkernel.zone "turn" {
      // CHECK-NEXT: ttkernel.dprint ["i ", " of ", "{{.*}}"](%i, %size : index, index)
      ttl.signpost begin "turn"
      %size = ttl.grid_size : index
      ttl.print ["i ", " of ", ""](%i, %size : index, index)
      ttl.signpost end "turn"
      // An assertion prints what fails.
      // CHECK: scf.if
      // CHECK-NEXT: ttkernel.dprint ["assertion failed: few
      %few = arith.cmpi slt, %n, %size : index
      ttl.assert %few, "few"
    }
  }
  // CHECK: ttkernel.kernel @second noc on brisc noc 1 {
  ttl.datamovement_kernel @second {
    // Blocks are pages of the buffer.
    // CHECK: ttkernel.cb_wait_front
    // CHECK: ttkernel.cb_pop_front
    %blk = ttl.dfb_wait %dfb : <[100], f32, 2>
    ttl.dfb_pop %blk with : <[100], f32>
  }
  // CHECK: ttkernel.kernel @third tensix config {
  // CHECK-SAME: math_fidelity = "HiFi4"
  ttl.compute_kernel @third {
  }
}
