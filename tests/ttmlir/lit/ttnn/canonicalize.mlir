// RUN: ttmlir-opt --canonicalize %s | FileCheck %s
// Of TTNN, only what is empty and unused goes.

#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x8xf32, #ttnn.buffer_type<system_memory>>>

// CHECK-LABEL: func.func @unused
// CHECK-NOT: ttnn.empty
// CHECK: "ttnn.softmax"
// CHECK-NEXT: return
func.func @unused(%arg0: tensor<4x8xf32, #host>) {
  %0 = "ttnn.empty"() <{dtype = #tt.supportedDataTypes<f32>, layout = #ttnn.layout<row_major>, shape = #ttnn.shape<4x8>}> : () -> tensor<4x8xf32, #host>
  %1 = "ttnn.softmax"(%arg0) <{dimension = 1 : si32}> : (tensor<4x8xf32, #host>) -> tensor<4x8xf32, #host>
  return
}
