// RUN: ttmlir-opt --ttir-to-ttir-decomposition %s | FileCheck %s
// A table of both zeros: the parts differ by their signs alone.
func.func @f() -> tensor<4xf32> {
  // CHECK: "ttir.constant"() <{value = dense<0.000000e+00> : tensor<2xf32>}>
  // CHECK-NEXT: "ttir.constant"() <{value = dense<-0.000000e+00> : tensor<2xf32>}>
  %0 = "ttir.constant"() <{value = dense<[0.0, 0.0, -0.0, -0.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
