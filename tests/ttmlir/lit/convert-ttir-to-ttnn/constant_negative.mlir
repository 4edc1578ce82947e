// RUN: not ttmlir-opt --ttir-load-system-desc --ttir-implicit-device --ttnn-layout --convert-ttir-to-ttnn %s 2>&1 | FileCheck %s
module attributes {} {
  func.func @two_numbers() -> tensor<1x2xf32> {
    // CHECK: constant_negative.mlir:8:10: error: failed to legalize operation 'ttir.constant'
    // CHECK: note: its value is not one number repeated, but TTNN fills tensors (1x2 here) with one number only
    // CHECK: note: what works: dense<number> with one number, small tables by --ttir-to-ttir-decomposition in front of this pass
    // CHECK: note: see current operation: %0 = "ttir.constant"() <{value = dense<[{{\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>}>
    %0 = "ttir.constant"() <{value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
    return %0 : tensor<1x2xf32>
  }
}
