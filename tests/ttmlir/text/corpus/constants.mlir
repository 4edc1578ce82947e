func.func @numbers() -> f32 {
  %0 = arith.constant -1 : i8
  %1 = arith.constant -1 : i8
  %2 = arith.constant false
  %3 = arith.constant 3.14159274 : f32
  %4 = arith.constant 1.0e-5 : f32
  %5 = arith.constant 0x7F800000 : f32
  %6 = arith.constant 1.0e-5 : f64
  %7 = arith.constant 0.1 : bf16
  %8 = arith.constant 65504.0 : f16
  %9 = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %10 = arith.constant dense<[[0.1, -0.0]]> : tensor<1x2xf16>
  %11 = arith.constant dense<"0x0102030405060708"> : tensor<2xi32>
  %12 = arith.constant dense_resource<blob> : tensor<1xf32>
  return %3 : f32
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F"
    }
  }
#-}
