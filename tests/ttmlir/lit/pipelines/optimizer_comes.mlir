// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="enable-optimizer=true override-output-layout=relu_1=2x2:l1:block_sharded:tile:f32" %s 2>&1 | FileCheck %s
// CHECK: warning: ttnn-optimizer has no implementation yet and changes nothing; without effect: override-output-layout=relu_1=2x2:l1:block_sharded:tile:f32
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @forward(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = "ttir.relu"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> loc("relu_1")
    return %1 : tensor<64x128xf32>
  }
}
