// Batch of products of a transposed factor.
// kernels: scores

func.func @f(%a0: tensor<5x64x96xf32>, %a1: tensor<5x128x96xf32>) -> (tensor<5x64x128xf32>) {
  %turned_out = tensor.empty() : tensor<5x96x128xf32>
  %turned = "ttir.transpose"(%a1, %turned_out) <{operand_constraints = [], dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<5x128x96xf32>, tensor<5x96x128xf32>) -> tensor<5x96x128xf32> loc("turned")
  %scores_out = tensor.empty() : tensor<5x64x128xf32>
  %scores = "ttir.matmul"(%a0, %turned, %scores_out) <{operand_constraints = []}> : (tensor<5x64x96xf32>, tensor<5x96x128xf32>, tensor<5x64x128xf32>) -> tensor<5x64x128xf32> loc("scores")
  return %scores : tensor<5x64x128xf32>
}
