// Softmax of one column.
// kernels: weights

func.func @f(%a0: tensor<40x1xf32>, %a1: tensor<40x1xf32>) -> (tensor<40x1xf32>) {
  %scaled_out = tensor.empty() : tensor<40x1xf32>
  %scaled = "ttir.multiply"(%a0, %a1, %scaled_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<40x1xf32>, tensor<40x1xf32>, tensor<40x1xf32>) -> tensor<40x1xf32> loc("scaled")
  %weights_out = tensor.empty() : tensor<40x1xf32>
  %weights = "ttir.softmax"(%scaled, %weights_out) <{operand_constraints = [], dimension = -1 : si32}> : (tensor<40x1xf32>, tensor<40x1xf32>) -> tensor<40x1xf32> loc("weights")
  return %weights : tensor<40x1xf32>
}
