// Attention of two batches in bf16.
// kernels: mixed

func.func @f(%a0: tensor<2x2x64x32xbf16>, %a1: tensor<2x2x32x64xbf16>, %a2: tensor<1x1x64x64xbf16>, %a3: tensor<2x2x64x64xbf16>) -> (tensor<2x2x64x64xbf16>) {
  %scores_out = tensor.empty() : tensor<2x2x64x64xbf16>
  %scores = "ttir.matmul"(%a0, %a1, %scores_out) <{operand_constraints = []}> : (tensor<2x2x64x32xbf16>, tensor<2x2x32x64xbf16>, tensor<2x2x64x64xbf16>) -> tensor<2x2x64x64xbf16> loc("scores")
  %c2 = "ttir.constant"() <{value = dense<2.500000e-01> : tensor<2x2x64x64xbf16>}> : () -> tensor<2x2x64x64xbf16>
  %scaled_out = tensor.empty() : tensor<2x2x64x64xbf16>
  %scaled = "ttir.multiply"(%scores, %c2, %scaled_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x2x64x64xbf16>, tensor<2x2x64x64xbf16>, tensor<2x2x64x64xbf16>) -> tensor<2x2x64x64xbf16> loc("scaled")
  %masked_out = tensor.empty() : tensor<2x2x64x64xbf16>
  %masked = "ttir.add"(%scaled, %a2, %masked_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x2x64x64xbf16>, tensor<1x1x64x64xbf16>, tensor<2x2x64x64xbf16>) -> tensor<2x2x64x64xbf16> loc("masked")
  %weights_out = tensor.empty() : tensor<2x2x64x64xbf16>
  %weights = "ttir.softmax"(%masked, %weights_out) <{operand_constraints = [], dimension = -1 : si32}> : (tensor<2x2x64x64xbf16>, tensor<2x2x64x64xbf16>) -> tensor<2x2x64x64xbf16> loc("weights")
  %mixed_out = tensor.empty() : tensor<2x2x64x64xbf16>
  %mixed = "ttir.matmul"(%weights, %a3, %mixed_out) <{operand_constraints = []}> : (tensor<2x2x64x64xbf16>, tensor<2x2x64x64xbf16>, tensor<2x2x64x64xbf16>) -> tensor<2x2x64x64xbf16> loc("mixed")
  return %mixed : tensor<2x2x64x64xbf16>
}
