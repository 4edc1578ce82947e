// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {} {
  func.func @main(%arg0: tensor<1x32x128x128xbf16>) -> tensor<1x32x64x64xbf16> {
    %0 = tensor.empty() : tensor<1x32x64x64xbf16>
    // CHECK: "ttir.transpose"{{.*}}dim0 = 1 : si32, dim1 = 2 : si32
    // CHECK: "ttir.transpose"{{.*}}dim0 = 2 : si32, dim1 = 3 : si32
    // CHECK: "ttir.max_pool2d"
    // CHECK-SAME: ceil_mode = false
    // CHECK-SAME: kernel_height = 3 : si32, kernel_width = 3 : si32
    // CHECK-SAME: padding_bottom = 1 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 1 : si32
    // CHECK: "ttir.transpose"{{.*}}dim0 = 2 : si32, dim1 = 3 : si32
    // CHECK: "ttir.transpose"{{.*}}dim0 = 1 : si32, dim1 = 2 : si32
    %1 = "ttir.pooling"(%arg0, %0) <{
        operandSegmentSizes = array<i32: 1, 1>,
        pooling_method = #ttir<pooling_method Max>,
        window_dimensions = array<i64: 1, 1, 3, 3>,
        window_strides = array<i64: 1, 1, 2, 2>,
        base_dilations = array<i64: 1, 1, 1, 1>,
        window_dilations = array<i64: 1, 1, 1, 1>,
        padding = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>,
        operand_constraints = [#any_device, #any_device]}> : (tensor<1x32x128x128xbf16>, tensor<1x32x64x64xbf16>) -> tensor<1x32x64x64xbf16>
    return %1 : tensor<1x32x64x64xbf16>
  }
}
