// Transposes of a batch.
// kernels: both

func.func @f(%a0: tensor<3x96x40xf32>, %a1: tensor<3x40x96xf32>) -> (tensor<3x40x96xf32>) {
  %turned_out = tensor.empty() : tensor<3x40x96xf32>
  %turned = "ttir.transpose"(%a0, %turned_out) <{operand_constraints = [], dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<3x96x40xf32>, tensor<3x40x96xf32>) -> tensor<3x40x96xf32> loc("turned")
  %both_out = tensor.empty() : tensor<3x40x96xf32>
  %both = "ttir.add"(%turned, %a1, %both_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<3x40x96xf32>, tensor<3x40x96xf32>, tensor<3x40x96xf32>) -> tensor<3x40x96xf32> loc("both")
  return %both : tensor<3x40x96xf32>
}
