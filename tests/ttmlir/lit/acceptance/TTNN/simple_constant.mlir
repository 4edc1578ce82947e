// RUN: ttmlir-opt --ttir-to-ttnn-backend-pipeline="system-desc-path=%system_desc_path%" %s > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module @sysmem_creation attributes {} {
  func.func @test_empty_int() -> tensor<64x128xi32> {
    // CHECK: %[[C:.*]] = "ttnn.empty"[[C:.*]]
    %0 = "ttir.constant"() <{value = dense<0> : tensor<64x128xi32>}> : () -> tensor<64x128xi32>
    return %0 : tensor<64x128xi32>
  }
  func.func @test_full_float() -> tensor<64x128xf32> {
    // CHECK: %[[C:.*]] = "ttnn.full"
    // CHECK-SAME: fillValue = 1.000000e+00 : f32
    %0 = "ttir.constant"() <{value = dense<1.000000e+00> : tensor<64x128xf32>}> : () -> tensor<64x128xf32>
    return %0 : tensor<64x128xf32>
  }
  func.func @test_full_bfloat16() -> tensor<64x128xbf16> {
    // CHECK: %[[C:.*]] = "ttnn.full"[[C:.*]]
    %0 = "ttir.constant"() <{value = dense<1.000000e+00> : tensor<64x128xbf16>}> : () -> tensor<64x128xbf16>
    return %0 : tensor<64x128xbf16>
  }
}
