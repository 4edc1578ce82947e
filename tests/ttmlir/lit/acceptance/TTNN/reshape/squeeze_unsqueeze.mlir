// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
module attributes {} {
  func.func @squeeze(%arg0: tensor<1x2x1x32x32xbf16>) -> tensor<1x2x32x32xbf16> {
    %0 = tensor.empty() : tensor<1x2x32x32xbf16>
    // CHECK: %[[C:.*]] = "ttnn.reshape"
    // CHECK-SAME: shape = [1 : i32, 2 : i32, 32 : i32, 32 : i32]
    %1 = "ttir.squeeze"(%arg0, %0) <{dim = -3 : si32, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<1x2x1x32x32xbf16>, tensor<1x2x32x32xbf16>) -> tensor<1x2x32x32xbf16>
    return %1 : tensor<1x2x32x32xbf16>
  }
  func.func @unsqueeze(%arg0: tensor<4x2x32x32xbf16>) -> tensor<4x1x2x32x32xbf16> {
    %0 = tensor.empty() : tensor<4x1x2x32x32xbf16>
    // CHECK: %[[C:.*]] = "ttnn.reshape"
    // CHECK-SAME: shape = [4 : i32, 1 : i32, 2 : i32, 32 : i32, 32 : i32]
    %1 = "ttir.unsqueeze"(%arg0, %0) <{dim = -4 : si32, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x2x32x32xbf16>, tensor<4x1x2x32x32xbf16>) -> tensor<4x1x2x32x32xbf16>
    return %1 : tensor<4x1x2x32x32xbf16>
  }
  func.func @unsqueeze_at_the_end(%arg0: tensor<4x32xbf16>) -> tensor<4x32x1xbf16> {
    %0 = tensor.empty() : tensor<4x32x1xbf16>
    // CHECK: %[[C:.*]] = "ttnn.reshape"
    // CHECK-SAME: shape = [4 : i32, 32 : i32, 1 : i32]
    %1 = "ttir.unsqueeze"(%arg0, %0) <{dim = -1 : si32, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<4x32xbf16>, tensor<4x32x1xbf16>) -> tensor<4x32x1xbf16>
    return %1 : tensor<4x32x1xbf16>
  }
}
