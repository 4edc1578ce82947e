// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @forward(%arg0: tensor<64x128xbf16>, %arg1: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
    // CHECK: "ttnn.get_device"() <{mesh_shape = #ttnn<mesh_shape 1x1>}>
    // CHECK: %[[NEG:[0-9]+]] = "ttnn.neg"
    // CHECK-SAME: tensor<1x128xbf16
    // CHECK: "ttnn.add"(%{{[0-9]+}}, %[[NEG]], %{{[0-9]+}})
    // CHECK-NOT: "ttnn.subtract"
    %0 = tensor.empty() : tensor<64x128xbf16>
    %1 = "ttir.subtract"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
    return %1 : tensor<64x128xbf16>
  }
}
