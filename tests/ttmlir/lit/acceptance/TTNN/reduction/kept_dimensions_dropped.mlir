// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
// Reductions that ask to keep dimensions, with a result that lacks them: that is the result.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @sum(%arg0: tensor<1x1x512x64xbf16>) -> tensor<1x1x512xbf16> {
    %0 = tensor.empty() : tensor<1x1x512xbf16>
    // CHECK: %{{.*}} = "ttnn.sum"(%{{.*}}) <{dim_arg = [-1 : i32], keep_dim = false}> {{.*}} -> tensor<1x1x512xbf16
    %1 = "ttir.sum"(%arg0, %0) <{dim_arg = [-1 : i32], keep_dim = true, operand_constraints = [#any_device, #any_device]}> : (tensor<1x1x512x64xbf16>, tensor<1x1x512xbf16>) -> tensor<1x1x512xbf16>
    return %1 : tensor<1x1x512xbf16>
  }
  func.func @mean(%arg0: tensor<512x1024xbf16>) -> tensor<512xbf16> {
    %0 = tensor.empty() : tensor<512xbf16>
    // CHECK: %{{.*}} = "ttnn.mean"(%{{.*}}) <{dim_arg = [-1 : i32], keep_dim = false}> {{.*}} -> tensor<512xbf16
    %1 = "ttir.mean"(%arg0, %0) <{dim_arg = [-1 : i32], keep_dim = true, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<512xbf16>) -> tensor<512xbf16>
    return %1 : tensor<512xbf16>
  }
  func.func @max(%arg0: tensor<512x1024xbf16>) -> tensor<512x1xbf16> {
    %0 = tensor.empty() : tensor<512x1xbf16>
    // CHECK: %{{.*}} = "ttnn.max"(%{{.*}}) <{dim_arg = [-1 : i32], keep_dim = true}> {{.*}} -> tensor<512x1xbf16
    %1 = "ttir.max"(%arg0, %0) <{dim_arg = [-1 : i32], keep_dim = true, operand_constraints = [#any_device, #any_device]}> : (tensor<512x1024xbf16>, tensor<512x1xbf16>) -> tensor<512x1xbf16>
    return %1 : tensor<512x1xbf16>
  }
}
