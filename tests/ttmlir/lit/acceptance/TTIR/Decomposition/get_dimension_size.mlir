// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
module attributes {} {
  func.func @get_dimension_size_decomposition(%arg0: tensor<32x64x128xf32>) -> tensor<1xi32> {
    // CHECK: %[[C:.*]] = "ttir.constant"() <{value = dense<64> : tensor<1xi32>}> : () -> tensor<1xi32>
    // CHECK-NOT: get_dimension_size"
    %0 = "ttir.get_dimension_size"(%arg0) <{dimension = 1 : i32}> : (tensor<32x64x128xf32>) -> tensor<1xi32>
    return %0 : tensor<1xi32>
  }
}
