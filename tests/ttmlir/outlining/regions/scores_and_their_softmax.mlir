// Scores and their softmax.
// kernels: weights

func.func @f(%a0: tensor<2x40x64xf32>, %a1: tensor<2x64x96xf32>, %a2: tensor<1x40x96xf32>) -> (tensor<2x40x96xf32>) {
  %scores_out = tensor.empty() : tensor<2x40x96xf32>
  %scores = "ttir.matmul"(%a0, %a1, %scores_out) <{operand_constraints = []}> : (tensor<2x40x64xf32>, tensor<2x64x96xf32>, tensor<2x40x96xf32>) -> tensor<2x40x96xf32> loc("scores")
  %c2 = "ttir.constant"() <{value = dense<2.500000e-01> : tensor<2x40x96xf32>}> : () -> tensor<2x40x96xf32>
  %scaled_out = tensor.empty() : tensor<2x40x96xf32>
  %scaled = "ttir.multiply"(%scores, %c2, %scaled_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x40x96xf32>, tensor<2x40x96xf32>, tensor<2x40x96xf32>) -> tensor<2x40x96xf32> loc("scaled")
  %masked_out = tensor.empty() : tensor<2x40x96xf32>
  %masked = "ttir.add"(%scaled, %a2, %masked_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x40x96xf32>, tensor<1x40x96xf32>, tensor<2x40x96xf32>) -> tensor<2x40x96xf32> loc("masked")
  %weights_out = tensor.empty() : tensor<2x40x96xf32>
  %weights = "ttir.softmax"(%masked, %weights_out) <{operand_constraints = [], dimension = -1 : si32}> : (tensor<2x40x96xf32>, tensor<2x40x96xf32>) -> tensor<2x40x96xf32> loc("weights")
  return %weights : tensor<2x40x96xf32>
}
