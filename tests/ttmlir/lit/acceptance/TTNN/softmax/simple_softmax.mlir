// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
module attributes {} {
  func.func @forward(%arg0: tensor<512x1024xbf16>) -> tensor<512x1024xbf16> {
    // CHECK: %[[C:.*]] = "ttnn.to_device"[[C:.*]]
    %0 = tensor.empty() : tensor<512x1024xbf16>
    // CHECK-NOT: "ttnn.empty"
    // CHECK: %[[C:.*]] = "ttnn.softmax"
    // CHECK-SAME: dimension = 1 : si32
    %1 = "ttir.softmax"(%arg0, %0) <{dimension = 1 : si32, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
    // CHECK: %[[C:.*]] = "ttnn.softmax"
    // CHECK-SAME: dimension = -1 : si32
    %2 = tensor.empty() : tensor<512x1024xbf16>
    %3 = "ttir.softmax"(%1, %2) <{dimension = -1 : si32, operand_constraints = [#any_device_tile, #any_device_tile]}> : (tensor<512x1024xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
    return %3 : tensor<512x1024xbf16>
  }
}
