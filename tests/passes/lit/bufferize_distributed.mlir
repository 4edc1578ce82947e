// RUN: ttl-opt %s -p ttl-bufferize-distributed --allow-unregistered-dialect | filecheck %s
// The example of section 10.3, as functions have it: a node has a memref of its shard.

// CHECK-LABEL: func.func @distributed_matmul(%A: memref<32x32xf32, "l1"> {ttl.shard_group = {tensor = 0 : i64, grid = array<i64: 8, 8>}}
// CHECK-SAME: -> memref<32x32xf32, "l1">
// CHECK-NEXT: "test.use"(%A, %B) : (memref<32x32xf32, "l1">, memref<32x32xf32, "l1">)
// CHECK-NEXT: func.return %A
!f = !ttl.dist_tensor<grid=[8,8], shard=[32,32], f32, sharded, L1>
func.func @distributed_matmul(%A: !f, %B: !f) -> !f {
  %a_local = ttl.extract_shard %A : !f -> memref<32x32xf32, "l1">
  %b_local = ttl.extract_shard %B : !f -> memref<32x32xf32, "l1">
  "test.use"(%a_local, %b_local) : (memref<32x32xf32, "l1">, memref<32x32xf32, "l1">) -> ()
  func.return %A : !f
}
