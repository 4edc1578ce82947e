// RUN: ttl-opt %s -p ttl-bufferize-distributed --split-input-file --verify-diagnostics --allow-unregistered-dialect
// What moves between nodes is no memref of a node.

!f = !ttl.dist_tensor<grid=[8,8], shard=[32,32], f32, sharded, L1>
!i = !ttl.dist_tensor<grid=[1,1], shard=[256,256], f32, interleaved, L1>
// expected-note@+3 {{data move between nodes}}
func.func @moves(%B: !f) {
  // expected-error@+1 {{failed to legalize operation 'ttl.redistribute'}}
  %B_redistributed = ttl.redistribute %B strategy=interleaved : !f -> !i
  "test.use"(%B_redistributed) : (!i) -> ()
  func.return
}
