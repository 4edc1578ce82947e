// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device_tile = #tt.operand_constraint<dram|l1|tile|none|interleaved|single_bank|height_sharded|width_sharded|block_sharded|any_layout|any_device_tile>
module attributes {} {
  func.func @main(%arg0: tensor<1x1xf32>, %arg1: tensor<32x64xf32>) -> tensor<32x64xf32> {
    // CHECK-NOT: ttnn.broadcast
    // CHECK: %[[C:.*]] = "ttnn.multiply"[[C:.*]] : (tensor<32x64xf32, {{.*}}>, tensor<1x1xf32, {{.*}}>, tensor<32x64xf32
    %0 = tensor.empty() : tensor<1x64xf32>
    %1 = "ttir.broadcast"(%arg0, %0) <{dimension = [1], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %2 = tensor.empty() : tensor<32x64xf32>
    %3 = "ttir.broadcast"(%1, %2) <{dimension = [0], operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    %4 = tensor.empty() : tensor<32x64xf32>
    %5 = "ttir.multiply"(%arg1, %3, %4) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device_tile, #any_device_tile, #any_device_tile]}> : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
    return %5 : tensor<32x64xf32>
  }
}
