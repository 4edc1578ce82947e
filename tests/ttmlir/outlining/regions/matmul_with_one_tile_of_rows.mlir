// Matmul with one tile of rows.
// kernels: residual

func.func @f(%a0: tensor<32x64xf32>, %a1: tensor<64x256xf32>, %a2: tensor<1x256xf32>, %a3: tensor<32x256xf32>) -> (tensor<32x256xf32>) {
  %product_out = tensor.empty() : tensor<32x256xf32>
  %product = "ttir.matmul"(%a0, %a1, %product_out) <{operand_constraints = []}> : (tensor<32x64xf32>, tensor<64x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32> loc("product")
  %biased_out = tensor.empty() : tensor<32x256xf32>
  %biased = "ttir.add"(%product, %a2, %biased_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x256xf32>, tensor<1x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32> loc("biased")
  %active_out = tensor.empty() : tensor<32x256xf32>
  %active = "ttir.gelu"(%biased, %active_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<32x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32> loc("active")
  %residual_out = tensor.empty() : tensor<32x256xf32>
  %residual = "ttir.add"(%active, %a3, %residual_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<32x256xf32>, tensor<32x256xf32>, tensor<32x256xf32>) -> tensor<32x256xf32> loc("residual")
  return %residual : tensor<32x256xf32>
}
