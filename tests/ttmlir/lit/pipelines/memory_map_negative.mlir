// RUN: not ttmlir-opt --ttir-to-ttnn-backend-pipeline --memory-map %s 2>&1 | FileCheck %s
// CHECK: memory_map_negative.mlir:9:10: error: 'ttnn.relu' op in function 'forward': 3 tensors need 12582912 bytes of every L1 bank at the same time, but a bank has 1465344
// CHECK: note: 1024x1024 f32 in tiles, block_sharded: 4194304 bytes, 4194304 of every bank, made by ttnn.to_device
// CHECK: function forward, L1: 12582912 of 1465344 bytes of every bank (858.70%)
#l1_block_sharded = #tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>
module attributes {} {
  func.func @forward(%arg0: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = tensor.empty() : tensor<1024x1024xf32>
    %1 = "ttir.relu"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#l1_block_sharded, #l1_block_sharded]}> : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %1 : tensor<1024x1024xf32>
  }
}
