// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
#loc = loc("test_ops.py:17_0_0":0:0)
module @test_ops attributes {} {
  func.func @main(%arg0: tensor<64x128xf32> loc("test_ops.py:17_0_0":0:0), %arg1: tensor<64x128xf32> loc("test_ops.py:17_0_0":0:0)) -> tensor<64x128xf32> {
    %0 = call @do_mult(%arg0, %arg1) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32> loc(#loc)
    return %0 : tensor<64x128xf32> loc(#loc)
  }
  // CHECK-NOT: @do_mult
  // CHECK: "ttnn.multiply"
  func.func private @do_mult(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = "ttir.multiply"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    return %1 : tensor<64x128xf32>
  }
  // CHECK-NOT: @do_mult
}
