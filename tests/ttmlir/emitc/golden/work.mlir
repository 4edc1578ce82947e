// A product, a quotient, a row that is added to a matrix, a maximum and a change of type.
#tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @forward(%a: tensor<32x64xbf16>, %b: tensor<64x64xbf16>, %row: tensor<1x64xbf16>) -> (tensor<32x64xbf16>, tensor<1x64xf32>) {
  %0 = tensor.empty() : tensor<32x64xbf16>
  %1 = "ttir.matmul"(%a, %b, %0) <{operand_constraints = [#tile, #tile, #tile]}> : (tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xbf16>) -> tensor<32x64xbf16>
  %2 = tensor.empty() : tensor<32x64xbf16>
  %3 = "ttir.add"(%1, %row, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#tile, #tile, #tile]}> : (tensor<32x64xbf16>, tensor<1x64xbf16>, tensor<32x64xbf16>) -> tensor<32x64xbf16>
  %4 = tensor.empty() : tensor<32x64xbf16>
  %5 = "ttir.div"(%a, %3, %4) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#tile, #tile, #tile]}> : (tensor<32x64xbf16>, tensor<32x64xbf16>, tensor<32x64xbf16>) -> tensor<32x64xbf16>
  %6 = tensor.empty() : tensor<32x64xf32>
  %7 = "ttir.typecast"(%5, %6) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#tile, #tile]}> : (tensor<32x64xbf16>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %8 = tensor.empty() : tensor<1x64xf32>
  %9 = "ttir.max"(%7, %8) <{dim_arg = [0 : i32], keep_dim = true, operand_constraints = [#tile, #tile]}> : (tensor<32x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  return %5, %9 : tensor<32x64xbf16>, tensor<1x64xf32>
}
