// RUN: not ttmlir-opt --ttnn-decompose-layouts %s 2>&1 | FileCheck %s
// An operation of the device whose operand is on the host, in a function without a device.
#host = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x8xf32, #ttnn.buffer_type<system_memory>>>
func.func @f(%arg0: tensor<4x8xf32, #host>) -> tensor<4x8xf32, #host> {
  // CHECK: error: failed to legalize operation 'ttnn.softmax'
  // CHECK: note: ttnn.softmax takes tensors of the device, and its operand {{.*}} is on the host
  // CHECK: note: what works: a ttnn.get_device in the block, as convert-ttir-to-ttnn makes it
  %1 = "ttnn.softmax"(%arg0) <{dimension = 1 : si32}> : (tensor<4x8xf32, #host>) -> tensor<4x8xf32, #host>
  return %1 : tensor<4x8xf32, #host>
}
