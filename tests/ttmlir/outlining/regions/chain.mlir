// Chain.
// kernels: four

func.func @f(%a0: tensor<128x96xf32>, %a1: tensor<128x1xf32>, %a2: tensor<1x96xf32>) -> (tensor<128x96xf32>) {
  %one_out = tensor.empty() : tensor<128x96xf32>
  %one = "ttir.multiply"(%a0, %a1, %one_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x96xf32>, tensor<128x1xf32>, tensor<128x96xf32>) -> tensor<128x96xf32> loc("one")
  %two_out = tensor.empty() : tensor<128x96xf32>
  %two = "ttir.add"(%one, %a2, %two_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x96xf32>, tensor<1x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32> loc("two")
  %positive_out = tensor.empty() : tensor<128x96xf32>
  %positive = "ttir.relu"(%two, %positive_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<128x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32> loc("positive")
  %three_out = tensor.empty() : tensor<128x96xf32>
  %three = "ttir.exp"(%positive, %three_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<128x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32> loc("three")
  %soft_out = tensor.empty() : tensor<128x96xf32>
  %soft = "ttir.sigmoid"(%two, %soft_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<128x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32> loc("soft")
  %four_out = tensor.empty() : tensor<128x96xf32>
  %four = "ttir.div"(%three, %soft, %four_out) <{operand_constraints = [], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x96xf32>, tensor<128x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32> loc("four")
  return %four : tensor<128x96xf32>
}
