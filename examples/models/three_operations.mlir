// A model of three operations. The one in the middle is an operation of TT-Lang, which gated.py has.
func.func @forward(%x: tensor<64x128xbf16>, %gate: tensor<64x128xbf16>, %w: tensor<128x96xbf16>) -> tensor<64x96xbf16> {
  %0 = tensor.empty() : tensor<64x128xbf16>
  %1 = "ttir.relu"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#tt.operand_constraint<any_device_tile>, #tt.operand_constraint<any_device_tile>]}> : (tensor<64x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  %2 = tensor.empty() : tensor<64x128xbf16>
  %3 = "ttir.tt_lang_op"(%1, %gate, %2) <{kernel_id = "gated.gated::v1", version_tag = "1", arg_roles = "in,in,out", shard_spec = ""}> : (tensor<64x128xbf16>, tensor<64x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  %4 = tensor.empty() : tensor<64x96xbf16>
  %5 = "ttir.matmul"(%3, %w, %4) <{operand_constraints = [#tt.operand_constraint<any_device_tile>, #tt.operand_constraint<any_device_tile>, #tt.operand_constraint<any_device_tile>]}> : (tensor<64x128xbf16>, tensor<128x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16>
  return %5 : tensor<64x96xbf16>
}
