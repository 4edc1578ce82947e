// Written by examples/models/write_models.py.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|none|interleaved|single_bank|height_sharded|width_sharded|block_sharded|any_layout|any_device|any_device_tile|l1_block_sharded>
module {
  func.func @forward(%images: tensor<64x784xbf16>, %weight0: tensor<784x512xbf16>, %bias0: tensor<1x512xbf16>, %weight1: tensor<512x256xbf16>, %bias1: tensor<1x256xbf16>, %weight2: tensor<256x10xbf16>, %bias2: tensor<1x10xbf16>) -> tensor<64x10xbf16> {
    %product0_out = tensor.empty() : tensor<64x512xbf16>
    %product0 = "ttir.matmul"(%images, %weight0, %product0_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x784xbf16>, tensor<784x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16> loc("product0")
    %biased0_out = tensor.empty() : tensor<64x512xbf16>
    %biased0 = "ttir.add"(%product0, %bias0, %biased0_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x512xbf16>, tensor<1x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16> loc("biased0")
    %positive0_out = tensor.empty() : tensor<64x512xbf16>
    %positive0 = "ttir.relu"(%biased0, %positive0_out) <{operand_constraints = [#any_device, #any_device], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x512xbf16>, tensor<64x512xbf16>) -> tensor<64x512xbf16> loc("positive0")
    %product1_out = tensor.empty() : tensor<64x256xbf16>
    %product1 = "ttir.matmul"(%positive0, %weight1, %product1_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x512xbf16>, tensor<512x256xbf16>, tensor<64x256xbf16>) -> tensor<64x256xbf16> loc("product1")
    %biased1_out = tensor.empty() : tensor<64x256xbf16>
    %biased1 = "ttir.add"(%product1, %bias1, %biased1_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x256xbf16>, tensor<1x256xbf16>, tensor<64x256xbf16>) -> tensor<64x256xbf16> loc("biased1")
    %positive1_out = tensor.empty() : tensor<64x256xbf16>
    %positive1 = "ttir.relu"(%biased1, %positive1_out) <{operand_constraints = [#any_device, #any_device], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<64x256xbf16>, tensor<64x256xbf16>) -> tensor<64x256xbf16> loc("positive1")
    %product2_out = tensor.empty() : tensor<64x10xbf16>
    %product2 = "ttir.matmul"(%positive1, %weight2, %product2_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x256xbf16>, tensor<256x10xbf16>, tensor<64x10xbf16>) -> tensor<64x10xbf16> loc("product2")
    %biased2_out = tensor.empty() : tensor<64x10xbf16>
    %biased2 = "ttir.add"(%product2, %bias2, %biased2_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<64x10xbf16>, tensor<1x10xbf16>, tensor<64x10xbf16>) -> tensor<64x10xbf16> loc("biased2")
    %probabilities_out = tensor.empty() : tensor<64x10xbf16>
    %probabilities = "ttir.softmax"(%biased2, %probabilities_out) <{operand_constraints = [#any_device, #any_device], dimension = -1 : si32}> : (tensor<64x10xbf16>, tensor<64x10xbf16>) -> tensor<64x10xbf16> loc("probabilities")
    return %probabilities : tensor<64x10xbf16>
  }
}
