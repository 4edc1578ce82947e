// RUN: ttmlir-opt --canonicalize %s | FileCheck %s
module attributes {} {
  // CHECK-LABEL: func.func @forward
  func.func @forward(%arg0: tensor<64x128xf32>) -> tensor<i32> {
    // CHECK: "ttir.get_dimension_size"
    %unused = tensor.empty() : tensor<64x128xf32>
    // CHECK-NOT: tensor.empty
    %0 = "ttir.get_dimension_size"(%arg0) <{dimension = 1 : i32}> : (tensor<64x128xf32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}
